# SPDX-License-Identifier: MIT
# summary: while a map is suspended the service answers signals within 1 s, and corrects the map once it is resumed
# boot: shared
# timeout: 120

ram_disks 4
md_create md0 5 256 "${disks[@]}"
linear_map map /dev/md0
linear_map other /dev/md0
wait_until 10 ra_is /dev/mapper/map 3072
setrad_settled
# Another rule, while the map is suspended: there is something to do that has to wait.
dmsetup suspend map
policy 10-maps <<'YAML'
version: 1
rules:
  - {name: more, match: {name: [map, other]}, readahead: 8192s}
YAML
reload
wait_until 10 ra_is /dev/mapper/other 8192
worst=0
for i in {1..5}; do
    took=$(answer_usec)
    if [ "$took" -gt "$worst" ]; then worst=$took; fi
    pause 0.3
done
assert_ratio "$worst" 1000000 '<' 1 "slowest answer of five to SIGUSR1, in seconds"
assert_eq "$(ra /dev/mapper/map)" 3072 "readahead of the suspended map"
assert_eq "$(count_said '^map .*: held: the map is suspended')" 1 "times that the hold was told of"

dmsetup resume map
start=$(now_usec)
wait_until 5 ra_is /dev/mapper/map 8192
note "corrected $((($(now_usec) - start) / 1000)) ms after it was resumed"
wait_until 5 said '^map: no longer held'
