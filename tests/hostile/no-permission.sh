# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: what may not be read
raid5_root
chmod 0 "$root/sys/devices/virtual/block/dm-0/dm/name" "$root/dmsetup/table"
