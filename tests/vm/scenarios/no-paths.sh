# SPDX-License-Identifier: MIT
# summary: what lies over a multipath map that queues without paths waits for one; the service answers all the while
# boot: own
# timeout: 180

expect_restart
systemctl stop setrad.service
# Two ways to one disk.
modprobe scsi_debug dev_size_mb=64 add_host=2 vpd_use_hostno=0
modprobe dm-multipath
modprobe dm-round-robin
ram_disks 1
udevadm settle
paths=()
for path in /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/*; do paths+=("$(<"$path/dev")"); done
assert_eq ${#paths[@]} 2 "paths"
path0=${paths[0]} path1=${paths[1]}
dmsetup create mp --table "0 131072 multipath 1 queue_if_no_path 0 1 1 round-robin 0 2 1 $path0 1 $path1 1"
md_create md0 0 256 /dev/mapper/mp "${disks[0]}"
linear_map top /dev/md0
udevadm settle
note "$(dmsetup status mp)"

lose_paths() {
    dmsetup message mp 0 "fail_path $path0"
    dmsetup message mp 0 "fail_path $path1"
    note "$(dmsetup status mp)"
}
# answers: the slowest of five answers to SIGUSR1
answers() {
    local worst=0 took
    for _ in {1..5}; do
        took=$(answer_usec)
        note "answered SIGUSR1 after $took µs"
        if [ "$took" -gt "$worst" ]; then worst=$took; fi
    done
    assert_ratio "$worst" 1000000 '<' 1 "slowest answer of five to SIGUSR1, in seconds"
}
held='^top .*: held: map mp has none of its 2 paths left$'

# Without paths from the start, and somebody waits for them.
lose_paths
dd if=/dev/mapper/top of=/dev/null bs=4k count=64 iflag=direct status=none &
reader=$!
systemctl start setrad.service
wait_until 10 said "$held"
answers
assert_eq "$(ra /dev/mapper/top)" 256 "readahead while there is no path"
assert_eq "$(count_said "$held")" 1 "times that the hold was told of"
assert_eq "$(layer top .action) $(layer mp .action)" "hold ignore" "what the scan says"
[ -d "/proc/$reader" ] || fail "the map does not queue"

# One path is enough; the kernel tells of it.
start=$(now_usec)
dmsetup message mp 0 "reinstate_path $path1"
wait_until 10 ra_is /dev/mapper/top 2048
note "changed $((($(now_usec) - start) / 1000)) ms after a path was back"
wait "$reader"
wait_until 5 said '^top: no longer held'
setrad_settled

# Lost while the service runs, and then there is something to do.
dmsetup message mp 0 "reinstate_path $path0"
setrad_settled
lose_paths
policy 10-more <<'EOF'
version: 1
rules:
  - {name: more, match: {name: top}, readahead: 4096s}
EOF
reload
told_twice() { [ "$(count_said "$held")" = 2 ]; }
wait_until 10 told_twice
answers
assert_eq "$(ra /dev/mapper/top)" 2048 "readahead while there is no path"
dmsetup message mp 0 "reinstate_path $path0"
wait_until 10 ra_is /dev/mapper/top 4096
setrad_settled
assert_eq "$(pgrep -cP "$(setrad_pid)" || true)" 0 "workers that are left"
