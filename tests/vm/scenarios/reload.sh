# SPDX-License-Identifier: MIT
# summary: an LV whose map is reloaded (lvextend) is back at its target within 2 s, a suspend and resume change nothing
# boot: shared
# timeout: 120

ram_disks 4
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
policy 10-lv <<'YAML'
version: 1
rules:
  - name: the known fix
    match: {vg: vg0}
    readahead: 8192s
YAML
reload
lvcreate -qq -y -Wn -Zn -n lv -L 64m vg0
wait_until 10 ra_is /dev/vg0/lv 8192
setrad_settled

# Kernels before 6.15 work the readahead out anew when a table is loaded; LVM does so on any.
for size in 128 192; do
    lvextend -qq -L "${size}m" vg0/lv
    after=$(ra /dev/vg0/lv)
    start=$(now_usec)
    wait_until 2 ra_is /dev/vg0/lv 8192
    note "lvextend to $size MiB left $after sectors; at 8192 again $((($(now_usec) - start) / 1000)) ms after it"
    setrad_settled
done
resets=$(count_said 'vg0/lv .*the kernel or LVM has put it back; it is set again')
changes=$(changes_made | grep -c '^vg0/lv ')
assert_eq "$((changes - 1))" "$resets" "changes after the first one, and resets told of"

dmsetup suspend vg0-lv
dmsetup resume vg0-lv
udevadm settle
wait_until 2 ra_is /dev/vg0/lv 8192
setrad_settled
assert_eq "$(ra /dev/vg0/lv)" 8192 "readahead of the LV after suspend and resume"

# One with a value that LVM stores and puts back itself each time it resumes the map.
lvcreate -qq -y -Wn -Zn -r 512 -n stored -L 64m vg0
wait_until 10 ra_is /dev/vg0/stored 8192
setrad_settled
lvextend -qq -L 128m vg0/stored
wait_until 5 ra_is /dev/vg0/stored 8192
lvchange -qq --refresh vg0/stored
pause 3
setrad_settled
assert_eq "$(ra /dev/vg0/stored)" 8192 "readahead of the LV with a stored value, after a refresh"

# An event alone changes nothing about what somebody has set.
blockdev --setra 1024 /dev/vg0/lv
setrad_settled
echo change >"/sys/class/block/$(kname /dev/vg0/lv)/uevent"
pause 3
setrad_settled
assert_eq "$(ra /dev/vg0/lv)" 1024 "readahead set by hand, after an event that came later"
assert_eq "$(count_said 'gave up')" 0 "times that it gave up"
