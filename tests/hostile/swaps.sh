# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: swaps with escapes, broken ones, no name, a deleted file, and one as it should be
raid5_root
printf '%s\n' '/dev/\033[31m partition 1 0 -2' '/dev/\9 partition 1 0 -2' ' partition' 'partition' \
    '/dev/dm-0\040\050deleted\051 partition 1 0 -2' $'/dev/\xff partition 1 0 -2' '/dev/dm-1 partition 1 0 -2' >>"$root/proc/swaps"
