# SPDX-License-Identifier: MIT
# summary: tune of a mixed workload shows what random reads fetch; its rule, chart and picture; what it refuses
# boot: shared
# processor: own
# timeout: 240

expect_restart
slow_disks 4 256 0
md_create md0 0 64 "${disks[@]}"
slow_down 10
setrad_settled
before=$(ra /dev/md0)

# A link that lies where the picture goes is replaced, and what it leads to stays.
echo precious >"$scenario_dir/others"
ln -s others "$scenario_dir/md0.svg"
setractl tune /dev/md0 --bytes=32MiB --workload mixed --json --svg "$scenario_dir/md0.svg" --force \
    >"$scenario_dir/tune.json"
assert_eq "$(cat "$scenario_dir/others")" precious "what a link leads to"
assert_eq "$(stat -c '%F %a' "$scenario_dir/md0.svg")" "regular file 644" "the picture"
jq -c '.values[] | [.readahead_sectors, .median_mbps, .amplification, .bytes_read]' "$scenario_dir/tune.json"
assert_eq "$(ra /dev/md0)" "$before" "readahead after tune"
# A fault makes the kernel fetch a window: 128 KiB are 32 pages, and 2 MiB 512.
assert_ratio "$(jq '.values[] | select(.readahead_sectors == 256) | .amplification' "$scenario_dir/tune.json")" 32 '>=' 0.8 \
    "amplification at 256 sectors, of a window's pages"
assert_ratio "$(jq '.values[] | select(.readahead_sectors == 4096) | .amplification' "$scenario_dir/tune.json")" 512 '>=' 0.8 \
    "amplification at 4096 sectors, of a window's pages"
assert_ratio "$(jq '.values[] | select(.readahead_sectors == 4096) | .amplification' "$scenario_dir/tune.json")" 512 '<=' 1.3 \
    "the same"
grep -q '</svg>' "$scenario_dir/md0.svg" || fail "no picture"

# What it writes is in force after a reload, and is what it chose.
rule=/etc/setrad/policy.d/10-md0.yaml
setractl tune /dev/md0 --bytes=32MiB --write "$rule" | tee "$scenario_dir/out"
grep -q 'systemctl reload setrad' "$scenario_dir/out" || fail "does not say what to type"
chosen=$(sed -n 's/^ *readahead: \([0-9]*\)s$/\1/p' "$rule")
awk 'length($0) > 240 { exit 1 }' "$scenario_dir/out"
setractl check-policy
if setractl tune /dev/md0 --write "$rule" 2>"$scenario_dir/err"; then fail "the file was replaced"; fi
grep -q 'force replaces it' "$scenario_dir/err" || fail "no word of --force"
if setractl tune /dev/md0 --write /dev/null --force 2>"$scenario_dir/err"; then fail "a device was written to"; fi
grep -q '/dev/null is no regular file' "$scenario_dir/err" || fail "no word of what may be replaced"
assert_eq "$(ra /dev/md0)" "$before" "readahead before the reload"
reload
wait_until 30 ra_is /dev/md0 "$chosen"
# It measures what it has changed: tune is to be kept from it by others.
setrad_settled

# Refused: in use, and degraded.
while [ ! -e "$scenario_dir/enough" ]; do dd if=/dev/md0 of=/dev/null bs=1M count=8 iflag=direct status=none; done &
pause 0.5
if setractl tune /dev/md0 2>"$scenario_dir/err"; then fail "measured while others read"; fi
touch "$scenario_dir/enough"
wait
grep -q 'md0 was not measured: md0 is busy: others made' "$scenario_dir/err" || fail "busy: $(<"$scenario_dir/err")"
assert_eq "$(ra /dev/md0)" "$chosen" "readahead after it was refused"

# Interrupted: what was measured so far.
env --default-signal=INT setractl tune /dev/md0 --bytes=128MiB >"$scenario_dir/out" 2>"$scenario_dir/err" &
tuning=$!
pause 6
kill -INT $tuning || fail "it was over already: $(cat "$scenario_dir/out" "$scenario_dir/err")"
status=0
wait $tuning || status=$?
assert_eq "$status" 130 "status of what SIGINT has ended"
cat "$scenario_dir/out" "$scenario_dir/err"
grep -q 'SECTORS' "$scenario_dir/out" || fail "no chart of what was measured so far"
grep -q 'interrupted; md0 has the readahead that it had' "$scenario_dir/err" || fail "no word of the interruption"
assert_eq "$(ra /dev/md0)" "$chosen" "readahead after it was interrupted"
