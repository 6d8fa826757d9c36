# SPDX-License-Identifier: MIT
# summary: setractl apply changes, measures and records; owners, odd names and kill -9 make no difference
# boot: shared
# processor: own
# timeout: 180

expect_restart
systemctl stop setrad.service
slow_disks 4 512 0
md_create md0 5 256 "${disks[@]}"
# A uuid that device-mapper mangles, and a node that is not root's.
dmsetup create odd --uuid 'My odd uuid' --table '0 1000000 linear /dev/md0 0'
dmsetup create plain --table '0 1000000 linear /dev/md0 1000448'
slow_down 5
blockdev --setra 256 /dev/mapper/odd /dev/mapper/plain
chown nobody "$(readlink -f /dev/mapper/odd)"
chmod 600 "$(readlink -f /dev/mapper/odd)"

entry() { jq -r --arg l "$1" ".entries[] | select(.change.label == \$l) | $2" /run/setrad/ledger.json; }

assert_eq "$(setractl apply --dry-run | grep -cE '^(-.* 256|[+].* 3072) sectors ')" 4 "lines of the changes of a dry run"
assert_eq "$(ra /dev/mapper/plain)" 256 "readahead after a dry run"
setractl apply >"$scenario_dir/out"
cat "$scenario_dir/out"
assert_eq "$(grep -c 'readahead 256 → 3072 sectors (1.5 MiB = 2 × stripe width 768 KiB of md0, raid5 4 × 256 KiB); sequential read' "$scenario_dir/out")" 2 "sentences"
for map in odd plain; do
    assert_eq "$(ra "/dev/mapper/$map")" 3072 "readahead of $map"
    assert_eq "$(entry $map .original_sectors)" 256 "original value of $map in the ledger"
    assert_eq "$(entry $map .change.pending)" false "pending in the ledger, $map"
    assert_ratio "$(entry $map .change.after_mbps)" "$(entry $map .change.before_mbps)" '>' 1.5 "gain of $map in the ledger"
    assert_eq "$(entry $map '"\(.change.verdict) \(.change.runs) \(.change.gain_low > 1)"')" "faster 5 true" "verdict, runs and interval of $map in the ledger"
done
assert_eq "$(setractl apply)" "Nothing to change." "a second apply"

# The service, as restricted as it is, changes it too; the first original stays. A value that was set by hand is
# respected, but for who names the device.
blockdev --setra 256 /dev/mapper/odd
assert_eq "$(setractl apply)" "Nothing to change." "an apply after somebody has set a value"
setractl apply --no-probe /dev/mapper/odd
assert_eq "$(ra /dev/mapper/odd)" 3072 "readahead of odd, named"
# rule NAME SECTORS: another number for that map
rule() {
    policy 10-maps <<YAML
version: 1
rules:
  - {name: more, match: {name: [$1]}, readahead: $2s, probe: {when: change, time: 3s}}
YAML
}
rule odd 4096
systemctl start setrad.service
wait_until 30 was_changed odd
assert_eq "$(ra /dev/mapper/odd)" 4096 "readahead of odd by the service"
assert_eq "$(entry odd .original_sectors)" 256 "original value of odd"
setrad_settled

# Killed while it measures: the change was made, and the next process puts that on record.
rule 'odd, plain' 4096
reload
wait_until 10 ra_is /dev/mapper/plain 4096
kill -KILL "$(setrad_pid)"
assert_eq "$(entry plain .change.pending)" true "pending in the ledger after kill -9"
wait_until 30 systemctl is-active --quiet setrad.service
setrad_settled
assert_eq "$(entry plain .change.pending)" false "pending in the ledger after the restart"
assert_eq "$(entry plain .original_sectors)" 256 "original value of plain"

# Stopped while it measures: told of, and on record.
rule plain 5120
reload
wait_until 10 ra_is /dev/mapper/plain 5120
systemctl stop setrad.service
said 'plain (.*readahead 4096 → 5120 .*it was cut short' || fail "no word about the change before the stop: $(setrad_log | tail -n 3)"
assert_eq "$(entry plain .change.pending)" false "pending in the ledger after a stop"

# Another program with the ledger: the change waits for it, the service does not.
systemctl start setrad.service
setrad_settled
flock /run/setrad/lock sleep 4 &
pause 0.3
rule plain 6144
reload
pause 1
assert_eq "$(ra /dev/mapper/plain)" 5120 "readahead while the ledger is locked"
start=${EPOCHREALTIME/./}
kill -USR2 "$(setrad_pid)"
wait_until 2 said 'plain .*target 6144'
note "answered SIGUSR2 in $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
wait $!
wait_until 10 ra_is /dev/mapper/plain 6144
setrad_settled
! said 'has had the ledger .*locked' || fail "four seconds were worth a word"

# One that has it for ever (a tune that was stopped, say) is told of, once; when it lets go, the change is made.
expect_error 'has had the ledger .*locked'
flock /run/setrad/lock sleep 60 &
holder=$!
pause 0.3
rule plain 7168
reload
wait_until 15 said 'another program has had the ledger in /run/setrad locked for 1[0-9] s: no readahead is changed until it lets go'
assert_eq "$(ra /dev/mapper/plain)" 6144 "readahead while the ledger is locked"
pause 5
pkill -P $holder
wait $holder || true
wait_until 15 ra_is /dev/mapper/plain 7168
assert_eq "$(setrad_log | grep -c 'has had the ledger .*locked')" 1 "words about it"
setrad_settled
