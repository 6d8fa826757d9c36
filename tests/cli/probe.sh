#!/bin/bash
# SPDX-License-Identifier: MIT
# setractl probe: what it is asked wrongly, and what it refuses. What it measures needs devices: tests/vm.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

usage_error probe
expect err 'probe needs DEV'
usage_error probe sda sdb
usage_error probe --root / sda
expect err 'takes no --root'
usage_error probe --policy x sda
usage_error scan --random
usage_error scan --time 3s

# Only one way of reading at a time.
for two in '--below --random' '--below --streams=2' '--random --like=dd' '--like=hdparm --streams=2' '--below --like=dd'; do
    # shellcheck disable=SC2086
    usage_error probe sda $two
    expect err 'only one of --below, --like, --random and --streams'
done

usage_error probe sda --like=fio
expect err 'it can be hdparm or dd'
usage_error probe sda --streams=1
expect err '^setractl: --streams: "1" is no whole number from 2 to 64$'
usage_error probe sda --streams=65
usage_error probe sda --runs=0
expect err '^setractl: --runs: "0" is no whole number from 1 to 15$'
usage_error probe sda --runs=16
usage_error probe sda --time=3
expect err '^setractl: --time: 3: seconds or milliseconds\? write 3s or 3ms$'
usage_error probe sda --time=99ms
expect err 'not between 100ms and 1h'
usage_error probe sda --time=61min
usage_error probe sda --bytes=5
expect err '^setractl: --bytes: 5: '
usage_error probe sda --bytes=512KiB
expect err 'less than 1MiB'
usage_error probe sda --bs=5KiB
expect err 'no multiple of 4KiB up to 16MiB'
usage_error probe sda --bs=32MiB
usage_error probe sda --bs=4KiB --random
usage_error probe sda --bs=4KiB --like=hdparm
usage_error probe sda --count=5
expect err '--count is for --like=dd'
usage_error probe sda --count=5 --like=hdparm
usage_error probe sda --count=0 --like=dd

# What is there is found before anything is read.
if [ -d /sys/class/block ]; then
    run 1 probe /dev/nonsense
    empty out
    expect err "^setractl: no block device or mount point '/dev/nonsense'; 'setractl scan --all' lists what there is$"
fi

# Without permission to read it there is no figure, but the word of what it takes. A disk that this machine has, if any.
disk=
for path in /sys/block/*; do
    [ -b "/dev/${path##*/}" ] && [ "$(cat "$path/size")" -gt 65536 ] && disk=${path##*/} && break
done
if [ -n "$disk" ] && ! head -c 1 "/dev/$disk" >/dev/null 2>&1; then
    run 1 probe "$disk" --force
    empty out
    expect err "^setractl: $disk.*: it takes permission to read it: run probe as root, or as a member of the group disk$"
    run 1 probe "$disk" --force --like=hdparm
    expect err 'permission'
fi

# What is printed of figures that are made up: measuring takes devices.
last='print-reports probe'
LC_ALL=C.UTF-8 "$BUILD/tests/json/print-reports" probe >"$work/out" || fail "$last: exit status $?"
golden probe

finish
