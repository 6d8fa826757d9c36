# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: a ledger of somebody else's: escape sequences, values out of range, another device's name
raid5_root
mkdir -p "$root/run/setrad"
printf '{"version":1,"entries":[{"device":"dm-0","label":"\\u001b[31mred\\u0000x","original_sectors":-1,"new_sectors":1e99},' \
    >"$root/run/setrad/ledger.json"
