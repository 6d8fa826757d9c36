# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: NUL bytes in attributes, tables and mounts
raid5_root
printf 'vg0\0data\n' >"$root/sys/devices/virtual/block/dm-0/dm/name"
printf 'raid5\0\n' >"$root/sys/devices/virtual/block/md0/md/level"
printf '36 1 253:0 / /a\0b rw - ext4 /dev/x rw\n37 1 253:1 / /c rw - ext4 /dev/y rw\n' >"$root/proc/self/mountinfo"
printf 'vg0-data: 0 2097152 lin\0ear 9:0 0\n' >>"$root/dmsetup/table"
