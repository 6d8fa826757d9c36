# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: two devices with one number
raid5_root
echo 253:0 >"$root/sys/devices/virtual/block/dm-1/dev"
echo 9:0 >"$root/sys/devices/virtual/block/sda/dev"
