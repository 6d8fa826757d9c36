# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: a thousand maps over each other
new_root
block sda 8:0 4194304 256 512 0
light_map dm-0 253:0 0 '0 2048 linear 8:0 0' sda
for ((i = 1; i < 1000; i++)); do light_map dm-$i 253:$i "$i" "0 2048 linear 253:$((i - 1)) 0" dm-$((i - 1)); done
