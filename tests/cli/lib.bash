# SPDX-License-Identifier: MIT
# For the scripts beside it, which source it: runs setractl, checks what came of it, and builds small captured roots.
set -uo pipefail

here=tests/cli
setractl=$BUILD/setractl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
failures=0

fail() {
    printf 'FAILED: %s\n' "$*"
    failures=$((failures + 1))
}

# Ends a script: exit status 0 if nothing failed.
finish() {
    [ "$failures" -eq 0 ]
    exit
}

# run STATUS ARGUMENT…: runs setractl, output in $work/out and $work/err. Where the directory $work/documents exists, JSON
# is kept there, too.
run() {
    local expected=$1 status
    shift
    last="setractl $*"
    "$setractl" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ "$status" -eq "$expected" ] || fail "$last: exit status $status, not $expected: $(head -3 "$work/err")"
    if [ -d "$work/documents" ] && [[ " $* " == *' --json '* ]]; then
        cp "$work/out" "$(mktemp "$work/documents/XXXXXX")"
    fi
}

# expect out|err REGEX: a line of it matches.
expect() {
    grep -qE -- "$2" "$work/$1" || fail "$last: no line in std$1 matches: $2; it is: $(head -20 "$work/$1")"
}

# empty out|err
empty() {
    [ ! -s "$work/$1" ] || fail "$last: std$1 is not empty: $(head -3 "$work/$1")"
}

# one_line out|err
one_line() {
    [ "$(wc -l <"$work/$1")" -eq 1 ] || fail "$last: std$1 is not one line: $(head -5 "$work/$1")"
}

# A wrong call: exit status 2, one line on stderr, nothing on stdout.
usage_error() {
    run 2 "$@"
    empty out
    one_line err
    expect err '^setractl: '
}

# on_terminal STATUS COLUMNS ARGUMENT…: as run, on a terminal of so many columns.
on_terminal() {
    local expected=$1 columns=$2 status
    shift 2
    last="on $columns columns: setractl $*"
    "$here/on-terminal" "$columns" "$setractl" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ "$status" -eq "$expected" ] || fail "$last: exit status $status, not $expected: $(head -3 "$work/out")"
    empty err
}

# no_wider COLUMNS: no line of stdout has more
no_wider() {
    local columns
    columns=$(LC_ALL=C.UTF-8 wc -L <"$work/out")
    [ "$columns" -le "$1" ] || fail "$last: a line has $columns columns, more than $1"
}

# query FILTER EXPECTED: what jq makes of stdout.
query() {
    local result
    result=$(jq -c "$1" "$work/out") || fail "$last: no JSON that jq takes: $1"
    [ "$result" = "$2" ] || fail "$last: $1 is $result, not $2"
}

# golden NAME: stdout is tests/cli/expected/NAME.txt; SETRAD_BLESS=1 writes it instead.
golden() {
    local expected=$here/expected/$1.txt
    sed 's/ *$//' "$work/out" >"$work/actual"
    [ -z "${SETRAD_BLESS-}" ] || cp "$work/actual" "$expected"
    diff -u "$expected" "$work/actual" || fail "$last: stdout differs from $expected"
}

# --- a captured root, as the kernel lays sysfs out

new_root() {
    rm -rf "$root"
    mkdir -p "$root"/sys/block "$root"/sys/class/block "$root"/sys/dev/block "$root"/proc/self "$root"/dmsetup
    : >"$root/proc/self/mountinfo"
    : >"$root/dmsetup/table"
    printf 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n' >"$root/proc/swaps"
    printf 'MemTotal: 16777216 kB\n' >"$root/proc/meminfo"
}

# block NAME MAJOR:MINOR SECTORS READAHEAD IO_MIN IO_OPT: a device with its queue.
block() {
    local dir=$root/sys/devices/virtual/block/$1
    mkdir -p "$dir"/queue "$dir"/slaves "$dir"/holders
    echo "$2" >"$dir/dev"
    echo "$3" >"$dir/size"
    echo 0 >"$dir/alignment_offset"
    echo 0 >"$dir/ro"
    echo $(($4 / 2)) >"$dir/queue/read_ahead_kb"
    echo "$5" >"$dir/queue/minimum_io_size"
    echo "$6" >"$dir/queue/optimal_io_size"
    echo 512 >"$dir/queue/logical_block_size"
    echo 512 >"$dir/queue/physical_block_size"
    echo 1 >"$dir/queue/rotational"
    ln -s "../devices/virtual/block/$1" "$root/sys/block/$1"
    ln -s "../../devices/virtual/block/$1" "$root/sys/class/block/$1"
    ln -s "../../devices/virtual/block/$1" "$root/sys/dev/block/$2"
}

# over UPPER LOWER…
over() {
    local upper=$1 lower
    shift
    for lower; do
        ln -s "../../$lower" "$root/sys/devices/virtual/block/$upper/slaves/$lower"
        ln -s "../../$upper" "$root/sys/devices/virtual/block/$lower/holders/$upper"
    done
}

# array NAME LEVEL CHUNK MEMBER…
array() {
    local dir=$root/sys/devices/virtual/block/$1/md slot=0 name=$1
    mkdir -p "$dir"
    echo "$2" >"$dir/level"
    echo "$3" >"$dir/chunk_size"
    shift 3
    echo $# >"$dir/raid_disks"
    echo 2 >"$dir/layout"
    echo 0 >"$dir/degraded"
    echo clean >"$dir/array_state"
    echo idle >"$dir/sync_action"
    echo 1.2 >"$dir/metadata_version"
    over "$name" "$@"
    for member; do
        mkdir "$dir/dev-$member"
        echo $((slot++)) >"$dir/dev-$member/slot"
        echo in_sync >"$dir/dev-$member/state"
    done
}

# map NAME DM-NAME UUID SUSPENDED TABLE: NAME's directory gets its dm/, the table its line.
map() {
    local dir=$root/sys/devices/virtual/block/$1/dm
    mkdir -p "$dir"
    printf '%s\n' "$2" >"$dir/name"
    printf '%s\n' "$3" >"$dir/uuid"
    echo "$4" >"$dir/suspended"
    printf '%s: %s\n' "$2" "$5" >>"$root/dmsetup/table"
}

lvm_uuid=LVM-Zy0m1VYvSdJfqQHGwTPUOfQjWzIqN1dQ

# RAID5 of eight disks, one LV at the array's readahead and mounted, one at 256 sectors, and a disk for itself.
raid5_root() {
    local disk n=0 members=()
    new_root
    for disk in sda sdb sdc sdd sde sdf sdg sdh; do
        block $disk 8:$((16 * n++)) 4194304 256 512 0
        members+=($disk)
    done
    block sdz 65:144 4194304 256 512 0
    block md0 9:0 29360128 7168 262144 1835008
    array md0 raid5 262144 "${members[@]}"
    block dm-0 253:0 2097152 256 262144 1835008
    over dm-0 md0
    map dm-0 vg0-data ${lvm_uuid}000000000000000000000000000000a1 0 '0 2097152 linear 9:0 3584'
    block dm-1 253:1 2097152 7168 262144 1835008
    over dm-1 md0
    map dm-1 vg0-home ${lvm_uuid}000000000000000000000000000000a2 0 '0 2097152 linear 9:0 2103808'
    printf '36 1 253:1 / /home rw - ext4 /dev/mapper/vg0-home rw\n' >>"$root/proc/self/mountinfo"
}

# One disk, with nothing on it that setrad looks after.
laptop_root() {
    new_root
    block nvme0n1 259:0 1000215216 256 512 0
}

stacks_policy() {
    cat >"$work/policy.yaml" <<'POLICY'
version: 1
defaults: {direction: raise}
rules:
  - name: stacks over arrays
    match: {kind: [dm-*, loop], over: md}
    readahead: auto
POLICY
}
