# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: two maps that lie over each other, by slaves and by tables
new_root
block dm-0 253:0 2097152 256 512 0
block dm-1 253:1 2097152 256 512 0
over dm-0 dm-1
over dm-1 dm-0
map dm-0 one '' 0 '0 2097152 linear 253:1 0'
map dm-1 two '' 0 '0 2097152 linear 253:0 0'
