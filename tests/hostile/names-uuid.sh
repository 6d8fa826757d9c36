# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: uuids that begin as LVM's, CRYPT's and multipath's, of maps with names that are none of theirs
laptop_root
n=0
while IFS='|' read -r name uuid; do
    block dm-$n 253:$n 8192 256 4096 0
    map dm-$n "$name" "$(printf '%b' "$uuid")" 0 '0 8192 linear 259:0 0'
    n=$((n + 1))
done <<'M'
vg-lv|LVM-
-lv|LVM-x
vg-|LVM-x-
vg|LVM-x
----|LVM-x
vg--a-lv--b-x-y|LVM-x-tdata\033[2J
a-b-c|LVM-\xff-real
c|CRYPT-
part|part1-mpath-\xe2\x80\xae
M
