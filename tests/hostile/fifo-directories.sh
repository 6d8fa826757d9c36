# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: FIFOs where directories should be
raid5_root
dir=$root/sys/devices/virtual/block
rm -r "$dir/dm-0/slaves" "$dir/md0/md" "$dir/sda/queue" "$root/dmsetup"
mkfifo "$dir/dm-0/slaves" "$dir/md0/md" "$dir/sda/queue" "$root/dmsetup" "$root/sys/class/block/sdx"
