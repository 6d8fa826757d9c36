# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: names that are no UTF-8: stray bytes, cut off, too long a form, surrogates, beyond the last
named $'\xff\xfe' $'cut\xe2\x82' $'\x80\x80' $'over\xc0\xaf' $'over\xe0\x80\xaf' $'sur\xed\xa0\x80' $'far\xf4\x90\x80\x80' \
    $'five\xf8\x88\x80\x80\x80' $'mixed\xc3\x28'
