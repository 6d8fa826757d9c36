# SPDX-License-Identifier: MIT
# summary: a change that is pending is left to the process that is at it, and settled once that one is gone
# boot: shared
# timeout: 180

ram_disks 4
md_create md0 5 256 "${disks[@]}"
for map in first second third; do
    dmsetup create $map --table '0 500000 linear /dev/md0 0'
    blockdev --setra 256 /dev/mapper/$map
done
udevadm settle
settings <<'YAML'
version: 1
reconcile: 1h
YAML
policy 10-maps <<'YAML'
version: 1
rules:
  - {name: none yet, match: {name: [first, second, third]}, readahead: keep}
YAML
reload
setrad_settled

ledger=/run/setrad/ledger.json
entry() { jq -r --arg l "$1" ".entries[] | select(.change.label == \$l) | $2" $ledger; }

# The service does not know of this rule until it is told to load it; setractl does.
policy 10-maps <<'YAML'
version: 1
rules:
  - {name: more, match: {name: [first, second, third]}, readahead: 4096s, direction: both, probe: {when: change, time: 3s}}
YAML

# apply MAP [NICE]: setractl applies in a process group of its own; sets the variable applying
apply() {
    set -m
    nice -n "${2:-0}" setractl apply "/dev/mapper/$1" >"$scenario_dir/$1.out" 2>&1 &
    applying=$!
    set +m
}

# is_settled MAP: nothing is pending for it
is_settled() { [ "$(entry "$1" .change.pending)" = false ]; }

# Killed while it measures. Its owner is known, and gone: the next full scan of the service settles it, without a restart.
apply first
wait_until 10 ra_is /dev/mapper/first 4096
kill -KILL -- -$applying
wait $applying || true
assert_eq "$(entry first .change.pending)" true "pending in the ledger after a kill"
assert_eq "$(entry first .change.owner_pid)" "$applying" "owner in the ledger"
pid=$(setrad_pid)
kill -USR1 "$(setrad_pid)"
wait_until 10 is_settled first
assert_eq "$(setrad_pid)" "$pid" "process of the service"
assert_eq "$(entry first .original_sectors) $(entry first .change.new_sectors)" '256 4096' "what is on record"
assert_eq "$(entry first .change.owner_pid)" null "owner of what is settled"

# Before it is settled, too, setractl knows by the value what became of it.
apply second
wait_until 10 ra_is /dev/mapper/second 4096
kill -KILL -- -$applying
wait $applying || true
assert_eq "$(setractl plan --json | jq -c '[.changes[].name]')" "[\"$(kname /dev/mapper/third)\"]" "what is planned"
assert_eq "$(entry second .change.pending)" true "pending after a look"
# Another change puts it on record by the way.
apply third
wait $applying
assert_eq "$(entry second .change.pending)" false "pending after another change"
assert_eq "$(entry second .original_sectors) $(entry second .change.new_sectors)" '256 4096' "what is on record"

# Stopped between record and change, while the service reads all: the entry is that process's, which goes on later.
begun() {
    local text=
    read -r -d '' text <$ledger || true
    [[ $text == *'"pending": true'* ]]
}
# What comes between the two takes less than a millisecond: it may need another attempt.
for attempt in {1..20}; do
    rm -f $ledger
    blockdev --setra 256 /dev/mapper/first
    apply first 19
    until [ -e $ledger ] && begun; do :; done
    kill -STOP -- -$applying
    if ra_is /dev/mapper/first 256; then break; fi
    kill -KILL -- -$applying
    wait $applying || true
done
note "stopped in time at attempt $attempt"
assert_eq "$(ra /dev/mapper/first)" 256 "readahead after the record"
scans=$(scans_made)
kill -USR1 "$(setrad_pid)"
more_scans() { [ "$(scans_made)" -gt "$scans" ]; }
wait_until 10 more_scans
kill -KILL "$(setrad_pid)"
expect_restart
new_pid() { [ "$(setrad_pid)" != "$pid" ] && systemctl is-active --quiet setrad.service; }
policy 10-maps <<'YAML'
version: 1
rules:
  - {name: left alone, match: {name: [first, second, third]}, readahead: keep}
YAML
wait_until 20 new_pid
assert_eq "$(entry first .change.pending)" true "pending after a scan and a restart of the service"
kill -CONT -- -$applying
wait $applying
cat "$scenario_dir/first.out"
assert_eq "$(ra /dev/mapper/first)" 4096 "readahead after the change"
assert_eq "$(entry first '"\(.original_sectors) \(.change.new_sectors) \(.change.pending)"')" '256 4096 false' "what is on record"

# What is on record now is known as setrad's: a value that is set by hand is respected.
policy 10-maps <<'YAML'
version: 1
rules:
  - {name: more, match: {name: [first, second, third]}, readahead: 4096s, direction: both}
YAML
reload
setrad_settled
blockdev --setra 1024 /dev/mapper/first
kill -USR1 "$(setrad_pid)"
wait_until 10 said 'first .*1024'
assert_eq "$(setractl apply)" "Nothing to change." "an apply after somebody has set a value"
assert_eq "$(ra /dev/mapper/first)" 1024 "its readahead"

# The service could not put the end of a change on record, as another program had the ledger: the next full scan does.
expect_error "can't be put on record"
policy 10-maps <<'YAML'
version: 1
rules:
  - {name: left alone, match: {name: [first, second]}, readahead: keep}
  - {name: most, match: {name: [third]}, readahead: 5120s, direction: both, probe: {when: change, time: 3s}}
YAML
reload
wait_until 10 ra_is /dev/mapper/third 5120
flock /run/setrad/lock sleep 8 &
wait_until 10 said "third .*can't be put on record"
wait $!
assert_eq "$(entry third .change.pending)" true "pending after an end that could not be put on record"
assert_eq "$(entry third .change.owner_pid)" "$(setrad_pid)" "its owner"
kill -USR1 "$(setrad_pid)"
wait_until 10 is_settled third
assert_eq "$(entry third '"\(.original_sectors) \(.change.new_sectors)"')" '4096 5120' "what is on record"
