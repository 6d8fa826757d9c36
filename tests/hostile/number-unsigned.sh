# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is the largest of 64 bits
raid5_root
every_number '18446744073709551615'
