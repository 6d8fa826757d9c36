# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: a directory in the middle of the path of attributes leads out
raid5_root
rm -r "$root/sys/devices/virtual/block/dm-0/queue" "$root/sys/devices/virtual/block/sdz/queue"
ln -s "$outside/device/queue" "$root/sys/devices/virtual/block/dm-0/queue"
ln -s "../../../../../../../../../../../..$outside/device/queue" "$root/sys/devices/virtual/block/sdz/queue"
