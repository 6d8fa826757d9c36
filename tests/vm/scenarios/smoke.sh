# SPDX-License-Identifier: MIT
# summary: the harness itself: modules, udev, a RAID5 with an LV by real udev, setrad active
# boot: shared
# timeout: 90

modprobe --all raid0 raid1 raid10 raid456
modprobe --all dm-crypt dm-delay dm-raid dm-thin-pool dm-cache dm-snapshot dm-multipath
targets=$(dmsetup targets | awk '{ print $1 }')
for target in linear striped crypt delay raid thin thin-pool cache snapshot multipath; do
    grep -qx "$target" <<<"$targets" || fail "device-mapper has no target $target"
done
for level in raid0 raid1 raid10 raid6 raid5 raid4; do
    grep -q "\[$level\]" /proc/mdstat || fail "md has no $level"
done
systemctl is-active --quiet systemd-udevd.service || fail "udev does not run"
systemctl is-active --quiet setrad.service || fail "setrad does not run"

slow_disks 4 256 0
md_create md0 5 256 "${disks[@]}"
assert_eq "$(ra /dev/md0)" 3072 "readahead of the array"

pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
lvcreate -qq -y -r 256 -n lv0 -L 300M vg0
[ -L /dev/vg0/lv0 ] || fail "udev made no /dev/vg0/lv0"
assert_eq "$(udevadm info -q property -n /dev/vg0/lv0 | sed -n 's/^DM_LV_NAME=//p')" lv0 "udev's name of the LV"

lsblk --exclude 98 -o NAME,TYPE,SIZE,RA,MIN-IO,OPT-IO
assert_eq "$(lsblk -dnro TYPE /dev/vg0/lv0)" lvm "lsblk's type of the LV"
assert_eq "$(lsblk -nrso NAME,TYPE /dev/vg0/lv0 | grep -c raid5)" 1 "arrays under the LV"

# At rest it does not mind what is set by hand: that makes no event.
slow_down 10
setrad_settled
blockdev --setra 256 /dev/vg0/lv0
slow=$(dd_mbps /dev/vg0/lv0 48)
blockdev --setra 3072 /dev/vg0/lv0
fast=$(dd_mbps /dev/vg0/lv0 192)
assert_ratio "$fast" "$slow" '>' 1.5 "readahead matters on slow disks"
