#!/bin/bash
# SPDX-License-Identifier: MIT
# What makes an attack harder is in the programs that were built, and a distribution's flags come through and win.
set -uo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    printf 'FAILED: %s\n' "$*"
    failures=$((failures + 1))
}

# has PROGRAM OPTION REGEX: readelf's output with that option has it
has() { LC_ALL=C readelf -W "$2" "$1" | grep -E -- "$3" >/dev/null || fail "$1: readelf $2 shows no $3"; }

flags=$(<"$BUILD/flags")
if [[ $flags != *' -fPIE '* ]]; then
    echo "built with HARDENING="
    exit 77
fi
for program in "$BUILD/setrad" "$BUILD/setractl"; do
    has "$program" --file-header '^ *Type: +DYN '
    has "$program" --program-headers '^ *INTERP '
    has "$program" --program-headers '^ *GNU_RELRO '
    has "$program" --program-headers '^ *GNU_STACK .* RW +0x'
    has "$program" --dynamic '\(FLAGS\).* BIND_NOW'
    has "$program" --dynamic '\(FLAGS_1\).* NOW .*PIE'
    has "$program" --dyn-syms ' __stack_chk_fail'
    case $flags in
        *-fsanitize=* | *' -O0'*) ;;
        *) has "$program" --dyn-syms ' __[a-z]+_chk(@|$)' ;;
    esac
done
if [[ $flags != *-fsanitize=* && $(uname -m) == x86_64 ]]; then
    for flag in -fstack-clash-protection -fcf-protection; do
        [[ $flags == *" $flag "* ]] || fail "this compiler does not know $flag: ${flags%%:*}"
    done
fi

# prints FLAG… of how units.o is compiled and setrad linked, with the arguments and the environment of make given
commands() {
    (unset MAKEFLAGS CFLAGS CPPFLAGS LDFLAGS SAN && env "$@" make --no-print-directory -n V=1 BUILD="$work/build" \
        "$work/build/common/units.o" "$work/build/setrad" ${in_make:+"${in_make[@]}"}) >"$work/commands" 2>&1 ||
        fail "make: $(<"$work/commands")"
    compile=$(grep -E ' -c -o [^ ]*/common/units\.o ' "$work/commands")
    link=$(grep -E ' -o [^ ]*/setrad ' "$work/commands")
}

# in_order WHAT COMMAND FIRST THEN…: the words stand in it in this order
in_order() {
    local what=$1 rest=" $2 " word
    shift 2
    for word in "$@"; do
        [[ $rest == *" $word "* ]] || { fail "$what: no $word after what comes before it: $rest"; return; }
        rest=" ${rest#*" $word "}"
    done
}

given=(CFLAGS='-O3 -fno-stack-protector' CPPFLAGS='-D_FORTIFY_SOURCE=1 -DGIVEN' LDFLAGS='-Wl,-z,lazy -no-pie')
ours_then_given() {
    in_order "$1, compile" "$compile" -DGIVEN -fstack-protector-strong -O3 -fno-stack-protector
    in_order "$1, link" "$link" -fstack-protector-strong -O3 -pie -Wl,-z,now -Wl,-z,lazy -no-pie
    [ "$(grep -o -e '-D_FORTIFY_SOURCE' <<<"$compile" | wc -l)" -eq 1 ] || fail "$1: _FORTIFY_SOURCE more than once: $compile"
}
in_make=()
commands "${given[@]}"
ours_then_given environment
in_make=("${given[@]}")
commands
ours_then_given 'command line'

in_make=()
commands
in_order default "$compile" -U_FORTIFY_SOURCE -fPIE -O2
for off in CFLAGS=-O0 SAN=1 FUZZ=1 'CFLAGS=-g -O2 -O0' HARDENING=; do
    in_make=("$off")
    commands
    [[ $compile != *-D_FORTIFY_SOURCE* ]] || fail "$off: _FORTIFY_SOURCE all the same: $compile"
done
[[ $compile$link != *-fPIE*-pie* ]] || fail "HARDENING=: $compile; $link"

# What Debian gives compiles without a warning.
if command -v dpkg-buildflags >/dev/null; then
    (
        unset MAKEFLAGS SAN
        eval "$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --export=sh)"
        make --no-print-directory -s WERROR=1 BUILD="$work/build" "$work/build/common/units.o"
    ) >"$work/log" 2>&1 || fail "with the flags of dpkg-buildflags: $(<"$work/log")"
fi

[ "$failures" -eq 0 ]
