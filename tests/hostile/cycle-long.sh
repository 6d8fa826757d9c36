# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: a ring of three hundred maps
new_root
for ((i = 0; i < 300; i++)); do
    light_map dm-$i 253:$i "$i" "0 2048 linear 253:$(((i + 1) % 300)) 0" dm-$(((i + 1) % 300))
done
