# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: links to what is not there
raid5_root
ln -s ../../devices/virtual/block/gone "$root/sys/class/block/gone"
ln -s ../../gone "$root/sys/devices/virtual/block/dm-0/slaves/gone"
ln -sf gone "$root/sys/devices/virtual/block/dm-1/size"
