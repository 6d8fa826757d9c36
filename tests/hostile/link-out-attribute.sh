# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: attributes are links to a secret outside, absolute and relative
raid5_root
dir=$root/sys/devices/virtual/block
for file in dm-0/dm/name dm-1/dm/uuid md0/md/level sda/size sdb/queue/read_ahead_kb; do
    ln -sf "$outside/secret" "$dir/$file"
done
ln -sf "../../../../../../../../../../../../../..$outside/secret" "$dir/dm-1/dm/name"
