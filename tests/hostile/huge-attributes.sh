# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: attributes of gigabytes (they are sparse)
raid5_root
dir=$root/sys/devices/virtual/block
for file in dm-0/dm/name dm-0/dm/uuid dm-1/size md0/md/level md0/md/chunk_size sda/queue/read_ahead_kb sdb/dev; do
    truncate -s 4G "$dir/$file"
done
