# SPDX-License-Identifier: MIT
# summary: killed at 100 moments while it changes 50 maps, setrad still knows each one's original value and puts it back
# length: long
# boot: own
# timeout: 600

expect_restart
# Killed before it was ready.
expect_error "^Failed to start setrad.service"
systemctl stop setrad.service
mkdir -p /run/systemd/system/setrad.service.d
cat >/run/systemd/system/setrad.service.d/often.conf <<'EOT'
[Unit]
StartLimitIntervalSec=0
[Service]
RestartSec=400ms
EOT
systemctl daemon-reload

light_udev
ram_disks 4
md_create md0 5 256 "${disks[@]}"
maps=50
# Whole pages, each another; none is a value that the kernel would work out.
original() { echo $((264 + 8 * $1)); }
originals=
for ((i = 0; i < maps; i++)); do
    plain_map "map$i" $((100 + i)) /dev/md0
    blockdev --setra "$(original "$i")" "/dev/dm-$((100 + i))"
    originals+="${originals:+, }\"map$i\": $(original "$i")"
done
originals="{$originals}"
udevadm settle

# rule SECTORS
rule() {
    policy 10-maps <<YAML
version: 1
rules:
  - name: to $1
    match: {name: map*}
    readahead: $1s
    direction: both
YAML
}

# main_process: sets main to that of the service, or to nothing; without a process of its own, as there are many rounds
main_process() {
    main=
    { read -r main </sys/fs/cgroup/system.slice/setrad.service/cgroup.procs; } 2>/dev/null || true
}

# running: whether there is a setrad that is not the one that was killed
running() { main_process && [ -n "$main" ] && [ "$main" != "$pid" ]; }

# wrong_originals, under_way: filters of a ledger, which must parse
# shellcheck disable=SC2016  # jq's own
wrong_originals='[.entries[] | select(.original_sectors != $originals[.change.label])] | length'
under_way='[.entries[] | select(.change.pending)] | length'

# ledger FILTER: what that says of the ledger
ledger() { jq -r --argjson originals "$originals" "$1" /run/setrad/ledger.json; }

# wait_for_change NUMBER SECTORS: until that map has that value
wait_for_change() {
    local tries
    for ((tries = 0; tries < 5000; tries++)); do
        read_ra "dm-$((100 + $1))"
        if [ "$sectors" = "$2" ]; then return; fi
        pause 0.004
    done
    fail "map$1 has $sectors sectors, wanted $2"
}

# all_ra: sets values, the readahead of each map by number
all_ra() {
    local i
    values=()
    for ((i = 0; i < maps; i++)); do
        read_ra "dm-$((100 + i))"
        values+=("$sectors")
    done
}

# assert_all WANTED… WHAT: what all_ra finds
assert_all() {
    all_ra
    [ "${values[*]}" = "${*:1:$#-1}" ] || fail "${*: -1}: got ${values[*]}, wanted ${*:1:$#-1}"
    note "${*: -1}: ${values[*]:0:3} … ${values[-1]}"
}

RANDOM=20480
kills=100 while_busy=0 most=0 half_saved=0 mixed=0
rule 4096
pid=0
systemctl start --no-block setrad.service
for ((round = 0; round < kills; round++)); do
    wait_until 20 running
    pid=$main
    # It starts with a scan, and then changes all maps; the next one is to give them another value.
    moment=$((RANDOM % 60))
    target=$((4096 + 4096 * (round % 2)))
    if [ "$moment" -lt "$maps" ]; then wait_for_change "$moment" "$target"; else pause "0.$((RANDOM % 4))"; fi
    pause "$(printf '0.0%02d' $((RANDOM % 40)))"
    kill -KILL "$pid"
    rule $((12288 - target))
    while [ -d "/proc/$pid" ]; do pause 0.01; done
    if [ -e /run/setrad/ledger.json.new ]; then half_saved=$((half_saved + 1)); fi
    [ -e /run/setrad/ledger.json ] || continue
    read -r wrong pending < <(ledger "\"\($wrong_originals) \($under_way)\"")
    [ "$wrong" = 0 ] || fail "round $round: $wrong wrong original values: $(</run/setrad/ledger.json)"
    if [ "$pending" -gt 0 ]; then while_busy=$((while_busy + 1)); fi
    if [ "$pending" -gt "$most" ]; then most=$pending; fi
    all_ra
    if [ "$(printf '%s\n' "${values[@]}" | sort -u | wc -l)" -gt 1 ]; then mixed=$((mixed + 1)); fi
done
note "of $kills kills $while_busy with changes under way (at most $most), $half_saved in the middle of a save, $mixed with only some maps changed"
[ "$while_busy" -ge 30 ] || fail "it was hardly ever killed while it changed something"

wait_until 20 running
setrad_settled 60
target=$((4096 + 4096 * (kills % 2)))
mapfile -t wanted < <(for ((i = 0; i < maps; i++)); do echo "$target"; done)
assert_all "${wanted[@]}" "readahead of all, once it is left in peace"
assert_eq "$(ledger '.entries | length')" "$maps" "entries in the ledger"
assert_eq "$(ledger "$wrong_originals")" 0 "wrong original values"
assert_eq "$(ledger "$under_way")" 0 "changes under way"
assert_eq "$(count_said 'ledger was damaged')" 0 "damaged ledgers"

systemctl stop setrad.service
setractl revert --all >"$scenario_dir/out"
assert_eq "$(grep -c 'its original value' "$scenario_dir/out")" "$maps" "maps that revert --all put back"
mapfile -t wanted < <(for ((i = 0; i < maps; i++)); do original "$i"; done)
assert_all "${wanted[@]}" "readahead of all, after revert --all"
assert_eq "$(find /run/setrad -type f ! -name setrad.pid | sort | tr '\n' ' ')" "/run/setrad/ledger.json /run/setrad/lock " "files in /run/setrad"
systemctl start setrad.service
