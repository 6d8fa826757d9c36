# SPDX-License-Identifier: MIT
# summary: a probe leaves the page cache as it was: what others have there stays, nothing of its own does
# boot: shared
# timeout: 240

expect_restart
systemctl stop setrad.service
slow_disks 4 256 0
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
for lv in raw files full; do lvcreate -qq -y -Wn -Zn -r 256 -n $lv -L 192m vg0; done

# A file system that nothing is written to any more, and a file that has been read. Its blocks are pages: of smaller ones a
# page may be in the cache in part, which mincore does not tell, and held there, as the head of the journal is.
mke2fs -q -t ext4 -b 4096 -J size=4 /dev/vg0/files
mkdir "$scenario_dir/files"
mount /dev/vg0/files "$scenario_dir/files"
dd if=/dev/urandom of="$scenario_dir/files/file" bs=1M count=8 status=none
sync
mount -o remount,ro "$scenario_dir/files"
cat "$scenario_dir/files/file" >/dev/null
# Without anybody who has it open, a device has no pages in the cache.
exec 8</dev/vg0/raw 9</dev/vg0/full
# read_part DEVICE FIRST COUNT: reads these, in blocks of 64 KiB
read_part() { dd if="$1" of=/dev/null bs=64k skip="$2" count="$3" status=none; }
# Where a probe would read first, and a little in many places.
for lv in raw files; do read_part /dev/vg0/$lv 0 320; done
for at in 700 900 1100 1500 1700 2000 2300 2600 2900; do read_part /dev/vg0/raw $at 1; done
read_part /dev/md0 100 10
slow_down 5

# look NAME: what is cached of each device and of the file, and how often each device has been written to
look() {
    local device
    for device in /dev/md0 /dev/vg0/raw /dev/vg0/files /dev/vg0/full; do
        cached-pages "$device" >"$scenario_dir/$1.$(basename "$device")"
        awk '{ print $5 }' "/sys/class/block/$(kname "$device")/stat" >"$scenario_dir/$1.$(basename "$device").writes"
    done
    fincore --noheadings --bytes --output PAGES,SIZE "$scenario_dir/files/file" >"$scenario_dir/$1.file"
    for device in md0 raw files full; do
        note "$1: $device has $(awk '{ n += $2 } END { print n + 0 }' "$scenario_dir/$1.$device") pages in the cache, in $(wc -l <"$scenario_dir/$1.$device") parts"
    done
}

# assert_same NAME: as it was at first
assert_same() {
    local what
    for what in {md0,raw,files,full}{,.writes} file; do
        diff "$scenario_dir/before.$what" "$scenario_dir/$1.$what" || fail "$1: $what is not as it was: see above"
    done
    note "$1: what is cached, and how often was written, is as it was"
}

read_part /dev/vg0/full 0 3072
look before
assert_eq "$(awk '{ print $1 }' "$scenario_dir/before.file")" 2048 "pages of the file in the cache"
assert_ratio "$(awk '{ n += $2 } END { print n }' "$scenario_dir/before.raw")" 5120 '>=' 1 "pages of the device in the cache, against those read"

setractl apply >"$scenario_dir/out"
cat "$scenario_dir/out"
look apply
assert_same apply
for lv in raw files full; do assert_eq "$(ra /dev/vg0/$lv)" 3072 "readahead of $lv"; done
assert_eq "$(grep -c 'vg0/\(raw\|files\) .*MB/s' "$scenario_dir/out")" 2 "changes that were measured"
grep -q 'vg0/full .*its pages are in use: [0-9]* of [0-9]* MiB looked at are in the page cache' "$scenario_dir/out" ||
    fail "no word of the device that is in the cache as a whole"

# The same by the service, as restricted as it is. One after the other, as it measures one at a time.
systemctl start setrad.service
for lv in raw files full; do
    policy "10-$lv" <<YAML
version: 1
rules:
  - {name: $lv, match: {lv: $lv}, readahead: 4096s, probe: {when: change, time: 3s}}
YAML
    reload
    wait_until 60 was_changed vg0/$lv
    setrad_settled
    note "$(changed_entry vg0/$lv | jq -r .MESSAGE)"
done
look service
assert_same service
for lv in raw files; do
    assert_ratio "$(changed_entry vg0/$lv | jq -r '.SETRAD_MBPS_AFTER // 0')" 1 '>' 1 "MB/s of $lv, measured by the service"
done
said 'vg0/full .*its pages are in use' || fail "no word of the device that is in the cache as a whole: $(setrad_log | tail -n 5)"
exec 8<&- 9<&-
