# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: magic links of this very process
laptop_root
ln -s /proc/self/root/etc "$root/sys/class/block/sdx"
ln -sf /proc/self/fd/0 "$root/proc/self/mountinfo"
ln -sf /dev/stdin "$root/proc/swaps"
