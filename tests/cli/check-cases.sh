#!/bin/bash
# SPDX-License-Identifier: MIT
# That tests/fixtures/check-cases fails where it ought to: each wrong expectation alone, and right ones not at all.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

right=tests/fixtures/cases/05-raid5-reshape-4-to-5.json
below='{code: "readahead-below-array", name:'
finding='{name: "md0", code: "array-reshaping"'

# expectation NAME FILTER [MESSAGE]: a case whose expectation is changed by jq, and what must be said of it
expectation() {
    jq --arg id "$1" ".id = \$id | .expect |= ($2)" "$right" >"$work/cases/$1.json" || fail "jq: $2"
    [ $# -eq 2 ] || printf '%s\t%s\n' "$1" "$3" >>"$work/wrong"
}

mkdir "$work/cases"
expectation as-it-is .
expectation right-severity ".findings = [$finding, severity: \"notice\"}]"
expectation right-text ".findings = [$finding, text: \"4 → [0-9] members\"}]"
expectation right-anywhere '.findings = [{name: "*", code: "array-reshaping", severity: "notice", text: "members"}]'
expectation all-of-them ".findings = [$finding}, $below \"dm-3\"}, $below \"dm-5\"}] | .only_findings = true"
expectation wrong-severity ".findings = [$finding, severity: \"warning\"}]" \
    'md0: finding array-reshaping: severity is notice, not warning'
expectation wrong-text ".findings = [$finding, text: \"5 → 4 members\"}]" \
    'md0: finding array-reshaping: no text matches .5 → 4 members.'
expectation wrong-anywhere '.findings = [{name: "*", code: "array-reshaping", severity: "info"}]' \
    '\*: finding array-reshaping: severity is notice, not info'
expectation wrong-code '.findings = [{name: "md0", code: "array-degraded"}]' 'md0: has no finding array-degraded'
expectation wrong-layer '.findings = [{name: "sda", code: "array-reshaping"}]' 'sda: has no finding array-reshaping'
expectation no-such-layer '.findings = [{name: "none", code: "array-reshaping"}]' 'none: has no finding array-reshaping'
expectation unwanted ".no_findings = [$finding}]" 'md0: has a finding array-reshaping'
expectation one-too-many '.findings = [] | .only_findings = true' \
    'md0: has a finding array-reshaping that is not expected'
expectation no-such-key '.finding = []' 'expect: finding is no key'
expectation no-such-member ".findings = [$finding, severty: \"notice\"}]" 'expect: severty is no key of a finding'
expectation wrong-kind '.kinds.md0 = "md-raid6"' 'md0: kind is md-raid5, not md-raid6'
expectation wrong-geometry '.geometry.md0 = {"chunk_bytes": 1}' 'md0: geometry is None, not '
expectation not-held '.held = []' "held: .*, none expected"
expectation no-change '.changes = [{name: "md0", from: 1, to: 2}]' 'md0: change is None, not 1 to 2'

tests/fixtures/check-cases "$setractl" config/policy.d/50-setrad.yaml "$work"/cases/*.json >"$work/out" 2>&1
status=$?
last=check-cases
[ "$status" -eq 1 ] || fail "exit status $status, not 1"
for case in "$work"/cases/*.json; do
    name=$(basename "$case" .json)
    message=$(sed -n "s/^$name\t//p" "$work/wrong")
    if [ -z "$message" ]; then
        expect out "^\[       OK \] $name\$"
    else
        expect out "^\[  FAILED  \] $name\$"
        expect out "^$name: $message"
    fi
done

finish
