#!/bin/bash
# SPDX-License-Identifier: MIT
# Help, version, wrong calls and their exit status.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

run 0 --version
expect out '^setractl [0-9]+\.[0-9]+\.[0-9]+(\+git[0-9]{8}\.[0-9a-f]{8})?$'
empty err
run 0 -V
expect out '^setractl [0-9]'

for arguments in --help -h 'scan --help' '--help plan' 'apply -h' 'revert -h' 'scan -h' 'explain --help' 'history -h' \
    'probe --help' 'tune --help' 'graph --help' 'rescan --help'; do
    # shellcheck disable=SC2086
    run 0 $arguments
    expect out '^setractl '
    expect out '--help '
    empty err
    awk 'length($0) > 80 {exit 1}' "$work/out" || fail "$last: a line has more than 80 columns"
done
run 0 --help
for verb in scan plan apply revert explain history probe tune graph rescan capture check-policy; do
    expect out "^  $verb +[A-Z]"
done
run 0 scan --help
expect out '^  \* NAME '
expect out '^    FINDING '
run 0 apply --help
expect out '--dry-run'
if grep -q -- --root "$work/out"; then fail "$last: names an option that it does not take"; fi

usage_error nonsense
usage_error --nonsense
expect err "no option '--nonsense'"
usage_error scan $'--\e[31m\xff'
expect err "no option '--[\]x1b\[31m[\]xff'"
usage_error scan $'-\x9b'
expect err "no option '-[\]x9b'"
usage_error scan -o
expect err '^setractl: -o needs an argument$'
usage_error scan --output
expect err '^setractl: --output needs an argument$'
usage_error scan --json=x
expect err '^setractl: --json takes no argument$'
usage_error scan -nQ
expect err "no option '-Q'"
usage_error history --un
usage_error tune --by=1 sda
usage_error scan --nonsense
usage_error scan sda
usage_error --root
usage_error scan --check
usage_error scan --dry-run
usage_error plan -o NAME
usage_error apply --root /
usage_error apply --json
usage_error --no-probe
usage_error revert
expect err 'needs DEV, or --all'
usage_error revert --all sda
usage_error revert --root /nowhere --all
usage_error revert --all --json
usage_error tune
usage_error tune sda sdb
usage_error tune --root / sda
usage_error tune --workload random sda
expect err 'sequential or mixed'
usage_error tune --time 5 sda
expect err '^setractl: --time: '
usage_error tune --bytes lots sda
expect err '^setractl: --bytes: '
usage_error tune --bytes 1MiB sda
expect err '^setractl: --bytes is less than 4MiB, '
usage_error tune --time 50ms sda
usage_error tune --time 2h sda
expect err '^setractl: --time is not between 100ms and 1h'
usage_error tune --csv --json sda
usage_error scan --json --pairs
usage_error scan --raw --pairs
usage_error scan --json -o NAME
usage_error scan --root "$work" -o NAME,NONSENSE
expect err "no column 'NONSENSE'"
usage_error scan --root "$work" -o ''

# Options stand before or after the command.
raid5_root
run 0 --root "$root" -n scan
cp "$work/out" "$work/before"
run 0 scan -n --root "$root"
cmp -s "$work/before" "$work/out" || fail "options before and after the command differ"
run 0 -n --root "$root"
cmp -s "$work/before" "$work/out" || fail "scan is not the default command"

# Failures: one line on stderr, status 1.
run 1 scan --root "$work/nowhere"
empty out
expect err '^setractl: cannot open .*/nowhere: No such file or directory$'
mkdir "$work/empty"
run 1 scan --root "$work/empty"
empty out
expect err 'no sys directory'
: >"$work/file"
run 1 scan --root "$work/file"
expect err '^setractl: '

# Output that can't be written is no success.
"$setractl" --help >/dev/full 2>"$work/err" && fail "writing to a full disk is a success"
last='setractl --help >/dev/full'
expect err '^setractl: cannot write the output: No space left on device$'

finish
