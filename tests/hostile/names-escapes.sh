# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: names that a terminal would take for commands: colours, titles, links, cursors, in seven and eight bits
named $'\e[31mred' $'\e]0;title\a' $'\e]8;;http://example.com\e\\link\e]8;;\e\\' $'\e[2J\e[H' $'\x9b31mraw' \
    $'\xc2\x9b31mutf8' $'\eP+q\e\\' $'\e(0' $'\xc2\x85next'
