#!/bin/bash
# SPDX-License-Identifier: MIT
# setractl graph over fixtures: what it draws, that Graphviz takes it, and that names can't break out of their quotes.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1
export LC_ALL=C.UTF-8
policy=(--policy config/policy.d/50-setrad.yaml)
graphviz=$(command -v dot)

# root_of CASE: $root is that machine
root_of() {
    rm -rf "$root"
    tests/fixtures/make-root "$work" "tests/fixtures/cases/$1.json" || fail "make-root $1"
    mv "$work/$1" "$root"
}

# Two arrays, three segments, one of them off the stripe; a swap that is left alone.
root_of 15-lv-in-three-segments-over-two-arrays
run 0 graph --root "$root" "${policy[@]}"
golden graph-segments-dot
empty err
run 0 graph --format=mermaid --root "$root" "${policy[@]}"
golden graph-segments-mermaid
run 0 graph --root "$root" "${policy[@]}" vgdata/lvswap
expect out '"vgdata/lvswap'
! grep -q 'lvdata\|"md0' "$work/out" || fail "$last: shows what is not beneath the device"

# A partition off the chunk; LVM's metadata; plain disks only with --all.
root_of 25-alignment-findings-only
run 0 graph --root "$root" "${policy[@]}"
golden graph-misaligned-dot
run 0 graph --root "$root" "${policy[@]}" md0p1 /data
expect out 'label="from 31.5 KiB\\non no chunk boundary of md0", color='
! grep -q 'vg0/big' "$work/out" || fail "$last: shows what was not named"
root_of 87-laptop-with-one-disk
run 0 graph --root "$root" "${policy[@]}"
! grep -q 'label=' "$work/out" || fail "$last: a plain disk is drawn without --all"
run 0 graph --all --root "$root" "${policy[@]}"
expect out 'label="nvme0n1'

# Colours: held, to be changed, as it should be, warning, left alone.
root_of 05-raid5-reshape-4-to-5
run 0 graph --root "$root" "${policy[@]}"
expect out 'readahead 256, held\\n/home", fillcolor="#bbdefb"'
expect out 'readahead 256 → 1024", fillcolor="#ffe0b2"'
root_of 12-loop-over-lv-over-raid5
run 0 graph --root "$root" "${policy[@]}"
expect out 'vg_img/images .*fillcolor="#c8e6c9"'
expect out '"loop3.*fillcolor="#ffcdd2"'
expect out '"md1.*fillcolor="#eeeeee"'
expect out 'label="/srv/disk images/a.img"'

# Every fixture is taken by Graphviz, and comes out as well-formed XML, whatever its names.
for file in tests/fixtures/cases/*.json; do
    case=${file##*/}
    root_of "${case%.json}"
    run 0 graph --all --root "$root" "${policy[@]}"
    [ -z "$graphviz" ] || dot -Tcanon "$work/out" >/dev/null 2>"$work/dot" || fail "$last: $case: dot says: $(head -3 "$work/dot")"
    layers=$("$setractl" scan --json --root "$root" "${policy[@]}" 2>/dev/null | jq '.layers | length')
    nodes=$(grep -c '^  n[0-9]* \[label=' "$work/out")
    [ "$nodes" -eq "$layers" ] || fail "$last: $case: $nodes nodes for $layers layers"
done
# svg: draws $root, well-formed
svg() {
    run 0 graph --all --format=svg --root "$root" "${policy[@]}"
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/out" || fail "$last: no XML"
}
root_of 52-map-names-with-blanks-colons-and-newlines
# A line break in a name is none of the drawing: it would say what setrad has not said.
for form in dot mermaid; do
    run 0 graph --all --format=$form --root "$root" "${policy[@]}"
    expect out 'evil[\]+x0aname [(]dm-3[)]'
done
[ -z "$graphviz" ] || svg
run 0 graph --all --format=mermaid --root "$root" "${policy[@]}"
! grep -vE '^(flowchart TD|  classDef [a-z]+ [^"]*|  n[0-9]+(\["[^"]*"\]:::[a-z]+| -(->|\.->)(\|"[^"]*"\|)? n[0-9]+))$' "$work/out" ||
    fail "$last: a line is no statement"

# What the languages would take for more than a text: an entity, which Graphviz makes a control, and a directive of Mermaid's.
root_of 05-raid5-reshape-4-to-5
sed -i 's, /home , /h\&#27;%%{init:{}}%%me ,' "$root/proc/self/mountinfo"
if [ -n "$graphviz" ]; then
    svg
    expect out '/h&amp;#27;%%[{]init:[{][}][}]%%me<'
fi
run 0 graph --format=mermaid --root "$root" "${policy[@]}"
expect out '/h#38;#35;27#59;#37;#37;#123;init:#123;#125;#125;#37;#37;me'

# Without Graphviz there is a sentence.
root_of 87-laptop-with-one-disk
PATH=/nonexistent run 1 graph --format=svg --root "$root" "${policy[@]}"
one_line err
expect err 'Graphviz'

usage_error graph --format=png
run 1 graph --root "$root" "${policy[@]}" nothing
one_line err

if [ -z "$graphviz" ] && [ "$failures" -eq 0 ]; then
    echo "graphviz is missing, so that drawings were not tested"
    exit 77
fi
finish
