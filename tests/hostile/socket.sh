# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: sockets where files should be
raid5_root
for file in sys/devices/virtual/block/dm-0/dm/name proc/self/mountinfo dmsetup/table; do
    rm "$root/$file"
    (cd "$root/${file%/*}" && socket "${file##*/}")
done
