# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: a ledger of a hundred thousand brackets
raid5_root
mkdir -p "$root/run/setrad"
head -c 100000 /dev/zero | tr '\0' '[' >"$root/run/setrad/ledger.json"
