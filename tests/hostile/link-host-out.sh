# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: mounts, swaps, memory, tables, udev's database and the ledger lead out, by way of a link in the middle
raid5_root
rm -r "$root/proc" "$root/dmsetup"
mkdir -p "$root/proc/self" "$root/dmsetup" "$root/run/setrad" "$root/run/udev"
ln -s "$outside" "$root/out"
for file in proc/self/mountinfo proc/mounts proc/swaps proc/meminfo proc/self/smaps dmsetup/table dmsetup/info dmsetup/status; do
    ln -s /out/secret "$root/$file"
done
ln -s /out/ledger.json "$root/run/setrad/ledger.json"
ln -s /out/device "$root/run/udev/data"
