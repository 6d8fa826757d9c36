# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is hexadecimal
raid5_root
every_number '0x10'
