# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: two links that lead to each other, in the place of a device and of the mount table
laptop_root
ln -s sdy "$root/sys/class/block/sdx"
ln -s sdx "$root/sys/class/block/sdy"
ln -sf mountinfo2 "$root/proc/self/mountinfo"
ln -s mountinfo "$root/proc/self/mountinfo2"
