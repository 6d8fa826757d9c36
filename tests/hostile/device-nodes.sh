# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: device nodes where files should be: what is read from them has no end
raid5_root
dir=$root/sys/devices/virtual/block
for file in dm-0/dm/name dm-0/size md0/md/level sda/queue/read_ahead_kb; do
    rm "$dir/$file"
    mknod "$dir/$file" c 1 5 || cannot "make device nodes here"
done
mkdir -p "$root/run/udev/data"
for file in dmsetup/table proc/self/mountinfo proc/swaps proc/meminfo run/udev/data/b8:0; do
    rm -f "$root/$file"
    mknod "$root/$file" c 1 5
done
