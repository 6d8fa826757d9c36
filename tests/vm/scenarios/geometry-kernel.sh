# SPDX-License-Identifier: MIT
# summary: for every level and layout of md, 2 × stripe width is the readahead that the kernel gives an array by itself
# boot: shared
# timeout: 240

ram_disks 9
combinations=0
# Chunk and stripe in KiB, both readaheads in sectors.
printf '%-6s %7s %6s %7s %7s %7s\n' level members chunk stripe setrad kernel

# check LEVEL CHUNK_KIB MEMBERS
check() {
    local stripe sectors kernel
    md_create md0 "$1" "$2" "${disks[@]::$3}"
    kernel=$(ra /dev/md0)
    scan_once
    stripe=$(of md0 '.geometry.stripe_bytes // 0')
    mdadm --quiet --stop /dev/md0
    mdadm --quiet --zero-superblock "${disks[@]::$3}"
    sectors=$((2 * stripe / 512))
    [ "$sectors" -ge 256 ] || sectors=256
    printf '%-6s %7s %6s %7s %7s %7s\n' "$1" "$3" "$2" "$((stripe / 1024))" "$sectors" "$kernel"
    [ "$sectors" = "$kernel" ] || fail "level $1, $3 members, chunk $2 KiB: setrad has $sectors, the kernel $kernel"
    combinations=$((combinations + 1))
}

while read -r level chunk members; do check "$level" "$chunk" "$members"; done <<'COMBINATIONS'
0 4 2
0 64 3
0 128 8
0 512 5
0 1024 9
1 - 2
1 - 3
4 32 3
4 256 5
5 4 9
5 64 3
5 128 4
5 256 7
5 1024 5
6 4 4
6 64 5
6 128 8
6 512 9
10-n2 64 2
10-n2 128 4
10-n2 256 5
10-n2 1024 8
10-n3 64 6
10-n3 128 4
10-n3 512 9
10-f2 64 2
10-f2 128 5
10-f2 512 4
10-o2 32 3
10-o2 128 6
10-o2 1024 7
10-f3 64 3
10-f3 256 4
10-f3 128 7
10-o3 64 3
10-o3 512 5
10-o3 128 6
linear - 2
linear - 5
COMBINATIONS
note "$combinations combinations"
[ "$combinations" -ge 20 ] || fail "only $combinations combinations"
