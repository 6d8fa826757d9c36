# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: names of directories in sysfs that are none of the kernel's
laptop_root
for name in $'new\nline' $'\e[31mred' $'\xff\xfe' ' ' '-rf' '%s%n' '!!' $'a\u202eb' '"' '..!..' 'dm-' 'dm-x' 'dm--1' \
    md 'md-' loop 'sd!a'; do
    mkdir -p "$root/sys/class/block/$name/queue"
    echo 8:77 >"$root/sys/class/block/$name/dev"
    echo 2048 >"$root/sys/class/block/$name/size"
    echo 128 >"$root/sys/class/block/$name/queue/read_ahead_kb"
done
