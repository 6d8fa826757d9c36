# SPDX-License-Identifier: MIT
# summary: an LV that appears at 256 is corrected within 2 s; one that goes away in a burst costs a line
# boot: shared
# processor: own
# timeout: 240

ram_disks 4
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
setrad_settled

# uevent_time KNAME: when udev told of the first event of that device, in seconds since boot
uevent_time() { awk -v d="/$1" '$1 == "UDEV" && index($4, d) { gsub(/[][]/, "", $2); print $2; exit }' "$scenario_dir/events"; }

udevadm monitor --udev --subsystem-match=block >"$scenario_dir/events" &
monitor=$!
pause 1
lvcreate -qq -y -Wn -Zn -r 256 -n new -L 64m vg0 &
until [ -e /dev/vg0/new ]; do pause 0.02; done
until [ "$(ra /dev/vg0/new)" = 3072 ]; do
    pause 0.02
    [ "$SECONDS" -lt 60 ] || fail "the LV was not corrected"
done
read -r corrected _ </proc/uptime
wait $!
kill $monitor
event=$(uevent_time "$(kname /dev/vg0/new)")
assert_ratio "$(awk "BEGIN { print $corrected - $event }")" 1 '<=' 2 "seconds from its uevent to the corrected LV"

for i in {1..25}; do
    lvcreate -qq -y -Wn -Zn -r 256 -n "burst$i" -L 8m vg0
    lvremove -qq -y "vg0/burst$i"
done
lvcreate -qq -y -Wn -Zn -r 256 -n last -L 64m vg0
setrad_settled 60
assert_eq "$(ra /dev/vg0/last)" 3072 "readahead of the LV that stayed"
assert_eq "$(ra /dev/vg0/new)" 3072 "readahead of the first"
worse=$(journal_since_start | jq -r 'select((.PRIORITY | tonumber) <= 4 and .SETRAD_FINDING == null) | .MESSAGE')
assert_eq "$worse" "" "warnings about the burst"
# How many meet the moment between scan and change is chance; each costs one line, and that is not a warning.
note "lines about those that were gone: $(setrad_log | grep -c 'gone before' || true) in 25 removals"

# A burst of events is one scan: at most one a second, and one when it is quiet again.
scans() {
    setrad_settled
    last_logged SETRAD_SCANS
}
# bursts: of the events that udev told of, in order; those that udev itself is late with are bursts of their own
bursts() { awk '$1 == "UDEV" { gsub(/[][]/, "", $2); if ($2 - last >= 0.15) n++; last = $2 } END { print n + 0 }' "$scenario_dir/burst"; }

before=$(scans)
udevadm monitor --udev --subsystem-match=block >"$scenario_dir/burst" &
monitor=$!
pause 1
start=$SECONDS
for i in {1..50}; do echo change >"/sys/class/block/$(kname /dev/vg0/new)/uevent"; done
udevadm settle
took=$((SECONDS - start))
# setrad_settled asks for one scan itself.
count=$(($(scans) - before - 1))
kill $monitor
wait $monitor || true
note "scans for 50 events in $took s, $(bursts) bursts: $count"
if [ "$count" -lt 1 ] || [ "$count" -gt $((took + 2 + $(bursts))) ]; then fail "50 events in $took s made $count scans"; fi
