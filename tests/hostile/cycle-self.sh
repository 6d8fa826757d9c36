# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: a device that lies over itself, an array that is its own member
new_root
block dm-0 253:0 2097152 256 512 0
over dm-0 dm-0
map dm-0 self '' 0 '0 2097152 linear 253:0 0'
block md0 9:0 2097152 256 65536 131072
array md0 raid0 65536 md0
