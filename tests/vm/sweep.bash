# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For the scenarios of setractl tune: a sweep over twelve values by other means, to compare with.

sweep_values=(512 1024 2048 3072 4096 6144 8192 12288 16384 24576 32768 65536)

# serial_disks N KIB MSEC: N disks that serve one request at a time, of so many KiB at most, in so many milliseconds each,
# as a disk with a bandwidth of its own does: more readahead brings more until each of them is busy with whole requests,
# and nothing from there on. Sets disks.
serial_disks() {
    local i sys name start serial_glob="/sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/*"
    modprobe scsi_debug num_tgts="$1" dev_size_mb=128 virtual_gb=1 ndelay=$(($3 * 1000000))
    udevadm settle
    # shellcheck disable=SC2317
    have_sizes() { [ "$(compgen -G "$serial_glob/size" | xargs cat | grep -cvx 0)" = "$1" ]; }
    wait_until 20 have_sizes "$1"
    disks=()
    serial_stats=()
    for sys in $(compgen -G "$serial_glob"); do
        name=${sys##*/} i=${#disks[@]}
        echo 1 >"$sys/device/queue_depth"
        # All that is read ahead waits in the queue: who reads is not to wait for room in it.
        echo 1024 >"$sys/queue/nr_requests"
        echo "$2" >"$sys/queue/max_sectors_kb"
        serial_stats+=("$sys/stat")
        # They have one store, over and over again: each begins elsewhere, as they would overwrite each other's superblock.
        start=$(((i + 1) * 8 * 2048))
        dmsetup create "serial$i" --table "0 $((896 * 2048)) linear /dev/$name $start"
        disks+=("/dev/mapper/serial$i")
    done
    udevadm settle
}

# wait_for_readahead: until nothing comes any more of what others have asked the disks for
wait_for_readahead() {
    local stat sum before=
    while :; do
        sum=
        for stat in "${serial_stats[@]}"; do
            read -r _ _ stat _ <"$stat"
            sum+=" $stat"
        done
        [ "$sum" != "$before" ] || return 0
        before=$sum
        pause 0.05
    done
}

# read_at DEVICE SECTORS MIB: MB/s of one cold read at that readahead; leaves the device with it
read_at() {
    wait_for_readahead
    blockdev --setra "$2" "$1"
    echo 3 >/proc/sys/vm/drop_caches
    LC_ALL=C dd if="$1" of=/dev/null bs=128k count=$(($3 * 8)) 2>&1 |
        awk '/copied/ { printf "%.1f", $1 / $(NF - 3) / 1e6 }'
}

median() { sort -n | awk '{ v[NR] = $1 } END { print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# sweep DEVICE MIB: reads it at every value, three times by turns after one pass that is not counted; sets sweep_best
sweep() {
    local value round best=0 mbps
    declare -A figures=()
    read_at "$1" 1024 "$2" >/dev/null
    for round in 1 2 3; do
        for value in "${sweep_values[@]}"; do figures[$value]+="$(read_at "$1" "$value" "$2") "; done
    done
    for value in "${sweep_values[@]}"; do
        mbps=$(tr ' ' '\n' <<<"${figures[$value]% }" | median)
        note "sweep: $value sectors $mbps MB/s (${figures[$value]% })"
        if awk -v a="$mbps" -v b="$best" 'BEGIN { exit !(a > b) }'; then best=$mbps sweep_best=$value; fi
    done
}

# as_fast DEVICE SECTORS OTHER MIB: reads at both values by turns; the median of the ratios, as the machine may be busy
# with something else for a while
as_fast() {
    local round a b ratios=
    for ((round = 0; round < 7; round++)); do
        if ((round % 2)); then
            a=$(read_at "$1" "$2" "$4") b=$(read_at "$1" "$3" "$4")
        else
            b=$(read_at "$1" "$3" "$4") a=$(read_at "$1" "$2" "$4")
        fi
        ratios+="$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.3f", a / b }') "
    done
    note "throughput at $2 sectors, of that at $3, by turns: $ratios"
    assert_ratio "$(tr ' ' '\n' <<<"${ratios% }" | median)" 1 '>=' 0.97 \
        "throughput at the chosen $2 sectors, of that at the sweep's best, $3"
}

# check_tune DEVICE MIB: tunes it with runs of so many MiB at most, and compares with a sweep
check_tune() {
    local before chosen bytes held
    # As what is mounted is: the last one that closes a device waits for all that is still being read ahead.
    exec {held}<"$1"
    cat >"$scenario_dir/any.yaml" <<'END'
version: 1
defaults: {max: 64MiB, memory-share: off}
rules:
  - {name: arrays, match: {kind: md-*}, readahead: auto, direction: report}
END
    before=$(ra "$1")
    setractl tune "$1" --bytes="${2}MiB" --policy "$scenario_dir/any.yaml" --json >"$scenario_dir/tune.json"
    assert_eq "$(ra "$1")" "$before" "readahead after tune"
    assert_eq "$(jq .entries "/run/setrad/ledger.json" | jq length)" 0 "entries in the ledger"
    jq -r '.values[] | "-- tune: \(.readahead_sectors) sectors \(.median_mbps) MB/s (\(.runs | map(tostring) | join(" ")))"' "$scenario_dir/tune.json"
    chosen=$(jq .chosen_sectors "$scenario_dir/tune.json")
    bytes=$(jq .bytes_read "$scenario_dir/tune.json")
    sweep "$1" "$2"
    note "tune has chosen $chosen sectors, the sweep's best are $sweep_best"
    assert_ratio "$bytes" $((${#sweep_values[@]} * 3 * $2 << 20)) '<=' 0.3334 "bytes read by tune, of those by the sweep"
    as_fast "$1" "$chosen" "$sweep_best" "$2"
    blockdev --setra "$before" "$1"
    exec {held}<&-
}
