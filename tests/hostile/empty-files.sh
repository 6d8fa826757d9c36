# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: all attributes are empty
raid5_root
find "$root/sys" -type f -exec truncate -s 0 {} +
: >"$root/dmsetup/table"
: >"$root/proc/swaps"
: >"$root/proc/meminfo"
