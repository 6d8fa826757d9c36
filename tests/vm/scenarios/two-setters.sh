# SPDX-License-Identifier: MIT
# summary: against a script that sets 256 twice a second, with and without events, setrad gives up with one warning each
# boot: shared
# processor: own
# timeout: 180

settings <<'YAML'
version: 1
reconcile: 10s
reassert-limit: 2
drift-limit: 4
YAML
policy 10-lv <<'YAML'
version: 1
rules:
  - name: mine
    match: {vg: vg0}
    readahead: 3072s
    direction: both
    on-drift: reassert
YAML
reload
ram_disks 4
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
lvcreate -qq -y -Wn -Zn -n quiet -L 64m vg0
lvcreate -qq -y -Wn -Zn -n loud -L 64m vg0
wait_until 10 ra_is /dev/vg0/quiet 3072
wait_until 10 ra_is /dev/vg0/loud 3072
setrad_settled

loud=/sys/class/block/$(kname /dev/vg0/loud)
seconds=35
ticks=$(cpu_ticks)
scans=$(scans_made)
for ((i = 0; i < seconds * 2; i++)); do
    blockdev --setra 256 /dev/vg0/quiet /dev/vg0/loud
    echo change >"$loud/uevent"
    pause 0.5
done
setrad_log
assert_eq "$(count_said 'vg0/quiet .*it is set again')" 2 "times that vg0/quiet was set again"
# A look between the value and its event takes it for one that was set without.
assert_eq "$(count_said 'vg0/loud .*put it back; it is set again')" 4 "times that vg0/loud was set again"
assert_eq "$(count_said 'vg0/quiet .*gave up')" 1 "times that it gave up on vg0/quiet"
assert_eq "$(count_said 'vg0/loud .*gave up')" 1 "times that it gave up on vg0/loud"
warnings=$(journal_since_start | jq -rs 'map(select((.PRIORITY | tonumber) <= 4 and (.MESSAGE | test("vg0/")))) | length')
assert_eq "$warnings" 2 "warnings about the two"
ticks=$(($(cpu_ticks) - ticks))
assert_ratio "$ticks" "$((seconds * 100))" '<' 0.1 "share of a processor in $seconds s"
assert_eq "$(ra /dev/vg0/quiet)" 256 "readahead that the script wanted"
# Last, as asking for a scan makes setrad try again.
scans=$(($(scans_made) - scans - 1))
assert_ratio "$scans" "$((seconds * 2))" '<=' 1.3 "scans, one for each event and some"
