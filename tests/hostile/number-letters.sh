# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number ends in letters
raid5_root
every_number '12abc'
