# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: names that turn the direction of what follows, or that cannot be seen
named $'abc\u202egnp' $'\u2066isolate' $'zero\u200bwidth' $'\ufeffmark' $'soft\u00adhyphen' $'line\u2028separator' \
    $'a\u0301\u0301\u0301\u0301\u0301'
