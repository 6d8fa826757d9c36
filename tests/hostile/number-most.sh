# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is the largest of 63 bits
raid5_root
every_number '9223372036854775807'
