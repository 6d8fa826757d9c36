#!/bin/bash
# SPDX-License-Identifier: MIT
# What scan, plan and apply show on a terminal and elsewhere: widths, colours, advice, questions.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1
export LC_ALL=C TERM=xterm
unset NO_COLOR COLUMNS

stacks_policy
raid5_root
block dm-2 253:2 2097152 256 262144 1835008
over dm-2 md0
map dm-2 vg0-frozen ${lvm_uuid}000000000000000000000000000000a3 1 '0 2097152 linear 9:0 4204032'
mkdir -p "$root/run/udev/data"
given=(--root "$root" --policy "$work/policy.yaml")
wide=(-o '+reason,rule,finding,use')
escape=$'\e'

# widest MAX: no line of the table has more columns.
widest() {
    local columns
    columns=$(sed '/^$/,$d' "$work/out" | LC_ALL=C.UTF-8 wc -L)
    [ "$columns" -le "$1" ] || fail "$last: has $columns columns: $(head -3 "$work/out")"
}

no_escapes() { if grep -q "$escape" "$work/out"; then fail "$last: has colours"; fi; }

# --- widths

on_terminal 0 80 scan "${given[@]}" --color=never
golden terminal-scan-80
widest 80
on_terminal 0 80 scan "${given[@]}" --color=never "${wide[@]}"
golden terminal-wide-80
on_terminal 0 200 scan "${given[@]}" --color=never "${wide[@]}"
golden terminal-wide-200
widest 200
on_terminal 0 120 scan "${given[@]}" --color=never -o name,ra,reason,rule
cp "$work/out" "$work/in-120"
widest 120
COLUMNS=60 on_terminal 0 200 scan "${given[@]}" --color=never -o name,ra,reason,rule
widest 60
grep -q '^vg0/data (dm-0) ' "$work/out" || fail "$last: no whole name"
COLUMNS=many on_terminal 0 120 scan "${given[@]}" --color=never -o name,ra,reason,rule
cmp -s "$work/in-120" "$work/out" || fail "$last: COLUMNS that is no number counts"

# Elsewhere nothing is cut off or broken, whatever the width, and there is no advice.
COLUMNS=60 run 0 scan "${given[@]}" "${wide[@]}"
golden terminal-wide-piped
no_escapes
expect out '2 × stripe width 1792 KiB of md0, raid5 8 × 256 KiB'
run 0 plan "${given[@]}"
cp "$work/out" "$work/piped"
no_escapes

# --- upside down, and in bytes

run 0 scan "${given[@]}" --inverse
golden scan-inverse
run 0 scan "${given[@]}" -s --raw --noheadings -o kname
[ "$(head -n 5 "$work/out" | paste -sd ' ')" = 'sda md0 dm-0 dm-1 dm-2' ] || fail "$last: order: $(paste -sd ' ' "$work/out")"
[ "$(sort "$work/out" | uniq -d)" = "" ] || fail "$last: a layer is there twice"
[ "$(wc -l <"$work/out")" -eq 13 ] || fail "$last: not each layer"
run 0 scan "${given[@]}" -b -o name,size,stripe,chunk,io-opt,state
golden scan-bytes
run 0 scan "${given[@]}" --bytes -n -o size
expect out '^ *1073741824$'
usage_error scan "${given[@]}" --json --inverse
usage_error scan --bytes=1MiB
usage_error plan --bytes
expect err 'plan takes no --bytes'
usage_error probe --bytes

# The name that it once had.
run 0 scan "${given[@]}" --no-headings
cp "$work/out" "$work/before"
run 0 scan "${given[@]}" --noheadings
cmp -s "$work/before" "$work/out" || fail "--no-headings is another thing than --noheadings"
run 0 scan --help
if grep -q -- --no-headings "$work/out"; then fail "$last: --no-headings is still shown"; fi

# --- colours

yellow="${escape}\[33m" cyan="${escape}\[36m" red="${escape}\[31m" green="${escape}\[32m" bold="${escape}\[1m"
on_terminal 0 200 scan "${given[@]}"
expect out "^${yellow}vg0/data .*raise to 3\.5 MiB *${escape}\[0m$"
expect out "^${cyan}vg0/frozen .* hold *${escape}\[0m$"
expect out "^vg0/home "
expect out "^${red}warning${escape}\[0m: vg0/data "
on_terminal 0 80 plan "${given[@]}"
expect out "^${red}- vg0/data .*${escape}\[0m$"
expect out "^${green}\+ vg0/data .*${escape}\[0m$"
expect out "^${cyan}held${escape}\[0m: vg0/frozen"
on_terminal 0 80 explain "${given[@]}" dm-0
expect out "^${bold}Findings${escape}\[0m$"
run 0 scan "${given[@]}" --color=always
expect out "^${yellow}vg0/data "
NO_COLOR=1 run 0 plan "${given[@]}" --color=always
expect out "^${red}- vg0/data "
for form in --json --pairs --raw; do
    run 0 scan "${given[@]}" --color=always $form
    no_escapes
done
for setting in NO_COLOR=1 TERM=dumb TERM=; do
    for command in scan plan 'explain dm-0'; do
        # shellcheck disable=SC2086
        (failures=0 && export "${setting?}" && on_terminal 0 80 $command "${given[@]}" && no_escapes && finish) || fail "$setting"
    done
done
for option in --color=never --color=auto --color; do
    run 0 scan "${given[@]}" $option
    no_escapes
done
NO_COLOR='' on_terminal 0 80 plan "${given[@]}" --color
expect out "$red"
on_terminal 0 80 plan "${given[@]}" --color=never
no_escapes
usage_error scan "${given[@]}" --color=purple
expect err "auto, always or never, not 'purple'"
usage_error history --color

# --- advice: a line on terminals only

expect_advice() { [ "$(tail -n 1 "$work/out")" = "$1" ] || fail "$last: no advice: $(tail -n 1 "$work/out")"; }
on_terminal 0 80 scan "${given[@]}"
expect_advice "'setractl plan' with the same options shows the change."
on_terminal 0 80 scan "${given[@]}" -n
if grep -q "'setractl" "$work/out"; then fail "$last: advice without headings"; fi
on_terminal 0 80 plan "${given[@]}" --color=never
diff "$work/piped" "$work/out" || fail "$last: differs from what goes to a pipe"
run 0 scan "${given[@]}"
if grep -q "'setractl" "$work/out"; then fail "$last: advice in a pipe"; fi
sed 's/direction: raise/direction: report/' "$work/policy.yaml" >"$work/report.yaml"
on_terminal 0 80 scan --root "$root" --policy "$work/report.yaml"
expect_advice "'setractl explain DEV' says more about a device, and what to type."

# --- questions: of those that change something only the conditions (the rest is in the VM test apply-interactive)

usage_error apply --interactive --dry-run
run 1 apply --interactive </dev/null
empty out
one_line err
expect err '^setractl: --interactive needs a terminal'

finish
