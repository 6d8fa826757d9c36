# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is -1
raid5_root
every_number '-1'
