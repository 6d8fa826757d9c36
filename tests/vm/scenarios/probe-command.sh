# SPDX-License-Identifier: MIT
# summary: setractl probe: as hdparm and dd measure, readers at once, random reads, the stack beneath, and when it refuses
# boot: own
# processor: own
# timeout: 480

expect_restart
systemctl stop setrad.service

# median: of the numbers on standard input
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# within A B PERCENT WHAT
within() {
    assert_ratio "$1" "$2" '>=' "$(awk -v p="$3" 'BEGIN { print 1 - p / 100 }')" "$4"
    assert_ratio "$1" "$2" '<=' "$(awk -v p="$3" 'BEGIN { print 1 + p / 100 }')" "$4"
}

# What setractl probe is run by.
prefix=()

# probe ARGUMENT…: its output, which is noted as well; in $scenario_dir/out
probe() {
    "${prefix[@]}" setractl probe "$@" >"$scenario_dir/out" || fail "setractl probe $*: exit status $?"
    sed 's/^/   /' "$scenario_dir/out"
}

# refuses REASON ARGUMENT…: it does not measure, and says why
refuses() {
    local reason=$1 status=0
    shift
    setractl probe "$@" >"$scenario_dir/out" 2>&1 || status=$?
    assert_eq "$status" 1 "exit status of setractl probe $*"
    grep -q "$reason" "$scenario_dir/out" || fail "setractl probe $*: no word of '$reason': $(<"$scenario_dir/out")"
    note "$(<"$scenario_dir/out")"
}

# result N FIELD: of the JSON in $scenario_dir/out
result() { jq -r ".results[$1].$2" "$scenario_dir/out"; }

slow_disks 4 1024 0
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
lvcreate -qq -y -Wn -Zn -r 256 -n lv0 -L 2g vg0
lv=/dev/vg0/lv0
slow_down 10
assert_eq "$(ra $lv)" 256 "readahead of the LV"
assert_eq "$(ra /dev/md0)" 3072 "readahead of the array"
before=$(ra $lv)

# --- the plain form, in every way to name it
probe $lv
grep -Eq '^vg0/lv0 \(dm-[0-9]+\): readahead 256 sectors \(128 KiB\): sequential read [0-9.]+ MB/s \(median of [0-9]+ runs, [0-9.]+ to [0-9.]+\), 128 KiB blocks$' \
    "$scenario_dir/out" || fail "not the line that was expected"
for name in vg0/lv0 "$(kname $lv)"; do probe "$name" --time=2s; done
probe $lv --json
rate=$(result 0 median_mbps)
assert_eq "$(result 0 readahead_sectors) $(result 0 block_bytes) $(jq -c .skipped "$scenario_dir/out")" "256 131072 null" "JSON"
within "$rate" "$(dd_mbps $lv 16)" 10 "setractl probe against dd with 128 KiB blocks"

# --- the tools, by turns
hdparm_mibs() { hdparm -t "$1" | sed -n 's/.*= *\([0-9.]*\) MB\/sec.*/\1/p'; }
own_hdparm_mibs() { setractl probe "$1" --like=hdparm | sed -n 's/.*= *\([0-9.]*\) MB\/sec.*/\1/p'; }
dd_seconds() {
    blockdev --flushbufs "$1"
    LC_ALL=C dd if="$1" of=/dev/null bs=10M count=8 2>&1 | sed -n 's/.*copied, \([0-9.]*\) s.*/\1/p'
}
own_dd_seconds() { setractl probe "$1" --like=dd --count=8 | sed -n 's/.*copied, \([0-9.]*\) s.*/\1/p'; }

setractl probe $lv --like=hdparm
setractl probe $lv --like=dd --count=8
for turn in 1 2 3; do
    hdparm_mibs $lv >>theirs
    own_hdparm_mibs $lv >>own
done
for turn in 1 2 3 4 5; do
    dd_seconds $lv >>their-seconds
    own_dd_seconds $lv >>own-seconds
done
note "hdparm -t: $(paste -sd' ' theirs) MiB/s; --like=hdparm: $(paste -sd' ' own) MiB/s"
note "dd bs=10M count=8: $(paste -sd' ' their-seconds) s; --like=dd: $(paste -sd' ' own-seconds) s"
assert_eq "$(cat own own-seconds | wc -l)" 8 "figures of our own"
# ratio OWN THEIRS: the median over the turns, as the machine may be busy with something else for a while
ratio() { paste "$1" "$2" | awk '{ print $1 / $2 }' | median; }
within "$(ratio own theirs)" 1 10 "--like=hdparm against hdparm -t"
within "$(ratio own-seconds their-seconds)" 1 10 "--like=dd against dd"

# --- random reads: how much is fetched for each byte
probe_random() {
    blockdev --setra "$1" $lv
    probe $lv --random --json >/dev/null
    assert_eq "$(result 0 workload) $(result 1 workload)" "random random-read" "series of --random"
    note "amplification at readahead $1: by mmap $(result 0 amplification), by read() $(result 1 amplification)"
}
probe $lv --random
probe_random 32768
large=$(result 0 amplification)
assert_ratio "$(result 1 amplification)" 1 '<' 3 "amplification of read() at 16 MiB"
probe_random 8
small=$(result 0 amplification)
assert_ratio "$large" "$small" '>=' 50 "amplification by mmap at 16 MiB ÷ at 4 KiB"
blockdev --setra "$before" $lv

# --- the stack beneath: where throughput is lost, and no member is slow where all are alike
probe $lv --below
grep -Eq '^vg0/lv0 reads 0\.[0-9]+ of md0 beneath it: readahead 256 against 3072 sectors$' "$scenario_dir/out" ||
    fail "no word of where throughput is lost"
grep -q member-slow "$scenario_dir/out" && fail "a member is slow where all are alike"
# One of them answers later than the others.
slow=${disks[2]##*/}
dmsetup reload "$slow" --table "$(slow_table "/dev/ram${slow#slow}" "$(blockdev --getsz "/dev/mapper/$slow")" 25)"
dmsetup resume "$slow"
udevadm settle
setractl probe md0 --below --json >"$scenario_dir/out"
assert_eq "$(jq -r '[.findings[] | .code + " " + .label] | join(", ")' "$scenario_dir/out")" "member-slow $slow" "findings"
note "$(jq -r '.findings[0].text' "$scenario_dir/out")"
assert_eq "$(jq -r '[.results[] | select(.array == "md0")] | length' "$scenario_dir/out")" 4 "members measured"
assert_eq "$(ra $lv) $(ra /dev/md0)" "256 3072" "readahead of LV and array after all that"

# --- readers at once: a disk that is late is late for each reader by itself, so these are limited, each to 20 MB/s
slow_disks 2 512 0
md_create md1 1 - "${disks[@]}"
echo +io >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/limited
for disk in "${disks[@]}"; do
    echo "$(lsblk -ndo MAJ:MIN "$disk" | tr -d ' ') rbps=20000000" >/sys/fs/cgroup/limited/io.max
done
# shellcheck disable=SC2016
prefix=(bash -c 'echo $$ >/sys/fs/cgroup/limited/cgroup.procs; exec "$@"' bash)
probe md1 --streams=2 --runs=5 --json >/dev/null
assert_ratio "$(result 1 median_mbps)" "$(result 0 median_mbps)" '>=' 1.5 "two readers ÷ one on a RAID1"

mdadm --quiet --fail /dev/md1 "${disks[1]}"
refuses 'md1 is degraded (1 of 2 members missing); --force reads it all the same' md1 --streams=2
probe md1 --streams=2 --runs=5 --force --json >/dev/null
assert_ratio "$(result 1 median_mbps)" "$(result 0 median_mbps)" '<' 1.2 "two readers ÷ one on a degraded RAID1"
prefix=()

# --- what refuses
while [ ! -e "$scenario_dir/enough" ]; do dd if=$lv of=/dev/null bs=1M count=8 iflag=direct status=none; done &
reader=$!
pause 0.5
refuses 'is busy: ' $lv
probe $lv --force --time=2s
touch "$scenario_dir/enough"
wait "$reader"
dmsetup suspend vg0-lv0
refuses 'vg0/lv0 is suspended' $lv
refuses 'vg0/lv0 is suspended$' $lv --force
dmsetup resume vg0-lv0

# --- without root's rights: the group disk is enough
setpriv --reuid=65534 --regid=65534 --clear-groups setractl probe $lv >"$scenario_dir/out" 2>&1 && fail "nobody may read $lv"
grep -q 'permission to read it' "$scenario_dir/out" || fail "no word of permission: $(<"$scenario_dir/out")"
setpriv --reuid=65534 --regid="$(stat -Lc %g $lv)" --clear-groups setractl probe $lv --time=2s

# --- a signal ends it, and what there is until then is told. Without --foreground timeout sends it twice, and
# the second one ends what the first one makes it say.
status=0
timeout --foreground --preserve-status --signal=INT 7 setractl probe $lv --time=20s --bs=4KiB >"$scenario_dir/out" 2>&1 || status=$?
assert_eq "$status" 130 "exit status at Ctrl-C"
sed 's/^/   /' "$scenario_dir/out"
grep -q '^note: interrupted; this is what was measured until then$' "$scenario_dir/out" || fail "no word of the interruption"
grep -Eq 'sequential read [0-9.]+ MB/s .*, 4 KiB blocks$' "$scenario_dir/out" || fail "no figure of the runs until then"
status=0
timeout --foreground --preserve-status --signal=TERM 0.2 setractl probe $lv >"$scenario_dir/out" 2>&1 || status=$?
assert_eq "$status" 143 "exit status at SIGTERM"
pgrep -x setractl >/dev/null && fail "a process of it is left"
systemctl start setrad.service
