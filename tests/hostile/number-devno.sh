# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: device numbers beyond 32 bits, negative, too many, in hexadecimal
new_root
n=0
for number in 4294967296:0 0:4294967296 -1:0 8:-1 8 8: :8 8:0:0 0x8:0 '8: 0' 08:00 18446744073709551624:0 4095:1048575; do
    block sd$((++n)) 1:$n 4194304 256 512 0
    echo "$number" >"$root/sys/devices/virtual/block/sd$n/dev"
done
