# SPDX-License-Identifier: MIT
# summary: RAID-0 of 4, LV left at 256: gets the array's value, and 8192 by a rule and SIGHUP
# boot: shared
# timeout: 180

expect_restart
systemctl stop setrad.service

slow_disks 4 1024 10
md_create md0 0 64 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq VolGroup00 /dev/md0
lvcreate -qq -y -Wn -Zn -r 256 -n LogVol00 -L 2g VolGroup00
lv=/dev/VolGroup00/LogVol00
array=$(ra /dev/md0)
assert_eq "$array" 1024 "readahead of the array"
assert_eq "$(ra $lv)" 256 "readahead of the LV"

# hdparm -t: its figure in MB/s
hdparm_mbps() { hdparm -t "$1" | tee /dev/stderr | sed -n 's/.*= *\([0-9.]*\) MB\/sec.*/\1/p'; }

before=$(hdparm_mbps $lv)
systemctl start setrad.service
pid=$(setrad_pid)
wait_until 60 was_changed VolGroup00/LogVol00
assert_eq "$(ra $lv)" "$array" "readahead of the LV by the built-in policy"
note "$(changed_entry VolGroup00/LogVol00 | jq -r .MESSAGE)"

policy 10-known-fix <<'YAML'
version: 1
rules:
  - name: the known fix
    match: {vg: VolGroup00}
    readahead: 8192s
YAML
reload
wait_until 30 ra_is $lv 8192
assert_eq "$(ra $lv)" 8192 "readahead of the LV by the rule"
assert_eq "$(setrad_pid)" "$pid" "the service's process"
setrad_settled
assert_eq "$(changed_entry VolGroup00/LogVol00 | jq -r .SETRAD_RULE)" "the known fix" "the rule in the journal"
after=$(hdparm_mbps $lv)
assert_ratio "$after" "$before" '>' 1.2 "hdparm -t after ÷ before"
