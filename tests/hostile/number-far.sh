# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is far beyond
raid5_root
every_number '99999999999999999999999999999999'
