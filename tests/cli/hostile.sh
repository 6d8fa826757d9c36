#!/bin/bash
# SPDX-License-Identifier: MIT
# What setractl says of trees that nobody should trust (tests/hostile), and that it says so in time, with little memory, and
# in characters that a terminal shows and does not obey.
# shellcheck disable=SC2317 # tests/hostile/*.sh call what seems never to be called
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

here=tests/hostile
seconds=20
memory_kib=1048576 # of addresses
outputs=$work/outputs
outside=$work/outside

# --- for tests/hostile/*.sh

# What links out of the root lead to. Whoever reads it prints CANARY, or waits for ever.
make_outside() {
    mkdir -p "$outside"/{device/queue,etc,sys/block,sys/class/block,dev}
    echo CANARY >"$outside/secret"
    cp "$outside/secret" "$outside/etc/shadow"
    printf '{"CANARY"' >"$outside/ledger.json"
    echo 8:111 >"$outside/device/dev"
    echo 777777 >"$outside/device/size"
    echo 777 >"$outside/device/queue/read_ahead_kb"
    mkfifo "$outside/device/queue/minimum_io_size"
    cp -r "$outside/device" "$outside/sys/block/CANARY"
    cp -r "$outside/device" "$outside/sys/class/block/CANARY"
}

# Each file and directory there as if nobody had looked at it for years: looking changes that.
forget_outside() { find "$outside" -exec touch -a -d @1 {} +; }

# looked_at: those that somebody has looked at since
looked_at() { find "$outside" -newerat @2 -printf '%P '; }

check_outside() {
    local seen
    seen=$(looked_at)
    [ -z "$seen" ] || fail "outside of the trees somebody has looked at $seen"
    # Where the file system keeps no such times, that has shown nothing.
    cat "$outside/secret" >"$work/canary"
    [ -n "$(looked_at)" ] || echo "note: whether files outside of the trees were read was not seen but by what was printed"
}

# cannot WHAT: this machine does not let it be tried
cannot() { skip=$1; }

# socket NAME: in the current directory
socket() { python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$1"; }

# million DIRECTORY: so many entries in it, links to each other
million() {
    mkdir "$1"
    python3 -c '
import os, sys
os.chdir(sys.argv[1])
for i in range(1000000):
    if i % 60000 == 0: # ext4 has no more links to one file
        file = "sd%d" % i
        open(file, "w").close()
    else:
        os.link(file, "sd%d" % i)' "$1"
}

# light_map KERNEL-NAME MAJOR:MINOR NAME TABLE LOWER: as little of a map as there can be, and made by few processes
light_map() {
    local dir=$root/sys/class/block/$1
    mkdir -p "$dir/dm" "$dir/slaves/$5"
    echo "$2" >"$dir/dev"
    echo 2048 >"$dir/size"
    echo "$3" >"$dir/dm/name"
    echo "$3: $4" >>"$root/dmsetup/table"
}

# named NAME…: an array, and over it maps of these names, the first of them mounted at its name
named() {
    local name n=0
    new_root
    block sda 8:0 4194304 256 512 0
    block sdb 8:16 4194304 256 512 0
    block md0 9:0 8388608 7168 262144 524288
    array md0 raid0 262144 sda sdb
    for name; do
        block "dm-$n" "253:$n" 2097152 256 262144 524288
        over "dm-$n" md0
        map "dm-$n" "$name" "${lvm_uuid}0000000000000000000000000000000$n" 0 '0 2097152 linear 9:0 0'
        printf '%d 1 253:%d / /mnt/%s rw - ext4 x rw\n' $((n + 40)) "$n" "$name" >>"$root/proc/self/mountinfo"
        n=$((n + 1))
    done
}

# every_number TEXT: in the place of each kind of number of raid5_root
every_number() {
    local dir=$root/sys/devices/virtual/block file
    for file in \
        sda/size sda/dev sda/queue/read_ahead_kb sda/queue/minimum_io_size sda/queue/optimal_io_size \
        md0/md/chunk_size md0/md/raid_disks md0/md/layout md0/md/degraded md0/md/dev-sda/slot md0/queue/read_ahead_kb \
        md0/queue/minimum_io_size md0/queue/optimal_io_size md0/queue/logical_block_size md0/queue/physical_block_size \
        dm-0/size dm-0/queue/read_ahead_kb dm-0/queue/optimal_io_size dm-0/alignment_offset; do
        printf '%s\n' "$1" >"$dir/$file"
    done
}

# --- the runs

# Under AddressSanitizer there are more addresses.
if grep -qa __asan_init "$setractl"; then memory_kib=unlimited; fi

# look NAME ARGUMENT…: what setractl prints goes to $outputs/TREE/NAME.out and .err; it ends in time, by itself
look() {
    local to=$outputs/$tree/$1 status
    shift
    mkdir -p "${to%/*}"
    (ulimit -v $memory_kib && exec timeout --signal=KILL $seconds "$setractl" "$@" --root "$root") \
        >"$to.out" 2>"$to.err" </dev/null
    status=$?
    echo "$status" >"$to.status"
    [ "$status" -le 1 ] || fail "$tree: setractl $*: exit status $status: $(head -n 5 "$to.err")"
}

# show VERB: how it ended and what it printed, as the expected output has it
show() {
    local from=$outputs/$tree/$1
    echo "== $1: exit status $(<"$from.status")"
    sed -e "s|$root|ROOT|g" -e "s|$work|WORK|g" -e 's/ *$//' "$from.out"
    if [ -s "$from.err" ]; then
        echo "-- on standard error:"
        sed -e "s|$root|ROOT|g" -e "s|$work|WORK|g" "$from.err"
    fi
}

# What it prints much of is expected as its first lines, and how many there are.
shorten() {
    awk -v most=60 'NR <= most { print substr($0, 1, 500) } END { if (NR > most) print "… and so on, " NR " lines" }'
}

# expect_output: what scan and plan print is tests/hostile/expected/TREE.txt; SETRAD_BLESS=1 writes it instead
expect_output() {
    local expected=$here/expected/$tree.txt
    { show scan | shorten; show plan | shorten; } >"$work/actual"
    if [ -n "${SETRAD_BLESS-}" ]; then cp "$work/actual" "$expected"; fi
    diff -u "$expected" "$work/actual" >"$work/difference" || fail "$tree: $(head -n 40 "$work/difference")"
}

# check_capture: a capture of what could be read is a tar archive, and scans as the tree does
check_capture() {
    local to=$outputs/$tree
    [ "$(<"$to/scan.status")" -eq 0 ] || return 0
    "$setractl" scan --json --root "$work/$tree.tar" >"$to/captured.out" 2>"$to/captured.err"
    echo $? >"$to/captured.status"
    [ "$(<"$to/captured.status")" -eq 0 ] || fail "$tree: a capture of it can't be scanned: $(head -n 3 "$to/captured.err")"
}

run_tree() {
    local before=$failures
    skip=
    # shellcheck source=/dev/null
    . "$here/$tree.sh"
    if [ -n "$skip" ]; then
        echo "note: $tree is left out: this machine can't $skip"
        return
    fi
    look scan scan --all --policy "$work/policy.yaml"
    look plan plan --policy "$work/policy.yaml"
    look json scan --all --json --policy "$work/policy.yaml"
    for form in dot svg mermaid; do look $form graph --format $form --policy "$work/policy.yaml"; done
    look explain explain dm-0 --policy "$work/policy.yaml"
    look capture capture "$work/$tree.tar"
    expect_output
    check_capture
    if [ "$failures" -eq "$before" ]; then printf '[       OK ] %s\n' "$tree"; else printf '[  FAILED  ] %s\n' "$tree"; fi
}

make_outside
forget_outside
stacks_policy
for file in "$here"/*.sh; do
    tree=$(basename "$file" .sh)
    [ -z "${TREES-}" ] || [[ " $TREES " == *" $tree "* ]] || continue
    rm -rf "$root"
    run_tree
done
check_outside
"$here/check-output" "$outputs" || fail "what was printed is not safe to print"

finish
