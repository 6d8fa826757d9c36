# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: each of forty layers lies over two below that lie over the same: two to the fortieth ways
new_root
block sda 8:0 4194304 256 512 0
block sdb 8:16 4194304 256 512 0
lower='sda sdb' numbers='8:0 8:16'
for ((i = 0; i < 80; i += 2)); do
    for n in $i $((i + 1)); do
        block dm-$n 253:$n 2048 256 512 0
        # shellcheck disable=SC2086 # two of each
        over dm-$n $lower
        map dm-$n "m$n" '' 0 "0 1024 linear ${numbers% *} 0"
        printf 'm%s: 1024 1024 linear %s 0\n' $n "${numbers#* }" >>"$root/dmsetup/table"
    done
    lower="dm-$i dm-$((i + 1))" numbers="253:$i 253:$((i + 1))"
done
