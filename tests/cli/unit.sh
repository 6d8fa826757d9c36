#!/bin/bash
# SPDX-License-Identifier: MIT
# systemd's unit, as "make install" writes it: systemd takes every line of it, and it stays as closed as it is.
set -uo pipefail

exposure_max=19 # tenths

skip() {
    echo "$1"
    exit 77
}

command -v systemd-analyze >/dev/null || skip "systemd-analyze is missing (package systemd)"
systemd-analyze --help 2>/dev/null | grep -q -e --offline || skip "systemd-analyze knows no --offline (systemd 250 or later)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    printf 'FAILED: %s\n' "$*"
    failures=$((failures + 1))
}

unit=$work/usr/lib/systemd/system/setrad.service
make --no-print-directory -s BUILD="${unit%/*}" PREFIX=/usr "$unit" >"$work/log" 2>&1 || fail "make: $(<"$work/log")"
! grep -n '@[A-Z]*@' "$unit" || fail "not replaced by make install"

systemd-analyze --no-pager security --offline=true --threshold=$exposure_max "$unit" >"$work/security" 2>&1 ||
    fail "systemd-analyze security: $(grep -e '✗' -e 'Overall' -e 'ailed' "$work/security")"
tail -n 1 "$work/security"

# Programs must exist; of other units, nothing is looked for.
install -D -m 755 /dev/null "$work/usr/sbin/setrad"
install -D -m 755 /dev/null "$work/bin/kill"
systemd-analyze --no-pager verify --man=no --root="$work" setrad.service >"$work/verify" 2>&1 ||
    fail "systemd-analyze verify: $(<"$work/verify")"
[ ! -s "$work/verify" ] || fail "systemd-analyze verify says: $(<"$work/verify")"

[ "$failures" -eq 0 ]
