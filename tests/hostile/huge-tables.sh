# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: tables of gigabytes without a line in them
raid5_root
mkdir -p "$root/run/udev/data" "$root/run/setrad"
for file in dmsetup/table dmsetup/info dmsetup/status proc/self/mountinfo proc/swaps proc/meminfo proc/self/smaps \
    run/udev/data/b8:0 run/setrad/ledger.json; do
    truncate -s 4G "$root/$file"
done
