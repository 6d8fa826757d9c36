#!/bin/bash
# SPDX-License-Identifier: MIT
# docs/findings.md: a section for every code and none else, and the severities that findings really have.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

doc=docs/findings.md
sed -n 's/^ *case FINDING_[A-Z_]*: return "\(.*\)";$/\1/p' common/finding.c | sort >"$work/codes"
[ -s "$work/codes" ] || fail "no codes in common/finding.c"
sed -n 's/^## //p' $doc | sort >"$work/sections"
diff "$work/codes" "$work/sections" || fail "$doc: sections are not the codes"
sed -n 's/^| \[\(.*\)\](#\(.*\)) | .* |$/\1 \2/p' $doc | awk '$1 != $2 {exit 1} {print $1}' | sort >"$work/rows"
diff "$work/codes" "$work/rows" || fail "$doc: the table is not the codes"

# Each section has all of its parts, in order.
awk 'function check() {if (name != "" && parts != " Means Check Do setrad") {print name ":" parts; bad = 1}}
     /^## / {check(); name = $2; parts = ""}
     /^\*\*[A-Za-z]+\.\*\*/ {match($0, /[A-Za-z]+/); parts = parts " " substr($0, RSTART, RLENGTH)}
     END {check(); exit bad}' $doc || fail "$doc: a section lacks a part"

# What is found on the machines with known answers: "CODE SEVERITY", each once.
mkdir "$work/roots"
tests/fixtures/make-root "$work/roots" tests/fixtures/cases/*.json || fail "make-root"
for capture in "$work"/roots/*; do
    run 0 scan --json --root "$capture" --policy config/policy.d/50-setrad.yaml
    jq -r '.layers[].findings[] | .code + " " + .severity' "$work/out"
done | sort -u >"$work/found"
sed -n 's/^| \[\(.*\)\](#.*) | \(.*\) |$/\1 \2/p' $doc |
    awk '{gsub(",", ""); for (i = 2; i <= NF; i++) print $1, $i}' | sort >"$work/told"
comm -23 "$work/found" "$work/told" >"$work/untold"
[ ! -s "$work/untold" ] || fail "$doc does not tell: $(cat "$work/untold")"

# The other way round: each is found somewhere, but for those that need the service's record, or measuring.
elsewhere='^(changed-by-other|member-slow) '
comm -13 "$work/found" "$work/told" | grep -Ev "$elsewhere" >"$work/unfound"
[ ! -s "$work/unfound" ] || fail "no fixture has: $(cat "$work/unfound")"

# And each has a case that says its severity and what its sentence must be.
jq -r '.expect.findings[]? | select(.severity and .text) | .code + " " + .severity' \
    tests/fixtures/cases/*.json tests/fixtures/dumps/*.json | sort -u >"$work/pinned"
comm -13 "$work/pinned" "$work/told" | grep -Ev "$elsewhere" >"$work/loose"
[ ! -s "$work/loose" ] || fail "no case says severity and text of: $(cat "$work/loose")"

finish
