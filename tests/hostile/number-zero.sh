# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is 0
raid5_root
every_number '0'
