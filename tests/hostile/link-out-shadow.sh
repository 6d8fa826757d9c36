# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: tables, mounts, swaps and udev's database are links to etc/shadow outside
raid5_root
for file in dmsetup/table proc/self/mountinfo proc/swaps proc/meminfo; do ln -sf "$outside/secret" "$root/$file"; done
mkdir -p "$root/run/udev/data" "$root/run/setrad"
ln -s ../../../../../../../../../etc/shadow "$root/run/udev/data/b8:0"
ln -s "$outside/secret" "$root/run/udev/data/b253:0"
ln -s "$outside/ledger.json" "$root/run/setrad/ledger.json"
