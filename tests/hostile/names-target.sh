# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: types of targets and their parameters with control characters
raid5_root
printf 'vg0-data: 0 2097152 li\033[31mnear 9:0 0\nvg0-home: 0 2097152 \377\376 9:0 \033c\n' >"$root/dmsetup/table"
