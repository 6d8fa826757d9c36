# SPDX-License-Identifier: MIT
# summary: events are lost as the buffer is full: one line says so, everything is read anew, and what they told of is right
# boot: own
# timeout: 240

# The slow look at everything is not to help.
settings <<'YAML'
version: 1
reconcile: off
YAML
policy 10-maps <<'YAML'
version: 1
rules:
  - name: raise
    match: {name: [lost, reset]}
    readahead: 8192s
    direction: both
  - {name: leave, match: {name: map*}, readahead: keep}
YAML
reload
ram_disks 4
md_create md0 5 256 "${disks[@]}"
names=()
for i in {0..9}; do
    plain_map "map$i" $((100 + i)) /dev/md0
    names+=("dm-$((100 + i))")
done
plain_map reset 99 /dev/md0
udevadm settle
wait_until 10 ra_is /dev/dm-99 8192
setrad_settled
pid=$(setrad_pid)
files=$(open_files "$pid")
anonymous=$(memory "$pid" Anonymous)

# drops: how many messages setrad's sockets of NETLINK_KOBJECT_UEVENT (15) have lost; the number of each is its process's
drops() { awk -v pid="$pid" '$2 == 15 && $3 == pid { n += $9 } END { print n + 0 }' /proc/net/netlink; }

assert_eq "$(drops)" 0 "events that setrad has lost before"
kill -STOP "$pid"
send-events 20000 0 "${names[@]}"
flooded=$(drops)
[ "$flooded" -gt 0 ] || fail "20000 events did not fill the buffer"
# All that is told of these is lost.
plain_map lost 98 /dev/md0
dmsetup suspend reset
dmsetup load reset --table '0 65536 linear /dev/md0 262144'
dmsetup resume reset
blockdev --setra 256 /dev/dm-99
drop_map map9
udevadm settle
lost=$(($(drops) - flooded))
note "lost: $flooded of 20000 events, and $lost of the maps'"
[ "$lost" -ge 3 ] || fail "the events of the maps were not lost"
ticks=$(cpu_ticks)
kill -CONT "$pid"
start=$(now_usec)
wait_until 10 ra_is /dev/dm-98 8192
note "corrected $((($(now_usec) - start) / 1000)) ms after it went on"
wait_until 10 ra_is /dev/dm-99 8192
setrad_settled
note "processor time: $(($(cpu_ticks) - ticks)) ticks of 10 ms"
assert_eq "$(count_said 'events came faster than they could be read; everything is read anew')" 1 "lines about it"
assert_eq "$(ra /dev/dm-100)" 3072 "readahead of a map that is to be left alone"
assert_eq "$(open_files "$pid")" "$files" "open files"
assert_ratio "$(memory "$pid" Anonymous)" "$((anonymous + 512))" '<=' 1 "anonymous memory, of 512 KiB more than before"
took=$(answer_usec)
assert_ratio "$took" 1000000 '<' 1 "answer to SIGUSR1, in seconds"

# Events are heard again.
drop_map lost
plain_map lost 97 /dev/md0
wait_until 10 ra_is /dev/dm-97 8192
