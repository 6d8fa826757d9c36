#!/bin/bash
# SPDX-License-Identifier: MIT
# "make uninstall" takes away all that "make install" has put there, and nothing of the administrator's.
set -uo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    printf 'FAILED: %s\n' "$*"
    failures=$((failures + 1))
}

# make_in TARGET: builds nothing, as other tests are using what has been built
make_in() {
    make --no-print-directory -s -o all DESTDIR="$work/root" "$@" >"$work/log" 2>&1 || fail "make $*: $(<"$work/log")"
}

round_trip() {
    local own=$work/root$1/setrad/policy.d/10-local.yaml
    shift
    make_in install "$@"
    [ "$(find "$work/root" -type f | wc -l)" -ge 20 ] || fail "$*: installed only $(find "$work/root" -type f)"
    touch "$own"
    make_in uninstall "$@"
    left=$(find "$work/root" -type f -o -path '*setrad*')
    [ "$(grep -cv "^${own%/*/*}" <<<"$left")" -eq 0 ] || fail "$*: left behind: $left"
    [ -e "$own" ] || fail "$*: ${own##*/} is gone"

    rm "$own"
    make_in uninstall "$@"
    left=$(find "$work/root" -path '*setrad*')
    [ -z "$left" ] || fail "$*: left behind without files of the administrator's: $left"
}

round_trip /etc

[ "$failures" -eq 0 ]
