# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: tables with starts and lengths that overflow, overlap, are negative or none
raid5_root
cat >"$root/dmsetup/table" <<'TABLE'
vg0-data: 18446744073709551615 18446744073709551615 linear 9:0 0
vg0-data: -1 5 linear 9:0 -1
vg0-data: 0 0 linear 9:0 18446744073709551616
vg0-data: 0x0 010 linear 9:0 1e3
vg0-data: 0 8 striped 99999999999 128 9:0 0
vg0-data: 0 8 striped 4294967295 18446744073709551615 9:0 0 8:0 0
vg0-data: 0 8 striped 2 0 9:0 0 8:0 0
vg0-data: 0 8 raid raid5_ls 99999999 x 2 - -
vg0-data: 0 8 raid raid5_ls 1 128 1000000 - 9:0
vg0-home: 0 8 multipath 99999999 a
vg0-home: 0 8 multipath 0 0 4294967295 1 service-time 0 4294967295 2 8:0 1 1
vg0-home: 0 8 mirror core 4294967295
vg0-home:
vg0-home
: 0 8 linear 9:0 0
TABLE
