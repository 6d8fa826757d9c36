# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: names that look like paths
named ../../etc/passwd /etc/passwd . .. a//b 'a!b' ' ' '  blanks  '
