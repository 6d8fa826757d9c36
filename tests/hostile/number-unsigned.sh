# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is the largest of 64 bits
raid5_root
dir=$root/sys/devices/virtual/block
for file in \
    sda/size sda/dev sda/queue/read_ahead_kb sda/queue/minimum_io_size sda/queue/optimal_io_size \
    md0/md/chunk_size md0/md/raid_disks md0/md/layout md0/md/degraded md0/md/dev-sda/slot md0/queue/read_ahead_kb \
    md0/queue/minimum_io_size md0/queue/optimal_io_size md0/queue/logical_block_size md0/queue/physical_block_size \
    dm-0/size dm-0/queue/read_ahead_kb dm-0/queue/optimal_io_size dm-0/alignment_offset; do
    printf '%s\n' '18446744073709551615' >"$dir/$file"
done
