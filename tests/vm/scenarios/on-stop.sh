# SPDX-License-Identifier: MIT
# summary: on-stop: revert puts every original back, also where a map hangs; figures go to metrics-file
# boot: shared
# timeout: 120

expect_restart
systemctl stop setrad.service
settings <<'YAML'
version: 1
on-stop: revert
workers: 4
metrics-file: /run/setrad/setrad.prom
YAML
ram_disks 4
md_create md0 5 256 "${disks[@]}"
for i in {0..9}; do
    dmsetup create "map$i" --readahead $((256 + i * 8)) --table "0 65536 linear /dev/md0 $((i * 65536))"
done
blockdev --setra 0 /dev/mapper/map9
systemctl start setrad.service
all_are() { local i; for i in {0..8}; do ra_is "/dev/mapper/map$i" "$1" || return 1; done; }
wait_until 30 all_are 3072
setrad_settled
blockdev --setra 1024 /dev/mapper/map8

metric() { awk -v m="$1" '$1 == m { print $2 }' /run/setrad/setrad.prom; }
cat /run/setrad/setrad.prom
assert_eq "$(metric 'setrad_layers{kind="md-raid5"}')" 1 "arrays in the figures"
assert_eq "$(metric 'setrad_layers{kind="dm-linear"}')" 10 "linear maps in the figures"
assert_eq "$(metric setrad_changes_total)" 9 "changes in the figures"
assert_eq "$(metric setrad_held)" 0 "held in the figures"
assert_eq "$(stat -c %a /run/setrad/setrad.prom)" 644 "mode of the figures"

# One that can't be put back now does not keep the others from it.
dmsetup suspend map7
start=$(now_usec)
systemctl stop setrad.service
note "stopped in $((($(now_usec) - start) / 1000)) ms"
for i in {0..6}; do assert_eq "$(ra "/dev/mapper/map$i")" $((256 + i * 8)) "readahead of map$i"; done
assert_eq "$(ra /dev/mapper/map7)" 3072 "readahead of the suspended map"
assert_eq "$(ra /dev/mapper/map8)" 1024 "readahead that somebody has set"
assert_eq "$(ra /dev/mapper/map9)" 0 "readahead that is off"
assert_eq "$(jq -r '[.entries[].change.label] | sort | join(" ")' /run/setrad/ledger.json)" "map7 map8" "left in the ledger"
said 'map8 .*has 1024 sectors, not the 3072 that setrad gave it: left alone' || fail "no word about map8"
said 'setrad stopped; what it has changed was put back as far as that could be' || fail "no word about the stop"
dmsetup resume map7
setractl revert --all
assert_eq "$(ra /dev/mapper/map7)" 312 "readahead of map7, reverted by hand"

# And after the next start all is as before.
settings <<'YAML'
version: 1
YAML
systemctl start setrad.service
wait_until 30 ra_is /dev/mapper/map0 3072
setrad_settled
assert_eq "$(ra /dev/mapper/map8)" 1024 "readahead that somebody had set, after the restart"
