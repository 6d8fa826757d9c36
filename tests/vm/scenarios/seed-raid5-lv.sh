# SPDX-License-Identifier: MIT
# summary: RAID5 of 8, LV left at 256 sectors: brought to 7168, and as fast as the array
# boot: shared
# processor: own
# timeout: 180

expect_restart
systemctl stop setrad.service

slow_disks 8 1024 0
md_create md0 5 256 "${disks[@]}"
assert_eq "$(ra /dev/md0)" 7168 "readahead of the array"
pvcreate -qq -y /dev/md0
vgcreate -qq -s 1g VolGroup00 /dev/md0
lvcreate -qq -y -Wn -Zn -r 256 -n LogVol00 -l 4 VolGroup00
lv=/dev/VolGroup00/LogVol00
slow_down 20
assert_eq "$(ra $lv)" 256 "readahead of the LV"
setractl scan

dd_before=$(dd_mbps $lv 16)
systemctl start setrad.service
wait_until 60 was_changed VolGroup00/LogVol00
assert_eq "$(ra $lv)" 7168 "readahead of the LV, corrected"
dd_after=$(dd_mbps $lv 192)
setractl scan

entry=$(changed_entry VolGroup00/LogVol00)
field() { jq -er ".$1 // empty" <<<"$entry" || fail "the journal entry has no field $1"; }
note "$(field MESSAGE)"
assert_eq "$(field SETRAD_DEVICE)" "$(kname $lv)" SETRAD_DEVICE
assert_eq "$(field SETRAD_LABEL)" VolGroup00/LogVol00 SETRAD_LABEL
assert_eq "$(field SETRAD_RA_BEFORE)" 256 SETRAD_RA_BEFORE
assert_eq "$(field SETRAD_RA_AFTER)" 7168 SETRAD_RA_AFTER
assert_eq "$(field SETRAD_RA_TARGET)" 7168 SETRAD_RA_TARGET
assert_eq "$(field SETRAD_FINDING)" readahead-below-array SETRAD_FINDING
note "SETRAD_RULE: $(field SETRAD_RULE)"
before=$(field SETRAD_MBPS_BEFORE) after=$(field SETRAD_MBPS_AFTER) array=$(field SETRAD_MBPS_ARRAY)
assert_ratio "$after" "$before" '>' 1.5 "what the change brought"
assert_ratio "$(field SETRAD_GAIN)" "$(awk "BEGIN { print $after / $before }")" '>' 0.99 "SETRAD_GAIN is their ratio"
low=$(field SETRAD_GAIN_LOW) high=$(field SETRAD_GAIN_HIGH)
assert_ratio "$low" 1 '>' 1 "where the interval begins"
assert_ratio "$(field SETRAD_GAIN)" "$low" '>=' 1 "gain ÷ low end of the interval"
assert_ratio "$high" "$(field SETRAD_GAIN)" '>=' 1 "high end of the interval ÷ gain"
assert_eq "$(field SETRAD_PROBE_VERDICT)" faster SETRAD_PROBE_VERDICT
# median FIGURES: of five, comma separated
median() { tr , '\n' <<<"$1" | sort -g | sed -n 3p; }
for when in BEFORE AFTER; do
    runs=$(field "SETRAD_MBPS_${when}_RUNS")
    note "$(field SETRAD_PROBE_RUNS) runs, MB/s $when: $runs"
    assert_eq "$(tr -cd , <<<"$runs" | wc -c)" 4 "commas in SETRAD_MBPS_${when}_RUNS"
    assert_eq "$(median "$runs")" "$(field "SETRAD_MBPS_$when")" "median of SETRAD_MBPS_${when}_RUNS"
done
field MESSAGE | grep -Eq ' MB/s \(×[0-9.]+, [0-9.]+ to [0-9.]+, 5 runs\)$' || fail "the sentence has no interval"

ledger=$(jq '.entries[]' /run/setrad/ledger.json)
note "ledger: $(jq -c '{name, original_sectors, change}' <<<"$ledger")"
assert_eq "$(jq .original_sectors <<<"$ledger")" 256 "original value in the ledger"
assert_eq "$(jq .change.new_sectors <<<"$ledger")" 7168 "new value in the ledger"
assert_eq "$(jq .change.pending <<<"$ledger")" false "pending in the ledger"
assert_ratio "$(jq .change.after_mbps <<<"$ledger")" "$after" '>' 0.99 "the ledger's figure ÷ the journal's"
assert_eq "$(jq -r '"\(.change.verdict) \(.change.runs)"' <<<"$ledger")" "faster 5" "verdict and runs in the ledger"
assert_ratio "$(jq .change.gain_low <<<"$ledger")" "$low" '>' 0.99 "low end of the interval in the ledger ÷ the journal's"
assert_ratio "$(jq .change.gain_high <<<"$ledger")" "$high" '>' 0.99 "high end of the interval in the ledger ÷ the journal's"

assert_ratio "$before" "$array" '<' 0.6 "LV ÷ array before"
assert_ratio "$after" "$array" '>=' 0.95 "LV ÷ array after"
assert_ratio "$before" "$dd_before" '>' 0.75 "journal's figure before ÷ dd's"
assert_ratio "$before" "$dd_before" '<' 1.25 "journal's figure before ÷ dd's"
assert_ratio "$after" "$dd_after" '>' 0.75 "journal's figure after ÷ dd's"
assert_ratio "$after" "$dd_after" '<' 1.25 "journal's figure after ÷ dd's"
journalctl --quiet --catalog --unit=setrad.service --after-cursor="$journal_cursor" | grep -q 'Subject: The readahead of VolGroup00/LogVol00 was changed' ||
    fail "journalctl -x has no text for the change"
