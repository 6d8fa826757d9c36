# SPDX-License-Identifier: MIT
# summary: a striped LV over two arrays gets the sum of both, one with segments on both what the wider needs
# boot: shared
# timeout: 180

expect_restart
systemctl stop setrad.service

ram_disks 10
plain=${disks[9]}
md_create md0 5 128 "${disks[@]::5}"
md_create md1 5 256 "${disks[@]:5:4}"
pvcreate -qq -y /dev/md0 /dev/md1 "$plain"
vgcreate -qq vg0 /dev/md0 /dev/md1 "$plain"
lvcreate -qq -y -Wn -Zn -r 256 -i 2 -I 64 -n striped -L 512m vg0 /dev/md0 /dev/md1
lvcreate -qq -y -Wn -Zn -r 256 -n segments -L 256m vg0 /dev/md0
lvextend -qq -l +64 vg0/segments /dev/md1
lvcreate -qq -y -Wn -Zn -r 256 -n half -L 256m vg0 "$plain"
lvextend -qq -l +64 vg0/half /dev/md0
assert_eq "$(dmsetup table vg0-segments | wc -l)" 2 "segments of vg0/segments"
systemctl start setrad.service
setrad_settled 60
setractl scan

scan_once
assert_layer md0 md-raid5 128x4=512 - 2048
assert_layer md1 md-raid5 256x3=768 - 3072
assert_layer vg0/striped dm-striped -x7=1280 5120 5120
# LVM puts volumes on extents of 4 MiB, which are on no stripe of 768 KiB.
assert_layer vg0/segments dm-linear 256x3=768 3072 3072 misaligned-start
assert_layer vg0/half dm-linear 128x4=512 2048 2048
assert_eq "$(of vg0/striped '.geometry.from | sort | join(" ")')" "$(kname /dev/vg0/striped) md0 md1" "whose stripes vg0/striped adds up"
assert_eq "$(of vg0/segments '.geometry.from[]')" md1 "where the stripe of vg0/segments comes from"
assert_eq "$(of vg0/half '.below | sort | join(" ")')" "md0 ${plain#/dev/}" "below vg0/half"
assert_eq "$(changes_made)" "vg0/half 256 2048
vg0/segments 256 3072
vg0/striped 256 5120" "changes made"
