# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: links to themselves: an attribute, a directory, a device
raid5_root
dir=$root/sys/devices/virtual/block
ln -sf name "$dir/dm-0/dm/name"
rm -r "$dir/sda/queue"
ln -s queue "$dir/sda/queue"
ln -s sdx "$root/sys/class/block/sdx"
