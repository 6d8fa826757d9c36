# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: readaheads at the edges: 0, 1 KiB, 2 GiB and beyond what the ioctl takes
raid5_root
n=0
for kib in 0 1 2097151 2147483648 4294967295 9007199254740991; do
    block dm-1$n 253:1$n 2097152 256 262144 1835008
    over dm-1$n md0
    map dm-1$n "vg0-n$n" "${lvm_uuid}00000000000000000000000000000b$n" 0 '0 2097152 linear 9:0 0'
    echo $kib >"$root/sys/devices/virtual/block/dm-1$n/queue/read_ahead_kb"
    n=$((n + 1))
done
