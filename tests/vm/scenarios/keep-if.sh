# SPDX-License-Identifier: MIT
# summary: a change that makes reading slower is put back where keep-if asks for that, not tried again, and can be reverted
# boot: shared
# processor: own
# timeout: 240

expect_restart
systemctl stop setrad.service
slow_disks 4 512 0
md_create md0 5 256 "${disks[@]}"
dmsetup create lowered --table '0 524288 linear /dev/md0 0'
dmsetup create raised --table '0 524288 linear /dev/md0 524288'
slow_down 10
blockdev --setra 3072 /dev/mapper/lowered
blockdev --setra 256 /dev/mapper/raised

# lower_to SECTORS CONDITION
lower_to() {
    policy 10-lower <<EOF
version: 1
rules:
  - name: tiny
    match: {name: lowered}
    readahead: $1s
    direction: both
    probe: {keep-if: "$2"}
EOF
}
entry() { jq -r --arg l "$1" ".entries[] | select(.change.label == \$l) | $2" /run/setrad/ledger.json; }

lower_to 64 'gain >= 0.97'
policy 20-raise <<'EOF'
version: 1
rules:
  - {name: more, match: {name: raised}, readahead: auto, probe: {keep-if: "gain > 1.2"}}
EOF
setractl apply >"$scenario_dir/out"
cat "$scenario_dir/out"
grep -Eq '^lowered \(dm-[0-9]+ on md0\): readahead 3072 → 64 sectors \(32 KiB, .*\); sequential read [0-9.]+ → [0-9.]+ MB/s \(×0\.[0-9]+, 0\.[0-9]+ to 0\.[0-9]+, slower, 5 runs\): put back to 3072 sectors, as keep-if "gain >= 0.97" asks$' \
    "$scenario_dir/out" || fail "no word that it was put back"
assert_eq "$(grep -c '^raised .*readahead 256 → 3072 .*, 5 runs)$' "$scenario_dir/out")" 1 "what is faster and stays"
assert_eq "$(ra /dev/mapper/lowered) $(ra /dev/mapper/raised)" "3072 3072" "readahead after apply"
assert_eq "$(entry lowered '[.original_sectors, .change.new_sectors, .change.pending, .change.reverted, .change.put_back, .change.kept_sectors] | map(tostring) | join(" ")')" \
    "3072 64 false false true null" "the ledger: original, tried, pending, reverted, put back, given before"
assert_ratio "$(entry lowered .change.gain)" 1 '<' 0.97 "gain in the ledger"
assert_eq "$(entry lowered '[.change.verdict, .change.runs, .change.gain_low <= .change.gain, .change.gain <= .change.gain_high, .change.gain_high < 1] | map(tostring) | join(" ")')" \
    "slower 5 true true true" "verdict, runs and interval in the ledger"

assert_eq "$(setractl apply)" "Nothing to change." "a second apply"
setractl apply /dev/mapper/lowered >"$scenario_dir/out"
assert_eq "$(grep -c '^lowered .*readahead 3072 → 64 .*put back to 3072 sectors' "$scenario_dir/out")" 1 "tried again, as it was named"
setractl explain /dev/mapper/lowered | grep 'keep-if has put it back' || fail "explain does not say that it was put back"
assert_eq "$(setractl revert --dry-run lowered)" "lowered ($(kname /dev/mapper/lowered)) has its original 3072 sectors" \
    "revert of what has nothing of setrad's"

# stepped_to SECTORS [PROBE]
stepped_to() {
    policy 30-stepped <<EOF
version: 1
rules:
  - {name: step, match: {name: stepped}, readahead: $1s, direction: both${2:+, probe: $2}}
EOF
    setractl apply >"$scenario_dir/out"
    cat "$scenario_dir/out"
}
stepped() {
    entry stepped '[.original_sectors, .change.new_sectors, .change.reverted, .change.put_back, .change.kept_sectors] |
        map(tostring) | join(" ")'
}

# Of a device that was changed before, what it was given then is put back, and revert goes from there to its original value.
dmsetup create stepped --table '0 524288 linear /dev/md0 1048576'
blockdev --setra 256 /dev/mapper/stepped
stepped_to 1024
assert_eq "$(ra /dev/mapper/stepped)" 1024 "readahead of stepped, raised"
stepped_to 64 '{keep-if: "gain >= 0.97"}'
grep -q '^stepped .*readahead 1024 → 64 .*slower, 5 runs): put back to 1024 sectors, as keep-if' "$scenario_dir/out" ||
    fail "no word that stepped was put back"
assert_eq "$(ra /dev/mapper/stepped)" 1024 "readahead of stepped, put back"
assert_eq "$(stepped)" "256 64 false true 1024" "the ledger: original, tried, reverted, put back, given before"
assert_eq "$(setractl apply)" "Nothing to change." "apply after keep-if"
assert_eq "$(setractl revert stepped)" \
    "stepped ($(kname /dev/mapper/stepped)): readahead 1024 → 256 sectors, its original value" "revert after keep-if"
assert_eq "$(ra /dev/mapper/stepped)" 256 "readahead of stepped, reverted"
assert_eq "$(stepped)" "256 64 true false null" "the ledger after revert"
assert_eq "$(setractl apply)" "Nothing to change." "apply after revert"
setractl explain /dev/mapper/stepped | grep 'its original value was put back' || fail "explain does not say that it was reverted"

systemctl start setrad.service
setrad_settled
assert_eq "$(changes_made)" "" "changes by the service"
assert_eq "$(ra /dev/mapper/lowered)" 3072 "readahead under the service"

# Another number is another decision: the service tries it, once.
lower_to 128 'gain >= 0.97'
reload
wait_until 30 said '^lowered .*readahead 3072 → 128 .*slower, 5 runs): put back to 3072 sectors, as keep-if'
assert_eq "$(ra /dev/mapper/lowered)" 3072 "readahead after the service has tried"
setrad_settled
setrad_settled
assert_eq "$(count_said 'put back to')" 1 "times that it was tried"
assert_eq "$(entry lowered '[.original_sectors, .change.new_sectors, .change.reverted, .change.put_back] | map(tostring) | join(" ")')" \
    "3072 128 false true" "the ledger: original, tried, reverted, put back"

# A loss that the rule puts up with stays.
lower_to 192 'gain >= 0.001'
reload
wait_until 30 said '^lowered .*readahead 3072 → 192 .*slower, 5 runs)$'
assert_eq "$(ra /dev/mapper/lowered)" 192 "readahead with a loss that the rule allows"
