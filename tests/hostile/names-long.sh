# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: names as long as names can be, and longer
long=$(printf 'n%.0s' {1..255})
named "$long" "${long:0:127}" "$long$long$long"
mkdir "$root/sys/class/block/$long"
