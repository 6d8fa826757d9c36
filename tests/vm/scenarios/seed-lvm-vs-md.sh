# SPDX-License-Identifier: MIT
# summary: LVM's raid0, raid5, raid10 of 4 KiB stripes beside md's over LVs: kinds, members, chunk, data disks
# boot: shared
# timeout: 180

ram_disks 4
pvcreate -qq -y "${disks[@]}"
vgcreate -qq vg "${disks[@]}"
lvcreate -qq -y -Wn -Zn --type raid0 -i 4 -I 4 -n lvm0 -L 256m vg
lvcreate -qq -y -Wn -Zn --type raid5 -i 3 -I 4 --nosync -n lvm5 -L 192m vg
lvcreate -qq -y -Wn -Zn --type raid10 -m 1 -i 2 -I 4 --nosync -n lvm10 -L 128m vg
for level in 0 5 10; do
    legs=()
    for i in 0 1 2 3; do
        lvcreate -qq -y -Wn -Zn -n "leg$level.$i" -L 64m vg "${disks[i]}"
        legs+=("/dev/vg/leg$level.$i")
    done
    md_create "md$level" "$level" 4 "${legs[@]}"
done
setrad_settled
setractl scan -o NAME,KIND,RA,TARGET,STRIPE
scan_once

# check LABEL KIND DATA_DISKS MEMBER-PATTERN: four members of that name, chunk of 4 KiB
check() {
    assert_eq "$(of "$1" .kind)" "$2" "kind of $1"
    assert_eq "$(of "$1" .geometry.chunk_bytes)" 4096 "chunk of $1"
    assert_eq "$(of "$1" .geometry.data_disks)" "$3" "data disks of $1"
    assert_eq "$(of "$1" .geometry.stripe_bytes)" "$(($3 * 4096))" "stripe width of $1"
    local member count=0
    for member in $(of "$1" '.below[]'); do
        if [[ $(of "$member" .label) =~ ^$4$ ]]; then count=$((count + 1)); fi
    done
    assert_eq "$count" 4 "members of $1"
}
check vg/lvm0 dm-raid0 4 'vg/lvm0_rimage_[0-3]'
check vg/lvm5 dm-raid5 3 'vg/lvm5_rimage_[0-3]'
check vg/lvm10 dm-raid10 2 'vg/lvm10_rimage_[0-3]'
check md0 md-raid0 4 'vg/leg0\.[0-3]'
check md5 md-raid5 3 'vg/leg5\.[0-3]'
check md10 md-raid10 2 'vg/leg10\.[0-3]'

# md over dm over disks
for level in 0 5 10; do
    for i in 0 1 2 3; do
        assert_eq "$(of "vg/leg$level.$i" '.above[]')" "md$level" "above leg$level.$i"
        assert_eq "$(of "vg/leg$level.$i" '.below[]')" "${disks[i]#/dev/}" "below leg$level.$i"
    done
    assert_eq "$(of "md$level" '[.findings[].code | select(. == "stripe-tiny")] | length')" 1 "stripe-tiny on md$level"
done
setractl scan -o NAME,KIND | grep -A 2 '^md5' | tail -n 2 | grep -q dm-linear || fail "the tree does not show the LVs under md5"
