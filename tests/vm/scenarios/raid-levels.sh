# SPDX-License-Identifier: MIT
# summary: raid10 near, far and offset, raid6, raid4 and linear arrays: geometry, and maps over them raised to it
# boot: shared
# timeout: 180

ram_disks 4
near=("${disks[@]}")
ram_disks 4
far=("${disks[@]}")
ram_disks 4
offset=("${disks[@]}")
ram_disks 3
odd=("${disks[@]}")
ram_disks 5
six=("${disks[@]}")
ram_disks 4
four=("${disks[@]}")
ram_disks 2
md_create md0 10-n2 128 "${near[@]}"
md_create md1 10-f2 128 "${far[@]}"
md_create md2 10-o2 128 "${offset[@]}"
md_create md3 10-n2 128 "${odd[@]}"
md_create md4 6 128 "${six[@]}"
md_create md5 4 128 "${four[@]}"
arrays=(md{0..5})
# 6.8 dropped the linear level. It is back since 6.14, but Debian's user-mode Linux has not got it.
if ! kernel_since 6.8; then
    md_create md6 linear - "${disks[@]}"
    arrays+=(md6)
fi
for array in "${arrays[@]}"; do linear_map "over${array#md}" "/dev/$array"; done
setrad_settled 60
setractl scan

# Of near copies each disk pair is read as one; of far and offset copies all disks are, and of copies that do not divide
# the disks as well.
scan_once
assert_layer md0 md-raid10 128x2=256 - 1024
assert_layer md1 md-raid10 128x4=512 - 2048
assert_layer md2 md-raid10 128x4=512 - 2048
assert_layer md3 md-raid10 128x3=384 - 1536
assert_layer md4 md-raid6 128x3=384 - 1536
assert_layer md5 md-raid4 128x3=384 - 1536
assert_layer over0 dm-linear 128x2=256 1024 1024
assert_layer over1 dm-linear 128x4=512 2048 2048
assert_layer over2 dm-linear 128x4=512 2048 2048
assert_layer over3 dm-linear 128x3=384 1536 1536
assert_layer over4 dm-linear 128x3=384 1536 1536
assert_layer over5 dm-linear 128x3=384 1536 1536
if ! kernel_since 6.8; then
    assert_layer md6 md-linear - - 256
    assert_layer over6 dm-linear - 256 256
fi
assert_eq "$(changes_made)" "over0 256 1024
over1 256 2048
over2 256 2048
over3 256 1536
over4 256 1536
over5 256 1536" "changes made"
