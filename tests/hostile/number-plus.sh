# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number has a plus sign
raid5_root
every_number '+5'
