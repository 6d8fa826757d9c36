# SPDX-License-Identifier: MIT
# summary: nothing is measured while others use the array or the layer, or a disk sleeps; the change is made all the same
# boot: own
# processor: own
# timeout: 240

expect_restart
systemctl stop setrad.service
slow_disks 4 512 0
md_create md0 5 256 "${disks[@]}"
slow_down 10
# Each is changed once: what is set by hand after that, setrad leaves alone.
for map in idle busy served begun; do linear_map $map /dev/md0; done
udevadm settle

# only MAP [PROBE]: the policy changes that map alone
only() {
    policy 10-one <<EOF
version: 1
rules:
  - {name: one, match: {name: $1}, readahead: auto, probe: {${2:-}}}
  - {name: not yet, match: {kind: dm-linear}, readahead: keep}
EOF
}

# apply_to MAP [PROBE]: the line that apply says of it
apply_to() {
    only "$1" "${2:-}"
    setractl apply >"$scenario_dir/out"
    grep "^$1 " "$scenario_dir/out" || fail "apply did not change $1: $(<"$scenario_dir/out")"
    assert_eq "$(ra "/dev/mapper/$1")" 3072 "readahead of $1" >&2
}

# reading DEVICE: reads it over and over, past the page cache, until stop_reading
reading() {
    while [ ! -e "$scenario_dir/enough" ]; do dd if="$1" of=/dev/null bs=1M count=8 iflag=direct status=none; done &
    reader=$!
}
stop_reading() {
    touch "$scenario_dir/enough"
    wait "$reader"
    rm "$scenario_dir/enough"
}

line=$(apply_to idle)
note "$line"
[[ $line == *'; sequential read '*', 5 runs)' ]] || fail "nothing was measured on an idle array"

busy='busy: (others made [0-9]+ reads and writes in 0.2 s|[0-9]+ reads? .*of others (is|are) under way)$'
reading /dev/md0
pause 0.5
line=$(apply_to busy)
stop_reading
note "$line"
grep -Eq "readahead 256 → 3072 sectors .*; not measured: md0 is $busy" <<<"$line" || fail "no word that the array is busy"

# The service, too.
only served
reading /dev/mapper/served
systemctl start setrad.service
wait_until 30 said '^served .*readahead 256 → 3072'
stop_reading
note "$(setrad_log | grep '^served .*readahead 256')"
setrad_log | grep -Eq "^served .*not measured: $(kname /dev/mapper/served) is $busy" || fail "no word that the map is busy"
systemctl stop setrad.service

# Others who begin when the probe is under way already.
begin() {
    wait_until 10 ra_is /dev/mapper/begun 3072
    pause 1
    reading /dev/mapper/begun
    pause 8
    stop_reading
}
begin &
line=$(apply_to begun 'time: 8s, bytes: 1GiB')
wait $!
note "$line"
[[ $line == *'; not measured: others were reading meanwhile' ]] || fail "no word of the others"

# A disk that runtime power management has suspended is neither woken up nor measured.
modprobe scsi_debug dev_size_mb=64
udevadm settle
disk=$(basename /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/*)
power=/sys/class/block/$disk/device/power
dmsetup create sleepy --readahead 256 --table "0 65536 linear /dev/$disk 0"
udevadm settle
echo 100 >"$power/autosuspend_delay_ms"
echo auto >"$power/control"
is_asleep() { [ "$(<"$power/runtime_status")" = suspended ]; }
wait_until 20 is_asleep
# sleepy_to SECTORS: the line that apply says
sleepy_to() {
    policy 10-one <<EOF
version: 1
rules:
  - {name: sleepy, match: {name: sleepy}, readahead: $1s}
EOF
    setractl apply
}
line=$(sleepy_to 1024)
note "$line"
[[ $line == "sleepy ("*"readahead 256 → 1024 sectors "*"; not measured: $disk is asleep" ]] || fail "no word that the disk is asleep"
assert_eq "$(<"$power/runtime_status")" suspended "the disk after apply"
echo on >"$power/control"
line=$(sleepy_to 2048)
note "$line"
[[ $line == "sleepy ("*"readahead 1024 → 2048 sectors "*" run"* ]] || fail "a disk that is awake is not measured"
systemctl start setrad.service
