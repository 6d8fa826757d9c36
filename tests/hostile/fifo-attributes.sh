# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: FIFOs where attributes should be
raid5_root
dir=$root/sys/devices/virtual/block
for file in dm-0/dm/name dm-0/size md0/md/level md0/md/chunk_size sda/dev sdb/queue/read_ahead_kb; do
    rm "$dir/$file"
    mkfifo "$dir/$file"
done
