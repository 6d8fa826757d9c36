# SPDX-License-Identifier: MIT
# summary: an LVM raid5 gets a fourth data disk, then another chunk, with a map above: held meanwhile, then led to the new stripe; a mirror is filled, and loses half
# boot: own
# timeout: 400

# KiB/s of a reshape, for all arrays of the machine.
speed() { echo "$1" | tee /proc/sys/dev/raid/speed_limit_min >/proc/sys/dev/raid/speed_limit_max; }

# status_says WORD: what the kernel says that the array does
status_says() { [[ " $(dmsetup status vg0-lv) " == *" $1 "* ]]; }

# table_says WORD
table_says() { [[ " $(dmsetup table vg0-lv) " == *" $1 "* ]]; }

# assert_held: while the reshape runs
assert_held() {
    wait_until 20 status_says reshape
    # LVM has taken delta_disks and data_offset out of the table again: only the status tells.
    wait "$1"
    dmsetup table vg0-lv
    dmsetup status vg0-lv
    if table_says delta_disks || table_says data_offset; then fail "the table says itself that there is a reshape"; fi
    setrad_settled 60
    scan_once
    status_says reshape || fail "the reshape was over before it was looked at"
    # LVM and the kernel change the readahead of the LV meanwhile; what is found about that is true, but not the matter.
    assert_eq "$(of vg0/lv '[.geometry, .target_sectors, .action, (.findings[].code | select(. == "array-reshaping"))] | tostring')" \
        '[null,null,"hold","array-reshaping"]' "geometry, target, action and finding of the LV"
    assert_eq "$(of over '[.geometry, .target_sectors] | tostring')" '[null,null]' "geometry and target of the map above"
    assert_eq "$(of over .action)" hold "action on the map above"
    assert_eq "$(of over .reason)" "vg0/lv is being reshaped" "why"
    assert_eq "$(setractl plan --json | jq -c '[.held[].label] | sort')" '["over","vg0/lv"]' "held in the plan"
    setractl capture --force reshaping.tar 2>/dev/null
    assert_eq "$(setractl plan --json --root reshaping.tar 2>/dev/null | jq -c '[.held[].label] | sort')" \
        '["over","vg0/lv"]' "held in the plan for a capture of this moment"
    said 'over .*: held: vg0/lv is being reshaped' || fail "nobody was told that it is held"
}

policy 10-lvm <<'EOF'
version: 1
rules:
  - {name: over LVM's arrays, match: {over: dm-raid5}, readahead: auto}
  - {name: LVM's arrays, match: {kind: dm-raid5}, readahead: auto}
EOF
reload
slow_disks 5 128 0
pvcreate -qq -y "${disks[@]}"
vgcreate -qq vg0 "${disks[@]}"
lvcreate -qq -y -Wn -Zn --type raid5 -i 3 -I 64k -n lv -L 96m vg0
wait_until 30 status_says idle
dmsetup create over --readahead 256 --table "0 131072 linear /dev/vg0/lv 0"
wait_until 20 ra_is /dev/mapper/over 1024
setrad_settled 60
scan_once
# LVM counts parity, too; the map above follows what the array has.
assert_layer vg0/lv dm-raid5 64x3=192 768 1024
assert_layer over dm-linear 64x3=192 1024 1024

note "a fourth data disk"
speed 500
lvconvert -qq -y --stripes 4 vg0/lv &
assert_held $!
speed 200000
wait_until 60 status_says idle
# The array has grown, which is an event: nobody asks for a scan.
wait_until 20 ra_is /dev/mapper/over 1280
wait_until 20 said 'over: no longer held'
setrad_settled 60
scan_once
assert_layer vg0/lv dm-raid5 64x4=256 1024 1280
assert_layer over dm-linear 64x4=256 1280 1280 geometry-stale

note "chunks of 128 KiB"
speed 500
lvconvert -qq -y --stripesize 128k vg0/lv &
assert_held $!
speed 200000
wait_until 60 status_says idle
# Its size is the same: there is no event, so that setrad is told to look.
setrad_settled 60
setrad_log
scan_once
assert_layer vg0/lv dm-raid5 128x4=512 2048 2560
assert_layer over dm-linear 128x4=512 2560 2560 geometry-stale
assert_eq "$(changes_made)" "over 1024 1280
over 1280 2560
over 256 1024" "changes made"

# mirror_says WORD
mirror_says() { [[ " $(dmsetup status vg0-mirror) " == *" $1 "* ]]; }

# mirror_state: what is found about the state of its members
mirror_state() { of vg0/mirror '[.findings[] | select(.code | test("^array-")) | "\(.code): \(.text)"] | join("; ")'; }

note "a volume that becomes a mirror"
policy 10-lvm <<'EOF'
version: 1
rules:
  - {name: whole mirrors, match: {kind: dm-raid1}, readahead: 2048s, hold: [array-degraded, array-resyncing]}
  - {name: over mirrors, match: {name: copy, over: dm-raid1}, readahead: 1024s, probe: {when: change, time: 3s}}
EOF
reload
lvcreate -qq -y -Wn -Zn -n mirror -L 48m vg0 "${disks[0]}"
dmsetup create copy --readahead 256 --table "0 65536 linear /dev/vg0/mirror 0"
speed 500
lvconvert -qq -y --type raid1 -m 1 vg0/mirror "${disks[1]}"
wait_until 20 mirror_says recover
setrad_settled 60
scan_once
dmsetup status vg0-mirror
mirror_says recover || fail "the recovery was over before it was looked at"
assert_eq "$(mirror_state)" "array-degraded: 1 of 2 members is missing or failed; array-resyncing: a recovery is running, \
less than 10 % done: it competes with reads" "state of a mirror whose second half is filled"
assert_eq "$(of vg0/mirror '[.action, .reason] | join(": ")')" \
    "hold: rule 'whole mirrors' waits while vg0/mirror is degraded" "action on the mirror"
said 'vg0/mirror .*: held: rule .whole mirrors. waits while vg0/mirror is degraded' || fail "nobody was told that it is held"
assert_eq "$(ra /dev/mapper/copy)" 1024 "readahead of the map above, which waits for nothing"
assert_eq "$(changed_entry copy | jq -r .SETRAD_PROBE_SKIPPED)" "vg0/mirror is degraded (1 of 2 members missing)" \
    "why it was not measured"

speed 200000
wait_until 60 mirror_says idle
# There is no event, either, but what is held is looked at now and then.
wait_until 30 ra_is /dev/vg0/mirror 2048
scan_once
assert_eq "$(mirror_state)" "" "state of the mirror"

note "half of the mirror fails"
failing=${disks[1]##*/}
good=$(dmsetup table "$failing")
dmsetup reload "$failing" --table "0 $(blockdev --getsz "${disks[1]}") error"
dmsetup resume "$failing"
dd if=/dev/zero of=/dev/vg0/mirror bs=4k count=1 oflag=direct status=none
wait_until 20 mirror_says AD
setrad_settled 60
scan_once
assert_eq "$(mirror_state)" "array-degraded: 1 of 2 members is missing or failed" "state of half a mirror"
dmsetup reload "$failing" --table "$good"
dmsetup resume "$failing"
