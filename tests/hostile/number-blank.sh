# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number follows a blank
raid5_root
every_number ' 5'
