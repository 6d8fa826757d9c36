# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: slaves of each device is a link to the directory of all devices, itself among them
laptop_root
for n in 0 1 2; do
    block dm-$n 253:$n 2097152 256 512 0
    map dm-$n "m$n" '' 0 "0 2097152 linear 259:0 0"
    rm -r "$root/sys/devices/virtual/block/dm-$n/slaves"
    ln -s ../../../../class/block "$root/sys/devices/virtual/block/dm-$n/slaves"
done
