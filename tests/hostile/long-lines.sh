# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: lines of a megabyte, and before them one that is good
raid5_root
line=$(head -c 1000000 /dev/zero | tr '\0' x)
printf '36 1 253:0 / /good rw - ext4 /dev/mapper/vg0-data rw\n%s\n40 1 253:1 / /%s rw - ext4 x rw\n' \
    "$line" "$line" >"$root/proc/self/mountinfo"
printf '%s: 0 8 linear 9:0 0\n' "$line" >>"$root/dmsetup/table"
printf '%s partition 8 0 -2\n' "$line" >>"$root/proc/swaps"
echo "$line" >"$root/sys/devices/virtual/block/dm-0/dm/name"
