# SPDX-License-Identifier: MIT
# summary: 500 maps are removed at any moment between scan and change: nothing else is touched, no error, service well
# boot: own
# timeout: 420

ram_disks 4
md_create md0 5 256 "${disks[@]}"
# One that nobody may touch: its minor is taken and left again by others all the while.
dmsetup create bystander --readahead 512 --table '0 65536 linear /dev/md0 0'
policy 10-maps <<'YAML'
version: 1
rules:
  - {name: leave, match: {name: [bystander, other*]}, readahead: keep}
  - name: raise
    match: {name: gone*}
    readahead: auto
    direction: both
YAML
reload
setrad_settled
pid=$(setrad_pid)
bystander=$(ra /dev/mapper/bystander)

rounds=500
changed=0
for ((i = 0; i < rounds; i++)); do
    dmsetup create "gone$i" --readahead 256 --table '0 65536 linear /dev/md0 65536' --noudevsync
    # Between 0 and 400 ms: before the scan, in it, before the change, while it is measured, after it.
    pause "0.$((i * 37 % 40 / 10))$((i * 37 % 10))"
    if ra_is "/dev/mapper/gone$i" 3072 2>/dev/null; then changed=$((changed + 1)); fi
    until dmsetup remove --noudevsync "gone$i" 2>/dev/null; do pause 0.05; done
    # The same minor, for another map.
    dmsetup create "other$i" --readahead 1024 --table '0 65536 linear /dev/md0 131072' --noudevsync
    pause 0.02
    assert_other=$(ra "/dev/mapper/other$i")
    [ "$assert_other" = 1024 ] || fail "round $i: the map that took its place has $assert_other sectors"
    until dmsetup remove --noudevsync "other$i" 2>/dev/null; do pause 0.05; done
done
setrad_settled 90
note "in $rounds rounds $changed maps had been changed when they went"
note "lines about those that were gone: $(count_said 'gone before it could be changed')"
assert_eq "$(ra /dev/mapper/bystander)" "$bystander" "readahead of the bystander"
assert_eq "$(setrad_pid)" "$pid" "the service's process"
worse=$(journal_since_start | jq -r 'select((.PRIORITY | tonumber) <= 4 and .SETRAD_FINDING == null) | .MESSAGE' | sort | uniq -c)
assert_eq "$worse" "" "warnings"
if [ "$changed" -eq 0 ] || [ "$changed" -eq "$rounds" ]; then fail "all rounds met the same moment"; fi
