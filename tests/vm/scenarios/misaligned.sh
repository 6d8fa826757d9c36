# SPDX-License-Identifier: MIT
# summary: a partition at sector 63 of an array is a warning, one on a chunk but no stripe a notice; maps by their own start
# boot: shared
# timeout: 120

ram_disks 4
md_create md0 5 64 "${disks[@]}"
sfdisk --quiet /dev/md0 <<'PARTITIONS'
label: dos
start=63, size=1000000
start=1000064, size=1000064
start=2000256, size=1000064
PARTITIONS
udevadm settle
dmsetup create map --readahead 256 --table "0 900000 linear /dev/md0p1 0"
dmsetup create shifted --readahead 256 --table "0 900000 linear /dev/md0p1 128"
setrad_settled 60
setractl scan

severity='.findings[] | select(.code == "misaligned-start").severity'
scan_once
assert_layer md0 md-raid5 64x3=192 - 768
assert_layer md0p1 partition 64x3=192 - 768 misaligned-start
assert_eq "$(of md0p1 "$severity")" warning "severity off the chunk"
assert_layer md0p2 partition 64x3=192 - 768 misaligned-start
assert_eq "$(of md0p2 "$severity")" notice "severity off the stripe"
assert_layer md0p3 partition 64x3=192 - 768
# From sector 0 on a map lies as its partition does, which is told of it; another start is its own.
assert_layer map dm-linear 64x3=192 768 768
assert_layer shifted dm-linear 64x3=192 768 768 misaligned-start
assert_eq "$(of shifted '.findings[].text | test("sector 191 of md0,")')" true "where the map's data starts"
