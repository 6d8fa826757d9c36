#!/bin/bash
# SPDX-License-Identifier: MIT
# What scan shows, as a tree, as rows for programs, and as JSON.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1
export LC_ALL=C # what is printed does not depend on the locale

stacks_policy
raid5_root

run 0 scan --root "$root" --policy "$work/policy.yaml"
golden scan-raid5
run 0 scan --root "$root" --policy "$work/policy.yaml" -o name,io-min,io-opt,chunk,data,from,use,rule,finding
golden scan-raid5-columns
run 0 scan -P --root "$root" --policy "$work/policy.yaml" -o kname,name,ra,target,stripe,chunk,data,use,state
golden scan-raid5-pairs
run 0 scan -n -o kname --raw --root "$root" --policy "$work/policy.yaml"
[ "$(sort "$work/out" | uniq -d)" = "" ] || fail "$last: a layer is there twice"
[ "$(wc -l <"$work/out")" -eq 12 ] || fail "$last: not each layer"

run 0 scan --json --root "$root" --policy "$work/policy.yaml"
query '[keys_unsorted[]]' '["version","layers"]'
query '.version' 1
query '[.layers[].name] | sort' '["dm-0","dm-1","md0","sda","sdb","sdc","sdd","sde","sdf","sdg","sdh","sdz"]'
query '.layers[0] | keys_unsorted[0:19]' '["name","label","kind","devno","size_sectors","below","above","top","use","readahead_sectors","target_sectors","geometry","io_min_bytes","io_opt_bytes","alignment_offset","action","rule","reason","findings"]'
query '.layers[] | select(.name == "dm-0") | [.label, .kind, .devno, .size_sectors, .below, .above, .top, .use]' \
    '["vg0/data","dm-linear","253:0",2097152,["md0"],[],true,[]]'
query '.layers[] | select(.name == "dm-0") | [.readahead_sectors, .target_sectors, .action, .rule]' \
    '[256,7168,"raise","stacks over arrays"]'
query '.layers[] | select(.name == "dm-0") | .geometry' \
    '{"chunk_bytes":262144,"data_disks":7,"stripe_bytes":1835008,"from":["md0"]}'
query '.layers[] | select(.name == "dm-0") | [.findings[].code]' '["readahead-below-array"]'
query '.layers[] | select(.name == "dm-1") | .use' '[{"type":"mount","path":"/home","fs":"ext4"}]'
query '.layers[] | select(.name == "md0") | [.below[0], .above, .target_sectors, .rule, .action]' \
    '["sda",["dm-0","dm-1"],null,null,"ignore"]'
query '.layers[] | select(.name == "sda") | [.geometry, .target_sectors]' '[null,null]'

# Nothing is read from the machine that the test runs on, and what a capture lacks is told, not fatal.
rm -r "$root/proc" "$root/dmsetup"
run 0 scan --json --root "$root" --policy "$work/policy.yaml"
expect err '^note: '
query '.layers | length' 12
rm "$root/sys/devices/virtual/block/dm-0/queue/read_ahead_kb" "$root/sys/devices/virtual/block/sda/size"
run 0 scan --json --root "$root" --policy "$work/policy.yaml"
query '.layers[] | select(.name == "dm-0") | .readahead_sectors' null
query '.layers[] | select(.name == "sda") | .size_sectors' null

laptop_root
run 0 scan --root "$root" --policy "$work/policy.yaml"
golden scan-laptop
block loop0 7:0 0 256 512 0
mkdir "$root/sys/devices/virtual/block/loop0/loop"
run 0 scan --root "$root" --policy "$work/policy.yaml"
golden scan-laptop

# Nothing is missing where few files may be open at a time.
new_root
for n in {0..9}; do block "sd$n" "8:$n" 4194304 256 512 0; done
run 0 scan --json --root "$root"
mv "$work/out" "$work/whole"
(ulimit -n 64 && "$setractl" scan --json --root "$root" 2>/dev/null) | cmp -s - "$work/whole" || fail "scan with 64 descriptors"

# Names that would do something to a terminal, and bytes that are no UTF-8.
new_root
block sda 8:0 4194304 256 512 0
block dm-0 253:0 2097152 256 512 0
over dm-0 sda
map dm-0 $'evil\e[2J\xff' CRYPT-x 0 '0 2097152 linear 8:0 0'
printf '36 1 253:0 / /srv/\e]0;x\a\xe2\x80\xae rw - ext4 /dev/dm-0 rw\n' >"$root/proc/self/mountinfo"
run 0 scan --root "$root" -o name,use
LC_ALL=C grep -q '[[:cntrl:]]' <(tr -d '\n' <"$work/out") && fail "$last: a control character came through"
iconv -f UTF-8 -t UTF-8 "$work/out" >/dev/null || fail "$last: output is no UTF-8"
run 0 scan --json --root "$root"
query '.layers[] | select(.name == "dm-0") | .name' '"dm-0"'
run 0 scan --pairs --root "$root"
LC_ALL=C grep -q '[[:cntrl:]]' <(tr -d '\n' <"$work/out") && fail "$last: a control character came through"

# A long cell makes its column as wide as its characters, not as its bytes.
long=/$(printf 'ü%.0s' {1..400})
printf '36 1 253:0 / %s rw - ext4 /dev/dm-0 rw\n' "$long" >"$root/proc/self/mountinfo"
run 0 scan --root "$root" -o use,ra
[ "$(head -n 1 "$work/out" | LC_ALL=C.UTF-8 wc -m)" -le 410 ] || fail "$last: a column is wider than what is in it"

finish
