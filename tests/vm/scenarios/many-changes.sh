# SPDX-License-Identifier: MIT
# summary: 1000 changes at once, by apply, by revert and by the service, take no more each than 100; one that hangs holds up none
# boot: shared
# processor: own
# timeout: 300

expect_restart
systemctl stop setrad.service
# Nothing here needs udev's rules, and 1000 maps are a thousand events.
light_udev
for rules in /usr/lib/udev/rules.d/*.rules; do : >"/run/udev/rules.d/${rules##*/}"; done
udevadm control --reload
settings <<'YAML'
version: 1
worker-deadline: 20s
YAML
ram_disks 4
md_create md0 5 64 "${disks[@]}"
dm_major=$(awk '$2 == "device-mapper" { print $1 }' /proc/devices)

# maps FIRST LAST: many0 is /dev/dm-100, and so on; in one process. They have 768 sectors, as the array.
maps() {
    local i table=
    for ((i = $1; i <= $2; i++)); do
        table+="${table:+;}many$i,,$((100 + i)),rw,0 65536 linear /dev/md0 153600"
    done
    dmsetup create --noudevsync --concise "$table"
    udevadm settle
}

# rule SECTORS: what all maps are to have
rule() {
    policy 10-maps <<YAML
version: 1
rules:
  - {name: many, match: {name: 'many*'}, readahead: $1s, direction: both, probe: {when: never}}
YAML
}

# count_ra N SECTORS: sets count, how many of the first N maps have that
count_ra() {
    local i
    count=0
    for ((i = 0; i < $1; i++)); do
        read_ra "dm-$((100 + i))"
        if [ "$sectors" = "$2" ]; then count=$((count + 1)); fi
    done
}

# all_have N SECTORS: looks at the last first, which is changed last
all_have() {
    read_ra "dm-$((99 + $1))"
    [ "$sectors" = "$2" ] || return 1
    count_ra "$1" "$2"
    [ "$count" = "$1" ]
}

# assert_all N SECTORS WHAT
assert_all() {
    count_ra "$1" "$2"
    assert_eq "$count" "$1" "$3"
}

# took START_USEC N WHAT: sets msec; what that took for N of them, and how many a second that is
took() {
    msec=$((($(now_usec) - $1) / 1000))
    note "$3: $2 in $msec ms, $(($2 * 1000 / (msec > 0 ? msec : 1))) a second"
}

# on_record N SECTORS: how many entries there are of that value, with their original one, and settled
on_record() {
    jq --argjson to "$1" '[.entries[] | select(.original_sectors == 768 and .change.new_sectors == $to and
        (.change.pending | not))] | length' /run/setrad/ledger.json
}

# round N: all three ways for N maps; sets by_apply, by_revert and by_service, in milliseconds
round() {
    local start
    rule 2048
    start=$(now_usec)
    setractl apply --no-probe >"$scenario_dir/out"
    took "$start" "$1" "apply"
    by_apply=$msec
    assert_eq "$(grep -c 'readahead 768 → 2048 sectors' "$scenario_dir/out")" "$1" "lines about changes"
    assert_all "$1" 2048 "maps that apply has changed"
    assert_eq "$(on_record 2048)" "$1" "changes on record"

    start=$(now_usec)
    setractl revert --all >"$scenario_dir/out"
    took "$start" "$1" "revert --all"
    by_revert=$msec
    assert_eq "$(grep -c 'its original value' "$scenario_dir/out")" "$1" "lines about originals"
    assert_all "$1" 768 "maps that revert has put back"

    rule 4096
    start=$(now_usec)
    systemctl start setrad.service
    wait_until 60 all_have "$1" 4096
    took "$start" "$1" "service, from its start"
    by_service=$msec
    told() { [ "$(changes_made | wc -l)" -ge "$1" ]; }
    wait_until 30 told "$1"
    assert_eq "$(on_record 4096)" "$1" "changes of the service on record"
    took "$start" "$1" "and told of"
}

# wait_for_worker: sets worker to the first that setrad, process $pid, has now; without a process of its own, to be in time
wait_for_worker() {
    local processes process end=$((SECONDS + 30))
    worker=
    until [ -n "$worker" ]; do
        [ "$SECONDS" -lt "$end" ] || fail "setrad has no worker"
        mapfile -t processes </sys/fs/cgroup/system.slice/setrad.service/cgroup.procs
        for process in "${processes[@]}"; do
            if [ "$process" != "$pid" ]; then worker=$process; fi
        done
    done
}

# has_begun: whether some have the value 8192; a look at a few is quick enough to be in time
has_begun() {
    local number
    for number in 150 350 550 750 950; do
        read_ra "dm-$number"
        if [ "$sectors" = 8192 ]; then return; fi
    done
    [ "$SECONDS" -lt "$begun_end" ] || fail "nothing is changed"
    return 1
}

# assert_linear MSEC MSEC_OF_100 WHAT: ten times as many take about ten times as long; 60 s are far more than it takes
assert_linear() {
    assert_ratio "$1" "$2" '<=' 15 "$3: time for 1000 to that for 100"
    assert_ratio "$1" 60000 '<' 1 "$3: time for 1000 to a minute"
}

maps 0 99
round 100
systemctl stop setrad.service
apply_100=$by_apply revert_100=$by_revert service_100=$by_service
# As if it had never been there.
rm /run/setrad/ledger.json
journal_cursor=$(journalctl --quiet -n 0 --show-cursor | sed -n 's/^-- cursor: //p')
rule 768
setractl apply --no-probe >/dev/null
rm /run/setrad/ledger.json
maps 100 999
round 1000
assert_linear "$by_apply" "$apply_100" apply
assert_linear "$by_revert" "$revert_100" revert
assert_linear "$by_service" "$service_100" service

# One is suspended, and the worker comes to a halt at another: neither holds up the other 998.
setrad_settled 60
dmsetup suspend --noudevsync many700
rule 8192
pid=$(setrad_pid)
kill -HUP "$pid"
wait_for_worker
# In the middle of what it does.
begun_end=$((SECONDS + 30))
until has_begun; do :; done
kill -STOP "$worker"
start=$(now_usec)
count_ra 1000 8192
note "the worker was stopped after $count of 1000"
[ "$count" -lt 990 ] || fail "the worker was not stopped in time"
most_have() { count_ra 1000 8192 && [ "$count" -ge 998 ]; }
wait_until 60 most_have
took "$start" "$count" "the others"
[ -d "/proc/$worker" ] || note "it was ended at once, as it was at none"
read_ra dm-800
assert_eq "$sectors" 4096 "readahead of the map that is suspended"
said '^many700 .*: held: the map is suspended' || fail "no word about the map that is suspended"
# The one that it was at, if any, is given up at the deadline, and made by another one unless it had come so far.
worker_is_gone() { [ ! -d "/proc/$worker" ]; }
wait_until 40 worker_is_gone
dmsetup resume --noudevsync many700
wait_until 20 all_have 1000 8192
wait_until 30 said '^many700: no longer held'
setrad_settled 60
assert_eq "$(on_record 8192)" 1000 "changes on record"
