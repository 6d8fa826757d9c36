# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number looks octal
raid5_root
every_number '010'
