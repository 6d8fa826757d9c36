# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: files where directories should be
raid5_root
dir=$root/sys/devices/virtual/block
for name in "$dir"/{dm-0/slaves,md0/md,sda/queue,dm-1/dm} "$root/run" "$root/sys/class/block/sdx"; do
    rm -rf "$name"
    echo 1 >"$name"
done
