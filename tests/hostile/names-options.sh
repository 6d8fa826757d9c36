# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: names that a shell, printf or getopt would take for theirs
named '-rf' '--help' '$(id)' '`id`' '%s%n%99999999d' '|&;*?' '..'
