# SPDX-License-Identifier: MIT
# summary: a suspended map is held, does not stop the service, and is changed when resumed; an inactive array is told of
# boot: shared
# timeout: 120

ram_disks 6
md_create md0 0 256 "${disks[@]::3}"
md_create md1 5 64 "${disks[@]:3}"
linear_map map /dev/md0
linear_map other /dev/md0
setrad_settled 60
assert_eq "$(ra /dev/mapper/map)" 3072 "readahead of the map"

dmsetup suspend map
policy 10-maps <<'YAML'
version: 1
rules:
  - {name: more, match: {name: [map, other]}, readahead: 2 stripes, min: 2MiB}
YAML
reload
wait_until 10 ra_is /dev/mapper/other 4096
start=${EPOCHREALTIME/./}
kill -USR1 "$(setrad_pid)"
wait_until 10 said '^map .*: held: the map is suspended'
# Suspending makes no event: it was the signal.
answer=$(journal_since_start | jq -r 'select(.MESSAGE | test("^map .*: held: ")).__REALTIME_TIMESTAMP')
assert_ratio "$((answer - start))" 1000000 '<' 1 "seconds to the answer to SIGUSR1"
scan_once
setractl scan
assert_layer map dm-linear 256x3=768 4096 3072 suspended
assert_eq "$(of map .action)" hold "action on the map"
assert_eq "$(ra /dev/mapper/map)" 3072 "readahead of the map while suspended"

dmsetup resume map
wait_until 10 ra_is /dev/mapper/map 4096
wait_until 10 said '^map: no longer held'

mdadm --quiet --stop /dev/md1
# As udev does where the other members are missing.
mdadm --quiet --incremental --config=none "${disks[3]}"
setrad_settled
scan_once
setractl scan
assert_layer md1 md-inactive - - 256 array-inactive
