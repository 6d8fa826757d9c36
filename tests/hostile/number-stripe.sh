# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: chunk times disks overflows
raid5_root
md=$root/sys/devices/virtual/block/md0
echo 9223372036854775296 >"$md/md/chunk_size"
echo 2147483647 >"$md/md/raid_disks"
echo 9223372036854775296 >"$md/queue/minimum_io_size"
