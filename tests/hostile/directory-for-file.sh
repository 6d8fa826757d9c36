# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: directories where files should be
raid5_root
dir=$root/sys/devices/virtual/block
for file in "$dir"/{dm-0/dm/name,dm-0/size,md0/md/level,sda/queue/read_ahead_kb,sdb/dev} \
    "$root"/{dmsetup/table,proc/self/mountinfo,proc/swaps,proc/meminfo}; do
    rm "$file"
    mkdir "$file"
done
