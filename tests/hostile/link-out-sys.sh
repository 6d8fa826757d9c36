# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: sys itself is a link out of the root
mkdir -p "$root"
ln -s "$outside/sys" "$root/sys"
