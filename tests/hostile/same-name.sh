# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: two maps with one name
raid5_root
echo vg0-data >"$root/sys/devices/virtual/block/dm-1/dm/name"
