#!/bin/bash
# SPDX-License-Identifier: MIT
# setractl history over journals that are made here; those of a running service are a scenario of tests/vm.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

export TZ=UTC0
remote=/lib/systemd/systemd-journal-remote
changed=76133f74eb0948f98133e918f354476a
reverted=1f26eb83c2eb44f4839cec3ccdc2757b
drift=3a6ef902a4f84d88bb5562e7970da676
gave_up=7f69967513ce47eba0739358ae3bd8f0
held=742b0070a04d4854a5332e45e2286393
failed=2681f2f02c6e43d9b5be913e856fccc4
scanned=5835043464b24f79a03153f6d5c31e74
start=1796068213 # Mon 2026-11-30 19:50:13 UTC

# What needs no journal.
usage_error history --since nonsense
expect err "--since: 'nonsense' is no time"
usage_error history --until ''
usage_error history --since now --until -1h
expect err '--since is later than --until'
for number in 0 -1 x 1x '' 99999999999999999999; do
    usage_error history -n "$number"
    expect err "--lines: '$number' is no number"
done
usage_error history dm-0 dm-1
expect err "takes one device, or none for all: 'dm-1'"
usage_error history --raw
usage_error history --root /
usage_error scan --since now
usage_error scan --directory "$work"

# A letter that two commands have means what the command makes of it, wherever it stands.
mkdir "$work/empty"
for arguments in 'history -n 5' '-n 5 history' '-n5 history' 'history -n5'; do
    # shellcheck disable=SC2086
    run 1 $arguments -D "$work/empty"
    expect err "^setractl: there is no journal in $work/empty$"
    empty out
done
run 1 -D "$work/empty" -n 5 -- history
expect err '^setractl: there is no journal'
run 1 history -D "$work/nowhere"
expect err "^setractl: cannot read the journal in $work/nowhere: No such file or directory$"

if [ ! -x $remote ]; then
    [ "$failures" -eq 0 ] || finish
    echo "$remote is missing (package systemd-journal-remote)"
    exit 77
fi

# entry AFTER_SECONDS MESSAGE_ID FIELD=VALUE…: one of the service's; a field given again in a line of its own counts
entry() {
    local field fields=(_UID=0 _SYSTEMD_UNIT=setrad.service SETRAD_DEVICE=dm-3 SETRAD_LABEL=vg0/da-ta)
    printf '__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=%d\n_BOOT_ID=%032d\n_MACHINE_ID=%032d\n' \
        $(((start + $1) * 1000000)) $((1000000 + $1)) 1 2
    printf 'MESSAGE_ID=%s\n' "$2"
    shift 2
    for field in "${fields[@]}"; do
        case " $* " in
            *" ${field%%=*}="*) ;;
            *) printf '%s\n' "$field" ;;
        esac
    done
    for field; do
        case $field in
            *$'\n'*) # the binary form: name, length in 8 bytes, value
                local value=${field#*=} length
                length=$(LC_ALL=C; echo ${#value})
                printf '%s\n' "${field%%=*}"
                printf '%b\0\0\0\0\0\0\0' "\\x$(printf %02x "$length")"
                printf '%s\n' "$value"
                ;;
            *=) ;; # not there
            *) printf '%s\n' "$field" ;;
        esac
    done
    echo
}

# journal NAME: a directory with the journal of what is on stdin
journal() {
    mkdir -p "$work/$1"
    cat >"$work/export"
    "$remote" -o "$work/$1/system.journal" "$work/export" >"$work/remote" 2>&1 || fail "$remote: $(<"$work/remote")"
}

measured=(SETRAD_MBPS_BEFORE=49.90 SETRAD_MBPS_AFTER=146.20 SETRAD_GAIN=2.930 SETRAD_PROBE_VERDICT=faster)
{
    entry 0 $changed SETRAD_RA_BEFORE=256 SETRAD_RA_AFTER=3072 'SETRAD_RULE=stacks over arrays' "${measured[@]}" MESSAGE=first
    entry 60 $scanned MESSAGE=scanned
    entry 120 $drift SETRAD_RA_BEFORE=512 'SETRAD_RULE=stacks over arrays' MESSAGE=second
    entry 180 $changed SETRAD_RA_BEFORE=512 SETRAD_RA_AFTER=3072 SETRAD_PROBE_SKIPPED=busy MESSAGE=third
    entry 240 $held SETRAD_DEVICE=md0 SETRAD_LABEL=md0 SETRAD_RULE=r MESSAGE=fourth
    entry 300 $changed SETRAD_RA_BEFORE=3072 SETRAD_RA_AFTER=3072 SETRAD_MBPS_BEFORE=146 SETRAD_MBPS_AFTER=40 \
        SETRAD_GAIN=0.274 SETRAD_PROBE_VERDICT=slower MESSAGE=fifth
    entry 360 $gave_up SETRAD_RA_BEFORE=512 MESSAGE=sixth
    entry 420 $failed MESSAGE=seventh
    entry 480 $reverted SETRAD_RA_BEFORE=3072 SETRAD_RA_AFTER=256 MESSAGE=eighth
    entry 540 $reverted SETRAD_DEVICE=dm-9 SETRAD_LABEL=gone MESSAGE=ninth
    entry 600 $changed SETRAD_DEVICE=dm-9 SETRAD_LABEL=crypt-x SETRAD_RA_BEFORE=256 SETRAD_RA_AFTER=1024 \
        SETRAD_MBPS_BEFORE=100 SETRAD_MBPS_AFTER=101 SETRAD_GAIN=1.01 'SETRAD_PROBE_VERDICT=no difference' MESSAGE=tenth
} | journal one

mkdir "$work/documents"
run 0 history -D "$work/one"
golden history
empty err
run 0 history -D "$work/one" vg0/da-ta
golden history-device
# Not cut off where it is not a terminal, whatever COLUMNS says.
COLUMNS=20 run 0 history -D "$work/one"
golden history

run 0 history --json -D "$work/one"
query .version 1
query '[.entries[].message]' '["first","second","third","fourth","fifth","sixth","seventh","eighth","ninth","tenth"]'
query '[.entries[].event]' '["changed","drift","changed","held","put-back","gave-up","failed","reverted","not-reverted","changed"]'
query '.entries[0]' '{"time_usec":1796068213000000,"name":"dm-3","label":"vg0/da-ta","event":"changed","from_sectors":256,"to_sectors":3072,"rule":"stacks over arrays","mbps_before":49.9,"mbps_after":146.2,"gain":2.93,"verdict":"faster","skipped":null,"message":"first"}'
query '.entries[2].skipped' '"busy"'
query '.entries[3] | [.rule, .from_sectors, .to_sectors, .gain]' '["r",null,null,null]'

# shown EXPECTED ARGUMENT…: the messages of these entries
shown() {
    local expected=$1
    shift
    run 0 history --json -D "$work/one" "$@"
    query '[.entries[].message] | join(" ")' "\"$expected\""
}
of_data='first second third fifth sixth seventh eighth'
for name in vg0/da-ta /dev/vg0/da-ta vg0-da--ta /dev/mapper/vg0-da--ta dm-3 /dev/dm-3; do shown "$of_data" "$name"; done
shown fourth md0
shown 'ninth tenth' dm-9
shown tenth /dev/mapper/crypt-x
shown '' vg0/data
shown 'ninth tenth' -n 2
shown 'seventh eighth' -n 2 dm-3
shown "$of_data" -n 1000 dm-3
shown 'ninth tenth' --since '2026-11-30 19:59:13'
shown 'tenth' --since '2026-11-30 19:59:13.000001'
shown 'first second' --until '2026-11-30 19:52:13'
shown 'first' --until '2026-11-30 19:52:12.999999'
shown 'third' --since "@$((start + 180))" --until "@$((start + 180))"
shown 'second third' -n 2 --until "@$((start + 180))"
shown '' --since '2026-12-24'
TZ=XXX-1 shown 'ninth tenth' -S '2026-11-30 20:59:13'

run 0 history -D "$work/one" vg0/nope
expect out '^Nothing on record of vg0/nope\.$'
one_line out
run 0 history -D "$work/one" --since '2026-12-24'
expect out '^Nothing on record in that time: the journal tells of no change by setrad\.service\.$'
run 0 history -D "$work/one" --since '2026-12-24' dm-3
expect out '^Nothing on record in that time of dm-3\.$'
run 0 history -D "$work/one" --since '2026-12-24' --json
query . '{"version":1,"entries":[]}'

# Only the service is believed: not another user, another unit, a unit of a user's manager, or who says nothing of himself.
{
    entry 0 $changed _UID=1000 MESSAGE=user
    entry 1 $changed _SYSTEMD_UNIT=session-1.scope MESSAGE=session
    entry 2 $changed _SYSTEMD_UNIT=user@0.service _SYSTEMD_USER_UNIT=setrad.service MESSAGE=manager
    entry 3 $changed _UID= MESSAGE=nobody
    entry 4 $changed _SYSTEMD_UNIT= UNIT=setrad.service SYSLOG_IDENTIFIER=setrad _COMM=setrad MESSAGE=nothing
    entry 5 $changed _UID=1000 _SYSTEMD_UNIT=session-1.scope UID=0 MESSAGE=both
    entry 6 $changed _SYSTEMD_UNIT=setrad.service.evil.service MESSAGE=longer
} | journal forged
run 0 history -D "$work/forged" --json
query '[.entries[].message]' '[]'
entry 9 $changed MESSAGE=true >"$work/true"
cat "$work/export" "$work/true" | journal mixed
run 0 history -D "$work/mixed" --json
query '[.entries[].message]' '["true"]'

# Hostile text: nothing that acts on a terminal, and one line an entry.
{
    entry 0 $changed $'SETRAD_LABEL=\e[2Jvg\nfake line' $'SETRAD_RULE=\xe2\x80\xaereversed\xff' SETRAD_RA_BEFORE=-5 \
        SETRAD_RA_AFTER=9999999999999999999999 SETRAD_MBPS_BEFORE=nan SETRAD_MBPS_AFTER=inf SETRAD_GAIN=-1 MESSAGE=x
    entry 1 $changed SETRAD_LABEL= SETRAD_DEVICE= MESSAGE=
} | journal hostile
run 0 history -D "$work/hostile"
[ "$(wc -l <"$work/out")" -eq 3 ] || fail "$last: not three lines: $(cat "$work/out")"
expect out '\\x1b\[2Jvg\\x0afake line \(dm-3\) +changed +- +- +- +- +\\xe2\\x80\\xaereversed\\xff *$'
if LC_ALL=C grep -q '[[:cntrl:]]' "$work/out"; then fail "$last: control characters in the output"; fi
run 0 history -D "$work/hostile" --json
query '.entries[0] | [.label, .from_sectors, .to_sectors, .mbps_before, .mbps_after, .gain]' \
    '["\u001b[2Jvg\nfake line",null,null,null,null,null]'
query '.entries[1] | [.name, .label, .message]' '[null,null,null]'

# All of that JSON is as docs/setractl.schema.json says.
# shellcheck source=tests/json/python.bash
. tests/json/python.bash
"$python" tests/json/check-schema --documents history "$work"/documents/* >"$work/schema" || [ $? -eq 77 ] || fail "$(<"$work/schema")"

# A damaged file is no reason to fail, or to hang.
mkdir "$work/damaged"
head -c 100000 "$work/one/system.journal" >"$work/damaged/system.journal"
"$setractl" history -D "$work/damaged" >"$work/out" 2>"$work/err"
[ $? -le 1 ] || fail "history of a file that is cut off: $(cat "$work/err")"

# On a terminal no row is wider than that; where there is room, nothing is cut off.
for columns in 80 200; do
    on_terminal 0 $columns history -D "$work/one" vg0/da-ta
    golden "history-$columns-columns"
    no_wider $columns
done

finish
