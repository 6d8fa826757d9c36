# SPDX-License-Identifier: MIT
# summary: a value set by hand is respected and told of once; with on-drift: reassert it is put right a bounded number of times
# boot: shared
# timeout: 180

settings <<'YAML'
version: 1
reconcile: 10s
reassert-limit: 2
YAML
reload
ram_disks 4
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
lvcreate -qq -y -Wn -Zn -r 256 -n lv -L 64m vg0
wait_until 10 ra_is /dev/vg0/lv 3072
setrad_settled

# No event tells of it: the slow look at everything does.
blockdev --setra 1024 /dev/vg0/lv
wait_until 15 said 'vg0/lv .*readahead is 1024 sectors, not the 3072 that setrad set: somebody else has changed it; that is respected'
setrad_settled
setrad_settled
assert_eq "$(ra /dev/vg0/lv)" 1024 "readahead after two more looks"
assert_eq "$(count_said 'that is respected')" 1 "times it was told of"
assert_eq "$(layer vg0/lv .action)" keep "action in the scan"
systemctl restart setrad.service
expect_restart
setrad_settled
assert_eq "$(ra /dev/vg0/lv)" 1024 "readahead after a restart of the service"

# The stack changes: it is setrad's business again.
lvextend -qq -L 128m vg0/lv
wait_until 5 ra_is /dev/vg0/lv 3072

# So it is when the rule changes.
setrad_settled
blockdev --setra 1024 /dev/vg0/lv
setrad_settled
assert_eq "$(ra /dev/vg0/lv)" 1024 "readahead before the rule changes"
policy 10-lv <<'YAML'
version: 1
rules:
  - name: mine
    match: {lv: lv}
    readahead: 4096s
    direction: both
    on-drift: reassert
YAML
reload
wait_until 5 ra_is /dev/vg0/lv 4096
setrad_settled

# Reassert: twice an hour and no more.
for time in 1 2; do
    blockdev --setra 1024 /dev/vg0/lv
    wait_until 15 ra_is /dev/vg0/lv 4096
    note "put right for the $time. time"
done
blockdev --setra 1024 /dev/vg0/lv
wait_until 15 said 'vg0/lv .*gave up'
pause 12
assert_eq "$(ra /dev/vg0/lv)" 1024 "readahead after it gave up"
assert_eq "$(count_said 'vg0/lv .*gave up')" 1 "times it said so"
assert_eq "$(count_said 'somebody else has changed it; it is set again')" 2 "times it was put right"
kill -USR1 "$(setrad_pid)"
wait_until 5 ra_is /dev/vg0/lv 4096
