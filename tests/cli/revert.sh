#!/bin/bash
# SPDX-License-Identifier: MIT
# setractl revert --dry-run over a captured root; what it does to devices is a scenario of tests/vm.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

# entry NAME MAJOR MINOR UUID LABEL ORIGINAL NEW PENDING REVERTED: one of the ledger's
entry() {
    printf '{"name":"%s","major":%s,"minor":%s,"diskseq":null,"dm_uuid":"%s","original_sectors":%s,' "$1" "$2" "$3" "$4" "$6"
    printf '"previous":null,"change":{"pending":%s,"reverted":%s,"label":"%s","rule":"r",' "$8" "$9" "$5"
    printf '"new_sectors":%s,"time_usec":1,"before_mbps":null,"after_mbps":null,"gain":null}}' "$7"
}

# ledger ENTRY…
ledger() {
    mkdir -p "$root/run/setrad"
    (IFS=,; printf '{"version":1,"entries":[%s]}\n' "$*") >"$root/run/setrad/ledger.json"
}

uuid=${lvm_uuid}000000000000000000000000000000a
raid5_root
map dm-2 vg0-held ${uuid}3 1 '0 2097152 linear 9:0 4200960'
block dm-2 253:2 2097152 4096 262144 1835008
over dm-2 md0
mkdir -p "$root/sys/devices/virtual/block/sdz/sdz1"
echo 1 >"$root/sys/devices/virtual/block/sdz/sdz1/partition"
echo 65:145 >"$root/sys/devices/virtual/block/sdz/sdz1/dev"
echo 2048 >"$root/sys/devices/virtual/block/sdz/sdz1/start"
echo 2048 >"$root/sys/devices/virtual/block/sdz/sdz1/size"
ln -s ../../devices/virtual/block/sdz/sdz1 "$root/sys/class/block/sdz1"

run 0 revert --root "$root" --dry-run --all
expect out '^Nothing to put back\.$'
one_line out
run 0 revert --root "$root" --dry-run vg0/data
expect out '^vg0/data \(dm-0\) was not changed by setrad$'
run 1 revert --root "$root" --dry-run vg0/nope
expect err "^setractl: no block device or mount point 'vg0/nope', and setrad has changed none of that name$"
empty out

ledger "$(entry dm-0 253 0 ${uuid}1 vg0/data 8 256 false false)" \
    "$(entry dm-1 253 1 ${uuid}2 vg0/home 256 3072 false false)" \
    "$(entry dm-2 253 2 ${uuid}3 vg0/held 256 4096 false false)" \
    "$(entry dm-9 253 9 ${uuid}9 vg0/gone 256 4096 true false)" \
    "$(entry dm-8 253 8 CRYPT-x crypt 256 4096 false false)" \
    "$(entry md0 9 0 '' md0 512 7168 false true)" \
    "$(entry sdz 65 144 '' sdz 256 8192 true false)"
cp "$root/run/setrad/ledger.json" "$work/ledger"

# All but what was reverted before; a map that is suspended now is a failure.
run 1 revert --root "$root" --dry-run --all
golden revert-dry-run
expect out '^vg0/data \(dm-0\): readahead 256 → 8 sectors, its original value$'
expect out '^vg0/home \(dm-1\) has 7168 sectors, not the 3072 that setrad gave it: left alone$'
expect out '^vg0/gone \(dm-9\) is gone: there is nothing to put back$'
expect out '^sdz has its original 256 sectors$'
[ "$(wc -l <"$work/out")" -eq 5 ] || fail "$last: not five lines: $(cat "$work/out")"
expect err '^setractl: vg0/held \(dm-2\) is suspended: its original 256 sectors can be put back when it is resumed$'
one_line err

# Every form of a name; each device once.
for name in vg0/data /dev/vg0/data /dev/mapper/vg0-data dm-0 /dev/dm-0 253:0; do
    run 0 revert --root "$root" --dry-run "$name" dm-0
    one_line out
    expect out '^vg0/data '
done
run 0 revert --root "$root" --dry-run /home
expect out '^vg0/home '
for name in vg0/gone /dev/vg0/gone dm-9 /dev/dm-9; do
    run 0 revert --root "$root" --dry-run "$name"
    expect out '^vg0/gone \(dm-9\) is gone'
done
for name in crypt /dev/mapper/crypt; do
    run 0 revert --root "$root" --dry-run "$name"
    expect out '^crypt \(dm-8\) is gone'
done
# A partition shares its disk's readahead.
run 0 revert --root "$root" --dry-run sdz1
expect out '^sdz has its original'
run 0 revert --root "$root" --dry-run md0
expect out '^md0 was reverted before$'
run 1 revert --root "$root" --dry-run dm-0 nope dm-1
[ "$(wc -l <"$work/out")" -eq 2 ] || fail "$last: a device that does not exist keeps others from being looked at"
cmp -s "$work/ledger" "$root/run/setrad/ledger.json" || fail "a dry run has changed the ledger"

# Another device has the number by now.
ledger "$(entry dm-0 253 0 ${uuid}7 vg0/old 8 256 false false)"
run 0 revert --root "$root" --dry-run dm-0 vg0/old
expect out '^vg0/old \(dm-0\) is gone'
one_line out
run 0 revert --root "$root" --dry-run vg0/data
expect out '^vg0/data \(dm-0\) was not changed by setrad$'

# What keep-if has put back: the value given before it is setrad's, what was tried is not; with none given, it is original.
put_back() { sed "s/\"change\":{/&\"put_back\":true,\"kept_sectors\":$1,/"; }
ledger "$(entry dm-0 253 0 ${uuid}1 vg0/data 8 4096 false false | put_back 256)" \
    "$(entry dm-1 253 1 ${uuid}2 vg0/home 7168 3072 false false | put_back null)" \
    "$(entry md0 9 0 '' md0 512 7168 false false | put_back null)" \
    "$(entry sdz 65 144 '' sdz 128 256 false false | put_back 8192)"
run 0 revert --root "$root" --dry-run --all
expect out '^vg0/data \(dm-0\): readahead 256 → 8 sectors, its original value$'
expect out '^vg0/home \(dm-1\) has its original 7168 sectors$'
expect out '^md0 has [0-9]+ sectors, which setrad did not give it: left alone$'
expect out '^sdz has 256 sectors, not the 8192 that setrad gave it: left alone$'
[ "$(wc -l <"$work/out")" -eq 4 ] || fail "$last: not four lines: $(cat "$work/out")"

# Ledgers that can't be read are told of and left alone.
for text in '' '{' '{"version":2,"entries":[]}' 'null'; do
    printf %s "$text" >"$root/run/setrad/ledger.json"
    run 1 revert --root "$root" --dry-run --all
    expect err '^setractl: the ledger /run/setrad/ledger.json is damaged, or of another version'
    empty out
    [ "$(cat "$root/run/setrad/ledger.json")" = "$text" ] || fail "a damaged ledger was touched"
done

finish
