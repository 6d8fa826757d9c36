#!/bin/bash
# SPDX-License-Identifier: MIT
# One page about one device: text at 80 columns, JSON, every form of device, and advice that does what it says.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1
export LC_ALL=C

# What is printed has the policy's path, so it is one without the temporary directory.
top=$PWD
here=$top/$here
setractl=$(realpath "$setractl")
cd "$work" || exit 1

# case_root CASE: its root and, if it has one, its policy; else that is the one that setrad comes with.
case_root() {
    rm -rf "$root"
    "$top/tests/fixtures/make-root" . "$top/tests/fixtures/cases/$1.json" || fail "make-root"
    mv "$1" "$root"
    jq -re '.policy // empty' "$top/tests/fixtures/cases/$1.json" >policy.yaml ||
        cp "$top/config/policy.d/50-setrad.yaml" policy.yaml
}

explain() {
    run 0 explain --root "$root" --policy policy.yaml "$@"
    empty err
}

# page NAME DEVICE: golden text, and no line over 80 columns.
page() {
    explain "$2"
    golden "explain-$1"
    no_wider 80
}

case_root 05-raid5-reshape-4-to-5
page held-by-reshape /home
# A page is a page, however wide the terminal is.
for columns in 80 200; do
    NO_COLOR=1 on_terminal 0 $columns explain --root "$root" --policy policy.yaml /home
    golden explain-held-by-reshape
done
page raised vg1/www
page member sdg
case_root 26-usb-bridge-io-opt-33553920
page lowered-to-floor sdb
case_root 22-small-memory-cap
page capped-by-memory /dev/vg0/data
case_root 68-swap-on-a-partition-of-an-array
page ignored-swap md1
page partition-without-rule 259:1
case_root 19-btrfs-on-lv-over-raid10
page btrfs dm-0
case_root 20-database-policy-and-page-rounding
page rounded /var/log/
case_root 73-directions-and-forms-of-readahead
page keep-by-rule /dev/mapper/vg-keep
page not-this-direction dm-2
case_root 85-targets-that-are-not-known
page unknown-target-beneath over-era
case_root 89-lvm-raid-that-is-reshaped
page held-by-lvm-reshape over-running

# A rule's own hold, and what is left alone under it.
case_root 56-spares-journals-replacements-write-mostly
cat >policy.yaml <<'POLICY'
version: 1
rules:
  - name: not yet
    match: {vg: vg0}
    readahead: auto
    hold: true
  - name: when it is whole
    match: {kind: dm, over: md}
    readahead: auto
    hold: [array-degraded, array-resyncing]
POLICY
page held-by-rule vg0/lv
page held-by-degraded vg3/lv
explain --json vg2/lv
query '.steps[-1].step' '"hold"'
query '.steps[-1].text' "\"a change must wait: rule 'when it is whole' waits while md2 is resyncing\""
query .layer.action '"hold"'
explain --json vg1/lv
query '.steps[-1].text' '"no: nothing has to be waited for"'
query .layer.action '"keep"'

# Every form of a device is the same device.
raid5_root
mkdir -p "$root/run/udev/data"
stacks_policy
explain dm-1
cp out first
for form in /dev/dm-1 vg0/home /dev/vg0/home /dev/mapper/vg0-home vg0-home 253:1 /home /home/; do
    explain "$form"
    cmp -s first out || fail "$last: not the same as for dm-1"
done

# What there is not: one clear line. A wrong call is another thing.
for form in nope /dev/nope 253:99 /nowhere '' /dev/disk/by-id/x; do
    run 1 explain --root "$root" --policy policy.yaml "$form"
    empty out
    one_line err
done
expect err '^setractl: .*/dev/disk/by-id/x.* is a link'
run 1 explain --root "$root" --policy policy.yaml nope
expect err "^setractl: no block device or mount point 'nope'; 'setractl scan --all' lists"
usage_error explain
expect err 'needs DEV'
usage_error explain dm-0 dm-1
usage_error explain --check dm-0
usage_error explain --all dm-0

explain --json vg0/data
query keys_unsorted '["version","layer","reads","rules","rules_not_reached","steps","outcome","advice"]'
query .version 1
query '.layer | [.name, .label, .target_sectors, .action]' '["dm-0","vg0/data",7168,"raise"]'
query '.reads | [keys_unsorted, .name, .readahead_sectors]' '[["name","readahead_sectors","text"],"dm-0",256]'
query '.rules[0]' '{"name":"stacks over arrays","file":"policy.yaml","line":4,"matched":true,"misses":[]}'
query '[.steps[] | [.step, .sectors]]' \
    '[["geometry",3584],["target",7168],["caps",7168],["rounding",7168],["direction",null],["hold",null]]'
query '.steps[0] | keys_unsorted' '["step","sectors","text"]'
query '.advice[0] | keys_unsorted' '["purpose","text"]'
query '[.advice[].text][0]' '"setractl apply"'
cp out explained
run 0 scan --json --root "$root" --policy policy.yaml
query '.layers[] | select(.name == "dm-0")' "$(jq -c .layer explained)"
explain --json sda
query '[.rules[0].matched, .rules[0].misses]' \
    '[false,[{"key":"kind","wanted":"[dm-*, loop]","value":"disk"}]]'
query '.reads | [.name, .readahead_sectors]' '[null,null]'

# advised DEVICE: the rule that is shown for it, put where it is to stand, loads and wins.
advised() {
    local text
    explain --json "$1"
    text=$(jq -r '[.advice[] | select(.text | contains("match:"))][0].text // empty' out)
    [ -n "$text" ] || fail "$last: no rule is shown"
    {
        printf 'version: 1\nrules:\n%s\n' "$text"
        sed -n '/^rules:$/,$p' policy.yaml | tail -n +2
    } >advised.yaml
    run 0 explain --json --root "$root" --policy advised.yaml "$1"
    query '.rules[0] | [.matched, .line]' '[true,3]'
}
for form in dm-0 dm-1 md0 sda; do
    advised "$form"
done
advised dm-0
query .layer.action '"keep"'

# Names that must be quoted, and those that can't be written at all.
new_root
mkdir -p "$root/run/udev/data"
block sda 8:0 4194304 256 512 0
n=0
for name in 'with blank' "it's [a] *" '123' 'true: {x}' 'back\slash' $'evil\e[2J' 'größe'; do
    block "dm-$n" "253:$n" 2097152 256 512 0
    over "dm-$n" sda
    map "dm-$n" "$name" CRYPT-x 0 '0 2097152 linear 8:0 0'
    n=$((n + 1))
done
for name in dm-0 dm-1 dm-2 dm-3 dm-4 dm-5 dm-6; do
    advised "$name"
    explain "$name"
    LC_ALL=C grep -q '[[:cntrl:]]' <(tr -d '\n' <out) && fail "$last: a control character came through"
done

# No policy is installed, or none has rules.
printf 'version: 1\nrules: []\n' >policy.yaml
explain dm-0
expect out 'The policy has no rules'
grep -q 'it decides' out && fail "$last: a rule matches"

finish
