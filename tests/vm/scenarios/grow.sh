# SPDX-License-Identifier: MIT
# summary: raid5 grows from 3 to 4 with an LV above: held while it reshapes, then led to the new stripe
# boot: shared
# timeout: 180

slow_disks 4 128 0
md_create md0 5 256 "${disks[@]::3}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
lvcreate -qq -y -Wn -Zn -n lv -L 64m vg0
setrad_settled
scan_once
assert_layer md0 md-raid5 256x2=512 - 2048
assert_layer vg0/lv dm-linear 256x2=512 2048 2048

mdadm --quiet --add /dev/md0 "${disks[3]}"
echo 2000 >/sys/block/md0/md/sync_speed_max
mdadm --quiet --grow /dev/md0 --raid-devices=4
wait_until 20 grep -q reshape /proc/mdstat
wait_until 20 said 'vg0/lv .*: held: '
grep -q reshape /proc/mdstat || fail "the reshape was over before it was looked at"
scan_once
assert_layer md0 md-raid5 - - 2048 array-reshaping
assert_layer vg0/lv dm-linear - - 2048
assert_eq "$(of vg0/lv .action)" hold "action on the LV"
assert_eq "$(setractl plan --json | jq -c '[.held[].label]')" '["vg0/lv"]' "held in the plan"

# The end of the reshape is an event: nobody asks for a scan.
echo 200000 >/sys/block/md0/md/sync_speed_max
reshaped() { [ "$(</sys/block/md0/md/sync_action)" = idle ]; }
wait_until 60 reshaped
start=$(now_usec)
wait_until 5 ra_is /dev/vg0/lv 3072
note "at its new target $((($(now_usec) - start) / 1000)) ms after the end of the reshape"
wait_until 5 said 'vg0/lv: no longer held'
setrad_settled 60
setrad_log
scan_once
assert_layer md0 md-raid5 256x3=768 - 3072
# LVM put it on a boundary of the old stripe; the limits of a map are worked out when its table is loaded.
assert_layer vg0/lv dm-linear 256x3=768 3072 3072 geometry-stale misaligned-start
assert_eq "$(changes_made)" "vg0/lv 2048 3072" "changes made"
