# SPDX-License-Identifier: MIT
# summary: RAID1 with an LV: no stripe, no change; degraded: no probe
# boot: shared
# timeout: 120

slow_disks 2 512 5
md_create md0 1 - "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
lvcreate -qq -y -Wn -Zn -n mail -L 300m vg0
setrad_settled
assert_eq "$(layer md0 .geometry)" null "geometry of the array"
assert_eq "$(layer vg0/mail .geometry)" null "geometry of the LV"
assert_eq "$(layer vg0/mail .action)" keep "action on the LV"
assert_eq "$(setractl plan --json | jq '.changes | length')" 0 "changes planned"

mdadm --quiet --fail /dev/md0 "${disks[1]}"
setrad_settled
assert_eq "$(layer md0 '[.findings[].code | select(. == "array-degraded")] | length')" 1 "array-degraded on md0"
assert_eq "$(layer vg0/mail .geometry)" null "geometry of the LV, degraded"
assert_eq "$(changed_entry vg0/mail || true)" "" "changes made"
assert_eq "$(ra /dev/vg0/mail)" 256 "readahead of the LV"

# A change that somebody asks for is made all the same, but nothing is read for it.
policy 10-mail <<'YAML'
version: 1
rules:
  - name: mail
    match: {lv: mail}
    readahead: 1024s
    probe: {when: change, time: 3s}
YAML
reload
setrad_settled
assert_eq "$(ra /dev/vg0/mail)" 1024 "readahead of the LV by a rule"
entry=$(changed_entry vg0/mail)
note "$(jq -r .MESSAGE <<<"$entry")"
assert_eq "$(jq -r .SETRAD_MBPS_AFTER <<<"$entry")" null "throughput after"
grep -q 'md0 is degraded' <<<"$(jq -r .SETRAD_PROBE_SKIPPED <<<"$entry")" || fail "no reason for the missing probe"
