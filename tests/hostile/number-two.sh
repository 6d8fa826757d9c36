# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is two
raid5_root
every_number '5 6'
