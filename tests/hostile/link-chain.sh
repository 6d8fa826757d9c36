# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: more links in a row than the kernel follows
laptop_root
ln -s ../../devices/virtual/block/nvme0n1 "$root/sys/class/block/l0"
for ((i = 1; i <= 45; i++)); do ln -s l$((i - 1)) "$root/sys/class/block/l$i"; done
