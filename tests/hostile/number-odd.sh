# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: every number is 3: sizes, sectors and stripes that no hardware has
raid5_root
every_number '3'
