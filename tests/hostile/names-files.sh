# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: mount points, backing files and swaps with escape sequences, newlines and invalid UTF-8
raid5_root
{
    printf '40 1 253:0 / /a\\012b\\033[31m rw - ext4 /dev/dm-0 rw\n'
    printf '41 1 253:1 / /\\377\\376\\134\\9\\ rw - ext4 /dev/dm-1 rw\n'
    printf '42 1 253:1 / /\033]0;x\a rw - e\033[1mxt4 /dev/dm-1 rw\n'
} >>"$root/proc/self/mountinfo"
printf '/dev/\\040\\033[31m partition 8 0 -2\n/dev/\377 partition 8 0 -2\n' >>"$root/proc/swaps"
block loop0 7:0 4096 256 512 0
mkdir "$root/sys/devices/virtual/block/loop0/loop"
printf '/home/\033[31m\nx\377\n' >"$root/sys/devices/virtual/block/loop0/loop/backing_file"
