# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: nothing ends with a newline
raid5_root
find "$root/sys" -type f | while read -r file; do printf %s "$(<"$file")" >"$file"; done
for file in dmsetup/table proc/self/mountinfo proc/swaps proc/meminfo; do printf %s "$(<"$root/$file")" >"$root/$file"; done
