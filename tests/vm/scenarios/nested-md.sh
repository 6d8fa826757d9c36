# SPDX-License-Identifier: MIT
# summary: raid0 over raid5, raid5 over raid0, raid1 over raid0: the stripes of the legs are added up
# boot: shared
# timeout: 180

ram_disks 6
md_create md0 5 64 "${disks[@]::3}"
md_create md1 5 64 "${disks[@]:3}"
md_create md2 0 64 /dev/md0 /dev/md1
ram_disks 6
md_create md3 0 64 "${disks[@]::2}"
md_create md4 0 64 "${disks[@]:2:2}"
md_create md5 0 64 "${disks[@]:4}"
md_create md6 5 64 /dev/md3 /dev/md4 /dev/md5
ram_disks 4
md_create md7 0 256 "${disks[@]::2}"
md_create md8 0 256 "${disks[@]:2}"
md_create md9 1 - /dev/md7 /dev/md8
linear_map over-raid50 /dev/md2
linear_map over-raid05 /dev/md6
linear_map over-raid01 /dev/md9
setrad_settled 60
setractl scan

scan_once
# The kernel takes the least common multiple of the stripes for its own readahead, which is one of the two here.
assert_layer md0 md-raid5 64x2=128 - 512
assert_layer md2 md-raid0 64x4=256 - 512
assert_layer over-raid50 dm-linear 64x4=256 1024 1024
assert_eq "$(of over-raid50 '.geometry.from | sort | join(" ")')" "md0 md1 md2" "where the stripe of over-raid50 comes from"

assert_layer md3 md-raid0 64x2=128 - 512
assert_layer md6 md-raid5 64x4=256 - 512
assert_layer over-raid05 dm-linear 64x4=256 1024 1024

assert_layer md9 md-raid1 256x2=512 - 2048
assert_layer over-raid01 dm-linear 256x2=512 2048 2048
assert_eq "$(changes_made)" "over-raid01 256 2048
over-raid05 256 1024
over-raid50 256 1024" "changes made"
