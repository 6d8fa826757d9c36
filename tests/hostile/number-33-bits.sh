# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is one more than 32 bits hold
raid5_root
every_number '4294967296'
