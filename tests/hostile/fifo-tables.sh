# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: FIFOs where tables, mounts, swaps, udev's database and the ledger should be
raid5_root
mkdir -p "$root/run/udev/data" "$root/run/setrad"
for file in dmsetup/table dmsetup/info dmsetup/status proc/self/mountinfo proc/swaps proc/meminfo proc/self/smaps \
    run/udev/data/b8:0 run/setrad/ledger.json; do
    rm -f "$root/$file"
    mkfifo "$root/$file"
done
