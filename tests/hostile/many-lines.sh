# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: a table with a hundred thousand segments, and as many mounts of one device
raid5_root
awk 'BEGIN { printf "vg0-data:"; for (i = 0; i < 100000; i++) printf " %d 8 linear 9:0 %d\nvg0-data:", i * 8, i * 8; print " 800000 8 linear 9:0 0" }' >"$root/dmsetup/table"
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "%d 1 253:0 / /m/%d rw - ext4 /dev/dm-0 rw\n", i + 100, i }' >"$root/proc/self/mountinfo"
