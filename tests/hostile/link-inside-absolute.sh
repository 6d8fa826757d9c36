# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: absolute links are meant from the root, as in a chroot
laptop_root
mkdir -p "$root/elsewhere"
mv "$root/sys/devices/virtual/block/nvme0n1/queue" "$root/elsewhere/queue"
ln -s /elsewhere/queue "$root/sys/devices/virtual/block/nvme0n1/queue"
