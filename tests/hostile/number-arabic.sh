# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is a digit, not of ASCII
raid5_root
every_number '٣'
