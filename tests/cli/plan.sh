#!/bin/bash
# SPDX-License-Identifier: MIT
# What plan says, and what apply says before it does anything.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1
export LC_ALL=C

stacks_policy
raid5_root
block dm-2 253:2 2097152 256 262144 1835008
over dm-2 md0
map dm-2 vg0-frozen ${lvm_uuid}000000000000000000000000000000a3 1 '0 2097152 linear 9:0 4204032'

run 0 plan --root "$root" --policy "$work/policy.yaml"
golden plan-raid5
run 3 plan --check --root "$root" --policy "$work/policy.yaml"
golden plan-raid5
run 3 plan --check --json --root "$root" --policy "$work/policy.yaml"
run 0 plan --json --root "$root" --policy "$work/policy.yaml"
query '[keys_unsorted[]]' '["version","changes","held"]'
query '[.changes[] | del(.reason)]' \
    '[{"name":"dm-0","label":"vg0/data","from_sectors":256,"to_sectors":7168,"rule":"stacks over arrays"}]'
query '.changes[0] | keys_unsorted' '["name","label","from_sectors","to_sectors","rule","reason"]'
query '.changes[0].reason | test("stripe width")' true
query '[.held[] | [.name, .label, (.reason | length > 0)]]' '[["dm-2","vg0/frozen",true]]'

# A rule that holds its changes.
sed 's/readahead: auto/&\n    hold: true/' "$work/policy.yaml" >"$work/hold.yaml"
run 0 plan --check --root "$root" --policy "$work/hold.yaml"
golden plan-held-by-rule
run 0 plan --json --root "$root" --policy "$work/hold.yaml"
query '[.changes, [.held[] | [.name, .reason]]]' \
    "[[],[[\"dm-0\",\"held by rule 'stacks over arrays'\"],[\"dm-2\",\"held by rule 'stacks over arrays'\"]]]"

laptop_root
run 0 plan --check --root "$root" --policy "$work/policy.yaml"
golden plan-laptop
run 0 plan --json --root "$root" --policy "$work/policy.yaml"
query . '{"version":1,"changes":[],"held":[]}'

# apply: without the privilege it says so in one line and has not even looked.
unprivileged=
if [ "$(id -u)" -ne 0 ]; then
    unprivileged='env'
elif command -v setpriv >/dev/null; then
    unprivileged='setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all'
fi
if [ -n "$unprivileged" ]; then
    chmod 755 "$work" # whoever it runs as must be able to reach it
    cp "$setractl" "$work/setractl"
    last="setractl apply, unprivileged"
    # shellcheck disable=SC2086
    $unprivileged "$work/setractl" apply --policy "$work/policy.yaml" >"$work/out" 2>"$work/err"
    [ $? -eq 1 ] || fail "$last: not status 1"
    empty out
    one_line err
    expect err '^setractl: apply needs CAP_SYS_ADMIN'
fi

finish
