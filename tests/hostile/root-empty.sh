# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: the root is empty
mkdir -p "$root"
