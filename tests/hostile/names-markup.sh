# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: names with what means something in dot, SVG, mermaid, JSON, YAML and shells
named '"quoted"' 'back\slash' 'a<b>&c' '{a|b}' "it's" '$(reboot)' '`reboot`' '--help' '%s%n%x' '];evil->good' 'a#b;c' \
    '<script>' '&#65;' '\n\l\r' '"];x["' '-->' ']]>'
