# SPDX-License-Identifier: MIT
# summary: what is mounted before the service starts, as root is: files opened before keep the old readahead, others do not
# boot: shared
# timeout: 120

expect_restart
systemctl stop setrad.service
slow_disks 4 512 0
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
lvcreate -qq -y -Wn -Zn -r 256 -n root -L 256m vg0
mkfs.ext4 -q -E nodiscard /dev/vg0/root
mkdir -p mnt
mount /dev/vg0/root mnt
truncate -s 96M mnt/file
dd if=/dev/zero of=mnt/file bs=1M count=96 conv=notrunc,fsync status=none
policy 10-root <<'END'
version: 1
rules: [{name: root, match: {lv: root}, readahead: auto, probe: {when: never}}]
END
echo 3 >/proc/sys/vm/drop_caches
exec {early}<mnt/file
slow_down 10

started=$(now_usec)
systemctl start setrad.service
wait_until 20 was_changed vg0/root
wait_until 5 ra_is /dev/vg0/root 3072
note "from the start of the service to the change: $((($(now_usec) - started) / 1000)) ms"

# read_from DESCRIPTOR MIB: MB/s, from where it is
read_from() {
    LC_ALL=C dd bs=128k count=$(($2 * 8)) of=/dev/null <&"$1" 2>&1 | awk '/copied/ { print $1 / $(NF - 3) / 1e6 }'
}
old=$(read_from "$early" 4)
exec {late}<mnt/file
# Behind what the first has read, and read ahead.
dd bs=1M skip=16 count=0 of=/dev/null status=none <&"$late"
new=$(read_from "$late" 64)
assert_ratio "$new" "$old" '>' 2 "MB/s through a file opened after the change, of that through one opened before"
again=$(read_from "$early" 4)
assert_ratio "$again" "$old" '<' 1.5 "MB/s through the one opened before, once more"
exec {early}<&- {late}<&-
umount mnt
