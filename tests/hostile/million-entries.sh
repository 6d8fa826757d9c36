# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: directories of a million entries: devices, slaves, udev's database
laptop_root
million "$root/million"
block sda 8:0 4194304 256 512 0
rm -r "$root/sys/devices/virtual/block/sda/slaves" "$root/sys/class/block"
mkdir -p "$root/run/udev"
ln -s /million "$root/sys/class/block"
ln -s /million "$root/sys/devices/virtual/block/sda/slaves"
ln -s /million "$root/run/udev/data"
