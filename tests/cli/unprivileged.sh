#!/bin/bash
# SPDX-License-Identifier: MIT
# All that only reads does so for a user without any right, here and below --root; what changes something says in one line
# which right is missing, and has done nothing.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

nobody=()
if [ "$(id -u)" -eq 0 ]; then
    command -v setpriv >/dev/null || { echo "no setpriv"; exit 77; }
    nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs)
fi
chmod 755 "$work"
"${nobody[@]}" ls "$work" >/dev/null 2>&1 || { echo "TMPDIR can't be reached by other users"; exit 77; }
mkdir -m 1777 "$work/tmp"
export TMPDIR=$work/tmp
cp "$setractl" "$work/program"
setractl=$work/program

raid5_root
stacks_policy
dumps=(tests/fixtures/dumps/*.tar.xz)
cp "${dumps[0]}" "$work/dump.tar.xz"
chmod -R a+rX "$root" "$work"/*.yaml "$work"/*.xz

# as_nobody STATUS ARGUMENT…: as run; nothing is said of permission where that is not what is missing
as_nobody() {
    local expected=$1 status
    shift
    last="as nobody: setractl $*"
    "${nobody[@]}" "$setractl" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ "$status" -eq "$expected" ] || fail "$last: exit status $status, not $expected: $(head -3 "$work/err")"
}
# same ARGUMENT…: nobody is told what root is told
same() {
    run 0 "$@"
    cp "$work/out" "$work/as-root"
    as_nobody 0 "$@"
    cmp -s "$work/as-root" "$work/out" || fail "$last: root is told something else"
    if grep -i permi "$work/err"; then fail "$last: it misses a permission"; fi
}

for machine in "$root" "$work/dump.tar.xz"; do
    same scan --root "$machine"
    same scan --json --root "$machine"
    same plan --policy "$work/policy.yaml" --root "$machine"
    same graph --root "$machine"
    as_nobody 0 capture --root "$machine" "$TMPDIR/again-$RANDOM.tar"
done
same explain --root "$root" --policy "$work/policy.yaml" vg0/data
same check-policy "$work/policy.yaml"
same --version
same --help

# Of the machine that it runs on: what there is, with a word about what only root is told.
for verb in scan plan graph; do as_nobody 0 $verb; done
as_nobody 0 capture "$TMPDIR/live.tar.gz"

# What changes something
ls -lR --time-style=full-iso /run/setrad >"$work/before" 2>&1
for verb in apply 'revert --all' 'tune /dev/md0' rescan; do
    # shellcheck disable=SC2086 # a verb and its argument
    as_nobody 1 $verb
    one_line err
    expect err '^setractl: '
    empty out
done
ls -lR --time-style=full-iso /run/setrad >"$work/after" 2>&1
cmp -s "$work/before" "$work/after" || fail "a user without rights has changed /run/setrad"
[ -z "$(find "$TMPDIR" -mindepth 1 ! -name '*.tar*')" ] || fail "left behind: $(ls -A "$TMPDIR")"

finish
