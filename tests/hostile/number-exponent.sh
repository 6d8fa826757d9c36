# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number has an exponent
raid5_root
every_number '1e3'
