# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: device-mapper's own mangling: right, wrong and cut off
named '\x2f' 'a\x20b' '\x' '\xg0' '\x2' 'a\x00b' '\x1b[31m' '\xff'
