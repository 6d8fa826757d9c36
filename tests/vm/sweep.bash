# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For the scenarios of setractl tune: a sweep over twelve values by other means, to compare with.

sweep_values=(512 1024 2048 3072 4096 6144 8192 12288 16384 24576 32768 65536)

# read_at DEVICE SECTORS MIB: MB/s of one cold read at that readahead; leaves the device with it
read_at() {
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
    for ((round = 0; round < 15; round++)); do
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
    local before chosen bytes
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
}
