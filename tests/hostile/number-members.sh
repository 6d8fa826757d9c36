# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: an array of a hundred thousand disks of which two are there; slots that are none
raid5_root
md=$root/sys/devices/virtual/block/md0/md
echo 100000 >"$md/raid_disks"
echo 99999 >"$md/dev-sda/slot"
echo 100001 >"$md/dev-sdb/slot"
echo -2 >"$md/dev-sdc/slot"
echo 3 >"$md/dev-sdd/slot"
mkdir "$md/dev-" "$md/dev-../" "$md/dev-x y" 2>/dev/null
