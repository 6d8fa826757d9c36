#!/bin/bash
# SPDX-License-Identifier: MIT
# systemd's unit, as "make install" writes it: systemd takes every line of it, and it stays as closed as it is. Likewise
# what comes with it for systemd-tmpfiles and systemctl preset.
set -uo pipefail

exposure_max=19 # tenths

skip() {
    echo "$1"
    exit 77
}

command -v systemd-analyze >/dev/null || skip "systemd-analyze is missing (package systemd)"
systemd-analyze --help 2>/dev/null | grep -q -e --offline || skip "systemd-analyze knows no --offline (systemd 250 or later)"
# A machine that is built on may have no systemd running, and only root can make this there.
[ -d /run/systemd ] || [ -w /run ] || skip "systemd-analyze needs the directory /run/systemd"

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
sed -n 's/.*Overall exposure level for setrad\.service: \([0-9.]* [A-Z]*\).*/note: systemd-analyze security: \1/p' "$work/security" |
    grep . || fail "systemd-analyze security says no figure: $(tail -n 1 "$work/security")"

# Programs must exist; of other units, nothing is looked for.
install -D -m 755 /dev/null "$work/usr/sbin/setrad"
install -D -m 755 /dev/null "$work/bin/kill"
systemd-analyze --no-pager verify --man=no --root="$work" setrad.service >"$work/verify" 2>&1 ||
    fail "systemd-analyze verify: $(<"$work/verify")"
[ ! -s "$work/verify" ] || fail "systemd-analyze verify says: $(<"$work/verify")"

# The directory is the one of the ledger. Who is not root can't give it to root; every line is read all the same.
install -D -m 644 systemd/setrad.tmpfiles "$work/usr/lib/tmpfiles.d/setrad.conf"
status=0
systemd-tmpfiles --root="$work" --create setrad.conf >"$work/tmpfiles" 2>&1 || status=$?
if [ "$(id -u)" -eq 0 ]; then
    [ "$status" -eq 0 ] || fail "systemd-tmpfiles: exit status $status"
    [ ! -s "$work/tmpfiles" ] || fail "systemd-tmpfiles says: $(<"$work/tmpfiles")"
    [ "$(stat -c '%a %U %G' "$work/run/setrad" 2>&1)" = '755 root root' ] ||
        fail "systemd-tmpfiles made: $(stat -c '%a %U %G %n' "$work"/run/*)"
else
    [ "$status" -ne 65 ] || fail "systemd-tmpfiles: $(<"$work/tmpfiles")"
fi
grep -q "^#define LEDGER_DIRECTORY \"$(sed -n 's/^d \([^ ]*\) .*/\1/p' systemd/setrad.tmpfiles)\"$" common/ledger-record.h ||
    fail "systemd/setrad.tmpfiles has another directory than the ledger"

# Another preset says no to everything, and comes after it.
install -D -m 644 systemd/setrad.preset "$work/usr/lib/systemd/system-preset/90-setrad.preset"
echo 'disable *' >"$work/usr/lib/systemd/system-preset/99-all.preset"
systemctl --root="$work" preset setrad.service >"$work/preset" 2>&1 || fail "systemctl preset: $(<"$work/preset")"
[ -L "$work/etc/systemd/system/sysinit.target.wants/setrad.service" ] || fail "systemctl preset does not enable it"

[ "$failures" -eq 0 ]
