# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is one more than 64 bits hold
raid5_root
every_number '18446744073709551616'
