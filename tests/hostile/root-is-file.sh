# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: the root is a file
echo sys >"$root"
