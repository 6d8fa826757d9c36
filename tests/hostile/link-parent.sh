# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: a directory that contains itself by a link to its parent
laptop_root
ln -s .. "$root/sys/devices/virtual/block/nvme0n1/nvme0n1"
ln -s . "$root/sys/class/block/again"
ln -s ../.. "$root/sys/devices/virtual/block/nvme0n1/slaves/up"
