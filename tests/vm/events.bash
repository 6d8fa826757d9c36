# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For the scenarios of what an event costs on machines of different size.

figures=/run/setrad/figures.prom

# start_counting: setrad anew, which does nothing but what an event makes it do, and says how long that took
start_counting() {
    settings <<YAML
version: 1
settle: 400ms
reconcile: off
metrics-file: $figures
YAML
    policy 10-maps <<'YAML'
version: 1
rules:
  - {name: maps, match: {name: 'm*'}, readahead: 512s, direction: report}
YAML
    systemctl restart setrad.service
    setrad_settled 120
}

stop_udev() { systemctl stop systemd-udevd-kernel.socket systemd-udevd-control.socket systemd-udevd.service; }

# add_maps FIRST N: maps m FIRST… of md0. udev does not hear of them: it would take longer than all the rest.
add_maps() {
    local i last=$(($1 + $2 - 1)) table=
    : "${dm_major:=$(awk '$2 == "device-mapper" { print $1 }' /proc/devices)}"
    stop_udev
    for ((i = $1; i <= last; i++)); do
        table+="m$i,,$((1000 + i)),rw,0 65536 linear /dev/md0 153600;"
        if [ $((i % 50)) = 0 ] || [ "$i" = "$last" ]; then
            dmsetup create --noudevsync --concise "${table%;}"
            table=
        fi
    done
    systemctl start systemd-udevd.service
    # udev has to know the maps whose events are looked at, or its first event of them is of another kind.
    event_maps=(dm-$((1000 + $1)) dm-$((1000 + $1 + 1)) dm-$((1000 + last)))
    for i in "${event_maps[@]}"; do udevadm trigger --settle --action=add "/sys/class/block/$i"; done
}

# figure NAME: sets value; without a process, which would be in the way of what is timed
figure() {
    local name
    while read -r name value; do
        if [ "$name" = "$1" ]; then return; fi
    done <"$figures"
}

# send_event NAME: a change event; returns when the scan that comes of it is over. When that begins, udev has done with the
# event, and nothing else runs.
send_event() {
    local before
    figure setrad_scans_total
    before=$value
    udevadm trigger --action=change "/sys/class/block/$1"
    pause 0.6
    # shellcheck disable=SC2317
    scanned() { figure setrad_scans_total && [ "$value" -gt "$before" ]; }
    wait_until 20 scanned
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : int((v[NR / 2] + v[NR / 2 + 1]) / 2) }'; }

# measure_events: sets event_usec, the median from the event to what is decided, without the time that news have to settle;
# and event_calls, the system calls that setrad makes of an event
measure_events() {
    local i times=$scenario_dir/times trace=$scenario_dir/trace tracer
    : >"$times"
    for ((i = 0; i < 15; i++)); do
        send_event "${event_maps[i % 3]}"
        figure setrad_scan_duration_seconds
        echo "$((10#${value/./}))" >>"$times"
    done
    event_usec=$(median <"$times")
    strace -f -c -o "$trace" -p "$(setrad_pid)" 2>/dev/null &
    tracer=$!
    # shellcheck disable=SC2317
    is_traced() { grep -q '^TracerPid:[[:space:]]*[1-9]' "/proc/$(setrad_pid)/status"; }
    wait_until 20 is_traced
    for ((i = 0; i < 6; i++)); do send_event "${event_maps[i % 3]}"; done
    kill -INT "$tracer"
    wait "$tracer" || true
    event_calls=$(awk '$NF == "total" { print int($4 / 6) }' "$trace")
}

count_layers() { figure 'setrad_layers{kind="dm-linear"}' && echo "$value"; }

# restart_counting N: with N maps
restart_counting() {
    local scans=
    systemctl restart setrad.service
    setrad_settled 300
    # It scans no more than half of the time, and the last scans were of all, and of all that lies over the array.
    pause 1
    while figure setrad_scans_total && [ "$value" != "$scans" ]; do
        scans=$value
        figure setrad_scan_duration_seconds
        pause "$((3 * ${value%.*} + 3))"
    done
    assert_eq "$(count_layers)" "$1" "maps that setrad knows"
}

# drop_maps FIRST LAST
drop_maps() {
    local i names=()
    for ((i = $1; i <= $2; i++)); do names+=("m$i"); done
    stop_udev
    printf '%s\n' "${names[@]}" | xargs -n 100 dmsetup remove --noudevsync
    systemctl start systemd-udevd.service
}

# compare_events N MEMORY_KIB: an event, and memory, with ten maps, with N, and with ten again, as the machine may be busier
# at one time than at another
compare_events() {
    local few_usec few_calls many_usec many_calls
    # The kernel has a thread for each map, and by itself as many as an eighth of memory has room for.
    echo $(($1 + 10000)) >/proc/sys/kernel/threads-max
    ram_disks 4
    md_create md0 5 64 "${disks[@]}"
    add_maps 0 10
    start_counting
    measure_events
    few_usec=$event_usec few_calls=$event_calls
    assert_ratio "$(memory "$(setrad_pid)" Anonymous)" 2048 '<' 1 "anonymous memory with 10 maps, of 2 MiB"

    add_maps 10 $(($1 - 10))
    restart_counting "$1"
    measure_events
    many_usec=$event_usec many_calls=$event_calls
    pause 2
    note "with $1 maps: $(memory "$(setrad_pid)" Anonymous) KiB anonymous, $(memory "$(setrad_pid)" Rss) KiB resident"
    assert_ratio "$(memory "$(setrad_pid)" Anonymous)" "$2" '<' 1 "anonymous memory with $1 maps, of $2 KiB"

    drop_maps 10 $(($1 - 1))
    event_maps=(dm-1000 dm-1001 dm-1009)
    restart_counting 10
    measure_events
    note "an event with 10 maps: $few_usec and $event_usec µs, $few_calls system calls; with $1: $many_usec µs, $many_calls system calls"
    assert_ratio "$many_calls" "$few_calls" '<=' 1.05 "system calls of an event, $1 maps to 10"
    assert_ratio "$((2 * many_usec))" "$((few_usec + event_usec))" '<=' 1.5 "time of an event, $1 maps to 10"
    drop_maps 0 9
}
