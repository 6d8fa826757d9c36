# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is the least of 64 bits
raid5_root
every_number '-9223372036854775808'
