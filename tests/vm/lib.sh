# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Helpers for scenarios; runs in the guest. A scenario stops at the first command that fails.
# Sizes are in MiB, readahead in 512-byte sectors, times in seconds unless a name says otherwise.

# --- outcome ----------------------------------------------------------------------------------------------------------

# fail TEXT: ends the scenario
fail() {
    echo "$*" >"$scenario_dir/reason"
    echo "FAIL: $*"
    trap - ERR
    exit 1
}

note() { echo "-- $*"; }

# assert_eq GOT WANTED WHAT
assert_eq() {
    [ "$1" = "$2" ] || fail "$3: got '$1', wanted '$2'"
    note "$3: $1"
}

# assert_ratio A B OPERATOR LIMIT WHAT: A ÷ B compared with LIMIT; OPERATOR is <, <=, > or >=
assert_ratio() {
    local ratio
    # Its last decimal is for people: what is compared is not rounded.
    ratio=$(awk -v a="$1" -v b="$2" 'BEGIN { if (b == 0) exit 1; printf "%.3f", a / b }') ||
        fail "$5: $1 ÷ $2 is no number"
    awk -v a="$1" -v b="$2" -v l="$4" "BEGIN { exit !(a / b $3 l) }" || fail "$5: $1 ÷ $2 = $ratio, wanted $3 $4"
    note "$5: $1 ÷ $2 = $ratio ($3 $4)"
}

# assert_near A B SHARE WHAT: the same figure, rounded in different ways: they differ by no more than that share of B
assert_near() {
    [[ "$1 $2" =~ ^[0-9][0-9.]*\ [0-9][0-9.]*$ ]] || fail "$4: '$1' and '$2' are not both figures"
    awk -v a="$1" -v b="$2" -v s="$3" 'BEGIN { exit !(a - b <= s * b && b - a <= s * b) }' ||
        fail "$4: $1 and $2 differ by more than $3 of it"
    note "$4: $1 and $2"
}

# wait_until SECONDS COMMAND…: looks every 0.1 s; fails the scenario when the time is over
wait_until() {
    local seconds=$1 end
    shift
    end=$((${EPOCHREALTIME/./} + seconds * 1000000))
    until "$@"; do
        [ "${EPOCHREALTIME/./}" -lt "$end" ] || fail "waited $seconds s for: $*"
        pause 0.1
    done
}

# pause SECONDS: sleep(1) without the cost of a process, which user-mode Linux starts slowly
pause() { read -r -t "$1" <>/run/setrad-vm/never || true; }

# expect_error PATTERN: journal entries of setrad that match this extended regular expression are no failure
expect_error() { echo "$1" >>"$scenario_dir/expect-errors"; }

# expect_restart: this scenario restarts setrad
expect_restart() { touch "$scenario_dir/expect-restart"; }

# kernel_since VERSION: whether the guest's kernel is of that version, as 6.15, or newer
kernel_since() { printf '%s\n' "$1" "$(uname -r)" | sort --version-sort --check=quiet; }

# --- stacks -----------------------------------------------------------------------------------------------------------

# scratch_disks: the two fresh 1 GiB disks that the guest has (ubd, backed by sparse files)
scratch_disks=(/dev/ubdb /dev/ubdc)

# ram_disks N: N whole RAM disks of 4 GiB that nothing uses; sets the array disks. Blocks never written cost no memory.
ram_disks() {
    local i
    [ -d /sys/module/brd ] || modprobe brd rd_nr=0 rd_size=$((4 << 20))
    disks=()
    for ((i = 0; i < $1; i++, ram_next++)); do
        # brd makes a disk when its node is opened.
        mknod /dev/brd-node b 1 "$ram_next"
        true </dev/brd-node
        rm /dev/brd-node
        disks+=("/dev/ram$ram_next")
    done
    udevadm settle
}

# slow_table RAM_DISK SECTORS DELAY_MS: from 1 MiB on, so that LVM does not take the RAM disk for the same volume
slow_table() { echo "0 $2 delay $1 2048 $3"; }

# slow_disks N SIZE_MIB DELAY_MS: N more disks that answer each request late, /dev/mapper/slow0 and on; sets disks
slow_disks() {
    local ram pid jobs=() slow=()
    ram_disks "$1"
    # All at once: udev looks at each of them, and that takes its time on a slow disk.
    for ram in "${disks[@]}"; do
        dmsetup create "slow${ram#/dev/ram}" --table "$(slow_table "$ram" $(($2 * 2048)) "$3")" &
        jobs+=($!)
        slow+=("/dev/mapper/slow${ram#/dev/ram}")
    done
    for pid in "${jobs[@]}"; do wait "$pid"; done
    disks=("${slow[@]}")
}

# slow_down DELAY_MS: gives all slow disks another delay. A stack is built much faster while its disks are fast. Reloads
# their maps, of which setrad gets events if it runs.
slow_down() {
    local map name
    for map in /dev/mapper/slow*; do
        name=${map##*/}
        dmsetup reload "$name" --table "$(slow_table "/dev/ram${name#slow}" "$(blockdev --getsz "$map")" "$1")"
        dmsetup resume "$name"
    done
    udevadm settle
}

# md_create NAME LEVEL CHUNK_KIB DEVICE…: an array without resync; LEVEL may name a layout, as 10-f2; CHUNK_KIB is - where
# the level has none
md_create() {
    local name=$1 level=${2%-*} layout=${2#"${2%-*}"} chunk=$3 args=(--run --metadata=1.2)
    shift 3
    [ "$chunk" = - ] || args+=(--chunk="$chunk")
    [ -z "$layout" ] || args+=(--layout="${layout#-}")
    case $level in
        1 | 4 | 5 | 6 | 10) args+=(--assume-clean --bitmap=none) ;;
    esac
    mdadm --quiet --create "/dev/$name" --level="$level" --raid-devices=$# "${args[@]}" "$@"
    udevadm settle
}

# linear_map NAME DEVICE: a map over the first GiB of the device, left at 256 sectors
linear_map() { dmsetup create "$1" --readahead 256 --table "0 2097152 linear $2 0"; }

# light_udev: from now on udev leaves out what reads devices (blkid), which is most of what an event costs. For scenarios
# with hundreds of maps that nothing is on.
light_udev() {
    local rules
    mkdir -p /run/udev/rules.d
    for rules in 56-lvm 60-block 60-persistent-storage 60-persistent-storage-dm 63-md-raid-arrays 64-btrfs 64-btrfs-dm \
        64-md-raid-assembly 69-lvm; do
        : >"/run/udev/rules.d/$rules.rules"
    done
    udevadm control --reload
}

# plain_map NAME MINOR DEVICE: /dev/dm-MINOR, 32 MiB of the device from its 75th MiB on, with the readahead that the kernel
# gives it. udev is not waited for.
plain_map() {
    : "${dm_major:=$(awk '$2 == "device-mapper" { print $1 }' /proc/devices)}"
    dmsetup create "$1" --major "$dm_major" --minor "$2" --noudevsync --table "0 65536 linear $3 153600"
}

# drop_map NAME: removes it as soon as nobody has it open, as udev or setrad may; udev is not waited for
drop_map() {
    local end=$((SECONDS + 30))
    until dmsetup remove --noudevsync "$1" 2>/dev/null; do
        [ "$SECONDS" -lt "$end" ] || fail "for 30 s the map $1 can't be removed: $(dmsetup info -c "$1" 2>&1)"
        pause 0.01
    done
}

# read_ra KNAME: sets sectors, its readahead, without a process
read_ra() {
    local kib
    read -r kib <"/sys/class/block/$1/queue/read_ahead_kb"
    sectors=$((kib * 2))
}

# ra DEVICE: its readahead in sectors
ra() { blockdev --getra "$1"; }

# kname DEVICE: dm-3 for /dev/vg0/lv0
kname() { basename "$(readlink -f "$1")"; }

# dd_mbps DEVICE MIB: cold sequential reads through the page cache, in MB/s: the median of three, after one that is not
# counted, as memory that the guest touches for the first time is slow. In blocks of 128 KiB: with larger ones the kernel
# reads a whole block ahead even where the readahead is smaller.
dd_mbps() {
    local pass
    for pass in warm-up 1 2 3; do
        blockdev --flushbufs "$1"
        LC_ALL=C dd if="$1" of=/dev/null bs=128k count=$(($2 * 8)) 2>&1 |
            awk -v p=$pass '/copied/ && p != "warm-up" { printf "%.1f\n", $1 / $(NF - 3) / 1e6 }'
    done | sort -n | sed -n 2p
}

# --- setrad -----------------------------------------------------------------------------------------------------------

# scan_json FILTER: jq over setractl scan --json
scan_json() { setractl scan --json | jq -r "$1"; }

# layer NAME-OR-LABEL FIELD: one field of one layer of the scan
layer() {
    setractl scan --json | jq -r --arg n "$1" ".layers[] | select(.name == \$n or .label == \$n) | $2"
}

# scan_once: keeps a scan for of and assert_layer, which would cost one each
scan_once() { scan=$(setractl scan --json); }

# of NAME-OR-LABEL FIELD: one field of one layer of the scan that was kept
of() { jq -r --arg n "$1" ".layers[] | select(.name == \$n or .label == \$n) | $2" <<<"$scan"; }

# assert_layer NAME-OR-LABEL KIND GEOMETRY TARGET READAHEAD [FINDING…]: all of that in the scan that was kept, and no
# other finding. GEOMETRY is CHUNKxDISKS=STRIPE in KiB; - is what is not known.
assert_layer() {
    local wanted="$2 $3 $4 $5${6+ ${*:6}}"
    assert_eq "$(of "$1" '
        def kib: if . then . / 1024 else "-" end;
        [.kind, (.geometry | if . then "\(.chunk_bytes | kib)x\(.data_disks)=\(.stripe_bytes | kib)" else "-" end),
         (.target_sectors, .readahead_sectors | . // "-"), ([.findings[].code] | unique | .[])] |
        join(" ")')" "$wanted" "$1"
}

# policy NAME <<EOF: writes /etc/setrad/policy.d/NAME.yaml; takes effect at reload
policy() {
    mkdir -p /etc/setrad/policy.d
    cat >"/etc/setrad/policy.d/$1.yaml"
}

# settings <<EOF: writes /etc/setrad/setrad.yaml; takes effect at reload
settings() {
    mkdir -p /etc/setrad
    cat >/etc/setrad/setrad.yaml
}

reload() { systemctl reload setrad.service; }

# journal_since_start: setrad's journal entries since the scenario began, one JSON object a line
journal_since_start() {
    journalctl --quiet --sync
    journalctl --quiet --unit=setrad.service --after-cursor="$journal_cursor" --output=json
}

# setrad_events MESSAGE_ID…: the entries with one of these ids
setrad_events() {
    journal_since_start |
        jq -c 'select(.MESSAGE_ID as $id | $id != null and ($ARGS.positional | index($id)))' --args "$@"
}

# setrad_log: setrad's own lines since the scenario began, as a person reads them
setrad_log() {
    journalctl --quiet --sync
    journalctl --quiet --unit=setrad.service --after-cursor="$journal_cursor" --output=cat
}

# said PATTERN: whether setrad has said a line that matches since the scenario began
said() { setrad_log | grep -q "$1"; }

changed_id=76133f74eb0948f98133e918f354476a # SETRAD_MSG_CHANGED

# changed_entry LABEL: the last journal entry of a change of that layer; fails if there is none
changed_entry() { setrad_events $changed_id | jq -ces --arg l "$1" 'map(select(.SETRAD_LABEL == $l)) | last // empty'; }

# changes_made: "LABEL BEFORE AFTER" for each change since the scenario began, sorted
changes_made() {
    setrad_events $changed_id | jq -r '[.SETRAD_LABEL, .SETRAD_RA_BEFORE, .SETRAD_RA_AFTER] | join(" ")' | sort
}

was_changed() { changed_entry "$1" >/dev/null; }

# ra_is DEVICE SECTORS
ra_is() { [ "$(ra "$1")" = "$2" ]; }

# count_said PATTERN: in how many lines setrad has said that since the scenario began
count_said() { setrad_log | grep -c "$1" || true; }

# now_usec: the clock that journal entries bear
now_usec() { echo "${EPOCHREALTIME/./}"; }

# answer_usec: how long setrad takes to answer a signal, in microseconds: SIGUSR1, and the word about the scan
answer_usec() {
    local start before pid
    pid=$(setrad_pid)
    before=$(count_said '^scanned (asked for)')
    start=$(now_usec)
    kill -USR1 "$pid"
    # shellcheck disable=SC2317
    answered() { [ "$(count_said '^scanned (asked for)')" -gt "$before" ]; }
    wait_until 15 answered
    journal_since_start | jq -rs --argjson start "$start" \
        'map(select(.MESSAGE | tostring | startswith("scanned (asked for)"))) | last.__REALTIME_TIMESTAMP | tonumber - $start'
}

# cpu_ticks: processor time of setrad until now, in hundredths of a second
cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$(setrad_pid)/stat"; }

# memory PID FIELD: of what a process has in memory, in KiB: Rss or Anonymous
memory() { awk -v f="$2:" '$1 == f { print $2 }' "/proc/$1/smaps_rollup"; }

# open_files PID: how many descriptors it has, without that of the ledger, which setrad holds open once there is one
open_files() { readlink "/proc/$1/fd"/* | grep -cv '^/run/setrad/ledger.json'; }

# scans_made: how many scans setrad has made since it was started, and that includes the one this asks for
scans_made() {
    answer_usec >/dev/null
    last_logged SETRAD_SCANS
}

# last_logged FIELD: its last value in the journal since the scenario began
last_logged() { journal_since_start | jq -rs --arg f "$1" 'map(.[$f] // empty) | last'; }

setrad_pid() { systemctl show --property=MainPID --value setrad.service; }

# setrad_settled [SECONDS]: setrad has looked at all and has nothing more to do: no worker, no word for 2.5 s. For 2 s after
# the event of a map what is set is taken for LVM's, and then the map is looked at again: that is over, too.
setrad_settled() {
    local pid end=$((SECONDS + ${1:-30})) quiet=0 lines before workers
    udevadm settle
    pid=$(setrad_pid)
    kill -USR1 "$pid"
    before=$(setrad_log | wc -l)
    while [ "$quiet" -lt 5 ]; do
        [ "$SECONDS" -lt "$end" ] || fail "setrad does not come to rest"
        pause 0.5
        lines=$(setrad_log | wc -l)
        workers=$(<"/proc/$pid/task/$pid/children")
        if [ "$lines" = "$before" ] && [ -z "$workers" ]; then quiet=$((quiet + 1)); else quiet=0; fi
        before=$lines
    done
}

# --- used by the harness ----------------------------------------------------------------------------------------------

scenario_begin() {
    ram_next=0
    disks=()
    journal_cursor=$(journalctl --quiet -n 0 --show-cursor | sed -n 's/^-- cursor: //p')
    trap 'scenario_error $? "${BASH_SOURCE[0]##*/}" "$LINENO" "$BASH_COMMAND"' ERR
}

# scenario_error STATUS FILE LINE COMMAND: the reason, when a command failed that the scenario did not check itself
scenario_error() {
    # A subshell that failed has already said more than its caller knows.
    [ -e "$scenario_dir/reason" ] || echo "$2:$3: $4: exit status $1" >"$scenario_dir/reason"
    echo "FAIL: $(<"$scenario_dir/reason")"
}
