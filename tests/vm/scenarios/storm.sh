# SPDX-License-Identifier: MIT
# summary: 20,000 events in 30 s: memory and descriptors stay, a scan a second, signals are answered, the end is right
# boot: own
# processor: own
# timeout: 300

seconds=30 events=20000
# The slow look at everything is not to help.
settings <<'YAML'
version: 1
reconcile: off
YAML
policy 10-maps <<'YAML'
version: 1
rules:
  - name: late and set by hand
    match: {name: [late, reset]}
    readahead: 8192s
    direction: both
  - {name: leave, match: {name: map*}, readahead: keep}
YAML
reload
light_udev
ram_disks 4
md_create md0 5 256 "${disks[@]}"
names=()
for ((i = 0; i < 199; i++)); do
    plain_map "map$i" $((100 + i)) /dev/md0
    names+=("dm-$((100 + i))")
done
plain_map reset 99 /dev/md0
names+=(dm-99)
udevadm settle
wait_until 30 ra_is /dev/dm-99 8192
setrad_settled 60
pid=$(setrad_pid)

# What it needs at most it has after a small one.
send-events 1000 2 "${names[@]}"
setrad_settled
files=$(open_files "$pid")
anonymous=$(memory "$pid" Anonymous)
resident=$(memory "$pid" Rss)
# What it takes without a storm: most of it is the scan, and on a busy machine all is slow.
quiet=$(answer_usec)
limit=$((quiet * 4 > 2000000 ? quiet * 4 : 2000000))
scans=$(scans_made)
ticks=$(cpu_ticks)

start=$(now_usec)
send-events "$events" "$seconds" "${names[@]}" &
sender=$!
worst=0 asked=0
while kill -0 "$sender" 2>/dev/null; do
    took=$(answer_usec)
    asked=$((asked + 1))
    if [ "$took" -gt "$worst" ]; then worst=$took; fi
    # In the middle of it, so that its own event is one of thousands.
    if [ "$asked" = 2 ]; then
        plain_map late 98 /dev/md0
        blockdev --setra 256 /dev/dm-99
    fi
    # Each look for the answer costs more than the answer.
    pause 3
done
wait "$sender"
took=$((($(now_usec) - start) / 1000000))
ticks=$(($(cpu_ticks) - ticks))
setrad_settled
# Those that this scenario asked for are no part of it, nor the one of setrad_settled.
scans=$(($(scans_made) - scans - asked - 2))
note "$scans scans in $took s, and $asked that were asked for; processor time: $ticks ticks of 10 ms; slowest answer to SIGUSR1: $((worst / 1000)) ms, $((quiet / 1000)) ms without events"
assert_ratio "$scans" "$((took + 3))" '<=' 1 "scans that events made, of one a second"
[ "$scans" -ge 5 ] || fail "only $scans scans: the events did not come"
assert_ratio "$ticks" "$((took * 100))" '<' 0.6 "share of a processor"
assert_ratio "$worst" "$limit" '<' 1 "slowest answer of $asked to SIGUSR1, of 2 s, or of four times what it takes without events"
note "KiB anonymous: $anonymous before, $(memory "$pid" Anonymous) after; resident: $resident before, $(memory "$pid" Rss) after"
assert_ratio "$(memory "$pid" Anonymous)" "$((anonymous + 512))" '<=' 1 "anonymous memory, of 512 KiB more than before"
assert_ratio "$(memory "$pid" Rss)" "$((resident + 512))" '<=' 1 "resident memory, of 512 KiB more than before"
assert_eq "$(open_files "$pid")" "$files" "open files"
assert_eq "$(ra /dev/dm-98)" 8192 "readahead of the map that was made meanwhile"
assert_eq "$(ra /dev/dm-99)" 8192 "readahead of the map that was set meanwhile"
assert_eq "$(ra /dev/dm-100)" 3072 "readahead of a map that is to be left alone"
# The socket holds some 300 events (docs/service.md), and more may come while a scan is under way: then all is read anew,
# which is told of once a minute at most.
lost=$(count_said 'faster than they could be read')
note "lines about lost events: $lost"
assert_ratio "$lost" 2 '<=' 1 "lines about lost events, of two"
assert_eq "$(setrad_pid)" "$pid" "the service's process"
