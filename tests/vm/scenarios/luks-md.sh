# SPDX-License-Identifier: MIT
# summary: LVM over LUKS over a raid6: both maps get what fits the array
# boot: shared
# timeout: 180

expect_restart
systemctl stop setrad.service
ram_disks 5
md_create md0 6 256 "${disks[@]}"
echo secret | cryptsetup luksFormat --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 /dev/md0 -
echo secret | cryptsetup open --key-file - /dev/md0 secret
pvcreate -qq -y /dev/mapper/secret
vgcreate -qq vg0 /dev/mapper/secret
lvcreate -qq -y -Wn -Zn -r 256 -n data -L 512m vg0
blockdev --setra 256 /dev/mapper/secret
systemctl start setrad.service
setrad_settled 60
setractl scan

scan_once
assert_layer md0 md-raid6 256x3=768 - 3072
assert_layer secret dm-crypt 256x3=768 3072 3072
assert_layer vg0/data dm-linear 256x3=768 3072 3072
assert_eq "$(of vg0/data '.below[]')" "$(kname /dev/mapper/secret)" "below the LV"
assert_eq "$(of vg0/data '.geometry.from[]')" md0 "where the stripe of the LV comes from"
was_changed vg0/data || fail "the LV was not raised"
