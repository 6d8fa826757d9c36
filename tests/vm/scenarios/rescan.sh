# SPDX-License-Identifier: MIT
# summary: SIGUSR1 and setractl rescan scan; SIGHUP with a broken policy keeps the old one and says where; the next good one is taken
# boot: shared
# timeout: 120

ram_disks 3
md_create md0 0 128 "${disks[@]}"
dmsetup create map --table "0 1000000 linear /dev/md0 0"
setrad_settled
pid=$(setrad_pid)
assert_eq "$(ra /dev/mapper/map)" 1536 "readahead of the map"

# BLKRASET sends no event: the signal makes setrad look.
policy 10-map <<'YAML'
version: 1
rules:
  - name: first
    match: {name: map}
    readahead: 4096s
    on-drift: reassert
YAML
reload
wait_until 10 ra_is /dev/mapper/map 4096
blockdev --setra 512 /dev/mapper/map
kill -USR1 "$pid"
wait_until 10 ra_is /dev/mapper/map 4096
[ "$(setrad_log | grep -c '^scanned (asked for)')" -ge 1 ] || fail "no word about the scan that SIGUSR1 asked for"
blockdev --setra 512 /dev/mapper/map
setractl rescan
wait_until 10 ra_is /dev/mapper/map 4096
assert_eq "$(setrad_pid)" "$pid" "PID after the rescan"
if setpriv --reuid=65534 --regid=65534 --clear-groups setractl rescan 2>"$scenario_dir/err"; then
    fail "anybody may have the service scan"
fi
grep -q 'rescan needs permission' "$scenario_dir/err" || fail "no word about permission: $(cat "$scenario_dir/err")"

policy 10-map <<'YAML'
version: 1
rules:
  - name: second
    match: {name: map}
    readahead: 2048
YAML
expect_error 'policy refused'
reload
wait_until 10 said 'policy refused'
setrad_log | grep 'policy refused'
setrad_log | grep -q '10-map.yaml:5:16: ' || fail "no file:line:column in the journal"
blockdev --setra 512 /dev/mapper/map
kill -USR1 "$pid"
wait_until 10 ra_is /dev/mapper/map 4096

# An empty file, and one that is no YAML, each in its turn.
: >/etc/setrad/policy.d/10-map.yaml
reload
wait_until 10 said 'policy refused.*10-map.yaml.*empty'
echo '{' >/etc/setrad/policy.d/10-map.yaml
reload
setrad_settled
assert_eq "$(ra /dev/mapper/map)" 4096 "readahead while the policy is broken"
[ "$(setrad_log | grep -c 'policy refused')" -ge 3 ] || fail "not every broken policy was told of"

policy 10-map <<'YAML'
version: 1
rules:
  - name: third
    match: {name: map}
    readahead: 1MiB
    direction: both
YAML
reload
wait_until 10 ra_is /dev/mapper/map 2048
assert_eq "$(setrad_pid)" "$pid" "the service's process"
