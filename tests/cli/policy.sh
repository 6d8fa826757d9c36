#!/bin/bash
# SPDX-License-Identifier: MIT
# A policy that does not load: every error as FILE:LINE:COLUMN: TEXT on stderr, with the line and a caret; exit status 1,
# nothing on stdout.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

raid5_root

# broken TEXT POSITION REGEX: with this policy scan, plan and plan --json fail with one error, at that position.
broken() {
    local command
    printf '%b' "$1" >"$work/broken.yaml"
    for command in scan plan 'plan --json' 'scan --json'; do
        # shellcheck disable=SC2086
        run 1 $command --root "$root" --policy "$work/broken.yaml"
        empty out
        grep -v -e '^note: ' -e '^    ' "$work/err" >"$work/errors"
        [ "$(wc -l <"$work/errors")" -eq 1 ] || fail "$last: not one line: $(cat "$work/err")"
        expect err "^$work/broken.yaml:$2.*$3"
    done
}

broken '' '([0-9]+:[0-9]+: )?' empty
broken 'this: [is: not yaml\n' '[0-9]+:[0-9]+' ''
broken 'version: 1\nrules: []\nrulez: []\n' '3:1' rulez
broken 'version: 1\nrules:\n  - name: a\n    match: {kind: md}\n    readahead: 256\n' '5:16' 256
broken 'version: 1\nrules:\n  - name: a\n    match: {knd: md}\n    readahead: auto\n' '4:13' knd
broken 'version: 2\nrules: []\n' '1:10' 2

run 1 plan --root "$root" --policy "$work/nowhere.yaml"
empty out
one_line err
expect err 'nowhere.yaml.*No such file|nowhere.yaml'

# All errors of a file, not the first only.
printf 'version: 1\nrulez: []\nruless: []\n' >"$work/broken.yaml"
run 1 plan --root "$root" --policy "$work/broken.yaml"
expect err 'broken.yaml:2:1: '
expect err 'broken.yaml:3:1: '

finish
