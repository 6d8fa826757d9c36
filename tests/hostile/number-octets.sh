# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: mountinfo with escapes that are none, of NUL, and beyond a byte; numbers of devices that are none
raid5_root
{
    printf '40 1 253:0 / /a\\9\\08\\400\\777\\000b rw - ext4 x rw\n'
    printf '41 1 253 / /b rw - ext4 x rw\n42 1 4294967549:0 / /c rw - ext4 x rw\n43 1 -1:0 / /d rw - ext4 x rw\n'
    printf '44 1 0xfd:0 / /e rw - ext4 x rw\n45 1 253:0\n - \n46 1 253:0 / /f rw -\n'
} >>"$root/proc/self/mountinfo"
