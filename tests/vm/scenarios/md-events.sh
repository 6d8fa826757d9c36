# SPDX-License-Identifier: MIT
# summary: an array that setrad knew before it ran: a member that fails is told of at once, though udev says nothing
# boot: shared
# timeout: 60

ram_disks 4
modprobe md_mod
# In state "clear": degraded and sync_action come when it is run.
echo md77 >/sys/module/md_mod/parameters/new_array
wait_until 10 test -e /dev/md77
setrad_settled
[ ! -e /sys/block/md77/md/degraded ] || fail "the array has md/degraded before it runs"
md_create md77 5 256 "${disks[@]}"
setrad_settled
mdadm --quiet /dev/md77 --fail "${disks[0]}"
wait_until 3 said 'md77: array-degraded: 1 of 4'
note "$(setrad_log | grep -m 1 array-degraded)"
