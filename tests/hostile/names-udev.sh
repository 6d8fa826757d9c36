# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: serial numbers, models and file systems of udev's with escape sequences and invalid UTF-8
raid5_root
mkdir -p "$root/run/udev/data"
printf 'E:ID_MODEL=\033[31mred\nE:ID_SERIAL_SHORT=\377\376\nE:ID_BUS=a\001b\nE:ID_FS_TYPE=x\tfs\n' >"$root/run/udev/data/b8:0"
printf 'E:ID_MODEL=%s\nE:=\nE:ID_BUS\nE:\nX\n=\nE:ID_FS_TYPE=\n' "$(head -c 60000 /dev/zero | tr '\0' m)" >"$root/run/udev/data/b8:16"
printf 'E:ID_MODEL=a\nE:ID_MODEL=b\0c\n' >"$root/run/udev/data/b8:32"
