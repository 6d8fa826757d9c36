# SPDX-License-Identifier: MIT
# summary: a loop device over a file of an ext4 on a raid0 is led down to the array, and raised
# boot: shared
# timeout: 120

ram_disks 3
md_create md0 0 256 "${disks[@]}"
mke2fs -q -t ext4 -E lazy_itable_init=1,lazy_journal_init=1 -J size=4 /dev/md0 512M
mkdir mnt
mount /dev/md0 mnt
truncate -s 256M mnt/image
losetup /dev/loop0 mnt/image
setrad_settled 60
setractl scan

scan_once
assert_layer md0 md-raid0 256x3=768 - 3072
assert_eq "$(of md0 '.use[] | "\(.type) \(.path) \(.fs)"')" "mount $PWD/mnt ext4" "use of the array"
assert_eq "$(of loop0 '.below[]')" md0 "below the loop device"
assert_layer loop0 loop 256x3=768 3072 3072
assert_eq "$(changes_made)" "loop0 256 3072" "changes made"
