# SPDX-License-Identifier: MIT
# summary: a device goes between plan and apply, and another takes its number and readahead: that is not touched
# boot: own
# timeout: 180

expect_restart
systemctl stop setrad.service
policy 10-victims <<'YAML'
version: 1
rules:
  - name: raise
    match: {name: [victim, ram8, loop5, sd*]}
    readahead: 8192s
    direction: both
YAML
ram_disks 4
md_create md0 5 256 "${disks[@]}"

# plan LABEL [forget-diskseq]: a change is planned, and waits
plan() {
    local line
    coproc stale-apply "$@"
    exec {answers}<&"${COPROC[0]}" {go}>&"${COPROC[1]}"
    read -r line <&"$answers" || fail "nothing is planned for $1"
    note "$line"
}

# apply WANTED WHAT: the change that waits is made, and comes to that
apply() {
    local outcome
    echo >&"$go"
    read -r outcome <&"$answers"
    exec {answers}<&- {go}>&-
    wait
    assert_eq "$outcome" "$1" "$2"
}

# number DEVICE: its device number
number() { stat -c '%t:%T' "$1"; }

# A kernel that has no disk sequence numbers knows a device by its number, and a map by its uuid or else its name, too.
if kernel_since 5.15; then sequence='ESTALE at open'; else sequence='changed at done'; fi

# map UUID NAME: the map of the number 60
map() {
    : "${dm_major:=$(awk '$2 == "device-mapper" { print $1 }' /proc/devices)}"
    dmsetup create "$2" --major "$dm_major" --minor 60 ${1:+--uuid "$1"} --table '0 65536 linear /dev/md0 131072'
    udevadm settle
}

# map_case UUID_BEFORE UUID_AFTER NAME_AFTER WANTED [forget-diskseq]: "-" for none
map_case() {
    local what="a map, uuid $1, then '$3', uuid $2${5+, without disk sequence}" left=3072
    map "${1#-}" victim
    assert_eq "$(ra /dev/dm-60)" 3072 "readahead before"
    plan victim ${5+"$5"}
    dmsetup remove victim
    map "${2#-}" "$3"
    apply "$4" "$what"
    if [ "$4" = 'changed at done' ]; then left=8192; fi
    assert_eq "$(ra /dev/dm-60)" "$left" "readahead of the map that has its number"
    dmsetup remove "$3"
}

map '' victim
plan victim
apply 'changed at done' "a map that stays"
assert_eq "$(ra /dev/dm-60)" 8192 "its readahead"
dmsetup remove victim

map '' victim
plan victim
dmsetup remove victim
apply 'ENODEV at open' "a map that is gone"

map_case uuid-1 uuid-2 victim 'ESTALE at open'
map_case uuid-1 uuid-2 victim 'ESTALE at open' forget-diskseq
map_case uuid-1 uuid-2 other 'ESTALE at open' forget-diskseq
map_case uuid-1 - victim 'ESTALE at open' forget-diskseq
map_case - uuid-2 victim 'ESTALE at open' forget-diskseq
map_case - - victim "$sequence"
map_case - - other 'ESTALE at open'
map_case - - other 'ESTALE at open' forget-diskseq
map_case - - 'o th\er' 'ESTALE at open' forget-diskseq
# A volume that is activated anew is the same one to a kernel without disk sequence numbers.
map_case uuid-1 uuid-1 victim "$sequence"

# disk_case DEVICE WANTED COMMAND…: that makes another disk of the same number
disk_case() {
    local device=$1 wanted=$2 before left
    shift 2
    before=$(number "$device") left=$(ra "$device")
    plan "${device#/dev/}"
    "$@"
    udevadm settle
    assert_eq "$(number "$device")" "$before" "number of the new ${device#/dev/}"
    assert_eq "$(ra "$device")" "$left" "readahead of the new ${device#/dev/}"
    apply "$wanted" "${device#/dev/}, then another"
    if [ "$wanted" = 'changed at done' ]; then left=8192; fi
    assert_eq "$(ra "$device")" "$left" "readahead of the one that has its number"
}

truncate -s 16M "$scenario_dir/first" "$scenario_dir/second"
losetup /dev/loop5 "$scenario_dir/first"
udevadm settle
another_loop() { losetup -d /dev/loop5; udevadm settle; losetup /dev/loop5 "$scenario_dir/second"; }
disk_case /dev/loop5 "$sequence" another_loop

modprobe scsi_debug dev_size_mb=8
udevadm settle
host=/sys/bus/pseudo/drivers/scsi_debug
disk=/dev/$(ls $host/adapter*/host*/target*/*:*/block)
another_scsi() {
    echo -1 >$host/add_host
    udevadm settle
    echo 1 >$host/add_host
    wait_until 5 test -b "$disk"
}
disk_case "$disk" "$sequence" another_scsi

# An array that was changed is stopped, and another is made of its number, which has the same readahead. Where nothing else
# tells them apart, their stacks do.
rm -f /run/setrad/ledger.json
ram_disks 3
policy 10-victims <<'YAML'
version: 1
rules:
  - {name: raise, match: {name: [md1]}, readahead: 8192s, direction: both}
YAML
md_create md1 0 64 "${disks[@]:0:2}"
setractl apply /dev/md1
assert_eq "$(ra /dev/md1)" 8192 "readahead of the array"
mdadm --quiet --stop /dev/md1
md_create md1 0 128 "${disks[@]}"
blockdev --setra 8192 /dev/md1
# The device that was changed is known to be gone, or not.
if kernel_since 5.15; then wanted='is gone'; else wanted='may be another device: left alone'; fi
setractl revert /dev/md1 >"$scenario_dir/revert"
cat "$scenario_dir/revert"
grep -q "md1 .*$wanted" "$scenario_dir/revert" || fail "revert of another array"
assert_eq "$(ra /dev/md1)" 8192 "readahead of the other array"
mdadm --quiet --stop /dev/md1
systemctl start setrad.service
