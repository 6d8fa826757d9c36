# SPDX-License-Identifier: MIT
# summary: 500 maps are removed at any moment between scan and change: nothing else is touched, no error, service well
# length: long
# boot: own
# timeout: 600

light_udev
ram_disks 4
md_create md0 5 256 "${disks[@]}"
settings <<'YAML'
version: 1
probe-budget: off
YAML
policy 10-maps <<'YAML'
version: 1
rules:
  - {name: leave, match: {name: [bystander, other*]}, readahead: keep}
  - name: raise and measure
    match: {name: gone54}
    readahead: 8192s
    direction: both
    probe: {when: change, time: 300ms}
  - name: raise
    match: {name: gone*}
    readahead: 8192s
    direction: both
YAML
reload
plain_map bystander 40 /dev/md0
setrad_settled
pid=$(setrad_pid)

# In place of two of five comes another map of the same number and the same readahead, so that nothing but the check of
# which device it is keeps setrad from changing that.
rounds=100 minors=(50 51 52 53 54)
changed=0
for ((i = 0; i < rounds; i++)); do
    for minor in "${minors[@]}"; do plain_map "gone$minor" "$minor" /dev/md0; done
    # Between 0 and 590 ms: before the scan, in it, before the change, while it is measured, after it.
    pause "0.$((i * 7 % 60 / 10))$((i * 7 % 10))"
    for minor in "${minors[@]}"; do
        read_ra "dm-$minor"
        if [ "$sectors" = 8192 ]; then changed=$((changed + 1)); fi
        drop_map "gone$minor"
        if [ "$minor" -ge 53 ]; then plain_map "other$minor" "$minor" /dev/md0; fi
    done
    for minor in 53 54; do
        read_ra "dm-$minor"
        [ "$sectors" = 3072 ] || fail "round $i: the map that took the place of dm-$minor has $sectors sectors"
        drop_map "other$minor"
    done
    if ((i % 20 == 19)); then note "$((i + 1)) rounds after $SECONDS s"; fi
done
setrad_settled 90
all=$((rounds * ${#minors[@]}))
note "of $all maps $changed had been changed when they went"
note "lines about those that were gone: $(count_said 'gone before it could be changed')"
assert_eq "$(ra /dev/dm-40)" 3072 "readahead of the bystander"
assert_eq "$(setrad_pid)" "$pid" "the service's process"
worse=$(journal_since_start | jq -r 'select((.PRIORITY | tonumber) <= 4 and .SETRAD_FINDING == null) | .MESSAGE' | sort | uniq -c)
assert_eq "$worse" "" "warnings"
if [ "$changed" -eq 0 ] || [ "$changed" -eq "$all" ]; then fail "all rounds met the same moment"; fi
