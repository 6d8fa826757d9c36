# SPDX-License-Identifier: MIT
# summary: thin pool, snapshots and dm-cache over a raid5: LVM's own volumes are left alone, those that are read follow
# boot: shared
# timeout: 180

expect_restart
systemctl stop setrad.service

ram_disks 5
md_create md0 5 256 "${disks[@]::4}"
pvcreate -qq -y /dev/md0 "${disks[4]}"
vgcreate -qq vg0 /dev/md0 "${disks[4]}"
lvcreate -qq -y -Zn --type thin-pool -c 256k -n pool -L 512m vg0 /dev/md0
lvcreate -qq -y -r 256 -V 1g --thinpool pool -n thin vg0
lvcreate -qq -y -kn -r 256 -s -n thinsnap vg0/thin
lvcreate -qq -y -Wn -Zn -r 256 -n origin -L 256m vg0 /dev/md0
lvcreate -qq -y -r 256 -s -n snap -L 64m vg0/origin /dev/md0
lvcreate -qq -y -Wn -Zn -r 256 -n cached -L 256m vg0 /dev/md0
lvcreate -qq -y -Wn -Zn -n fast -L 64m vg0 "${disks[4]}"
lvconvert -qq -y --type cache --cachevol fast vg0/cached
systemctl start setrad.service
setrad_settled 60
setractl scan

scan_once
assert_layer vg0/thin dm-thin 256x3=768 3072 3072
assert_layer vg0/thinsnap dm-thin 256x3=768 3072 3072
assert_layer vg0/origin dm-snapshot-origin 256x3=768 3072 3072
assert_layer vg0/snap dm-snapshot 256x3=768 3072 3072
# LVM puts volumes on extents of 4 MiB, which are on no stripe of 768 KiB: told of the volume that was put there.
assert_eq "$(of vg0/origin-real '[.findings[].code] | join(" ")')" misaligned-start "findings about the origin's data"
assert_layer vg0/cached dm-cache 256x3=768 3072 3072
assert_eq "$(changes_made)" "vg0/cached 256 3072
vg0/origin 256 3072
vg0/snap 256 3072
vg0/thin 256 3072
vg0/thinsnap 256 3072" "changes made"

# private LABEL KIND: geometry is known, and it is left alone
private() {
    assert_eq "$(of "$1" '[.kind, .geometry.stripe_bytes, .target_sectors, .reason] | join(" ")')" \
        "$2 786432  LVM keeps this volume for itself" "$1"
}
private vg0/pool-tpool dm-thin-pool
private vg0/pool_tdata dm-linear
private vg0/pool_tmeta dm-linear
private vg0/origin-real dm-linear
private vg0/snap-cow dm-linear
private vg0/cached_corig dm-linear
assert_layer vg0/fast_cvol dm-linear - - 256
assert_eq "$(of vg0/cached '.geometry.from[]')" md0 "where the stripe of the cached LV comes from"
