# SPDX-License-Identifier: MIT
# summary: a support report, with what sosreport collects, scans as the machine does as far as the data goes
# boot: own
# timeout: 300

# lsblk leaves RAM disks out.
mkdir images
mount -t tmpfs images images
for n in 0 1 2 3 4 5 6; do
    truncate -s 512M images/$n
    losetup /dev/loop$n images/$n
done
md_create md0 5 256 /dev/loop{0,1,2,3}
md_create md1 10-f2 64 /dev/loop{4,5,6}
echo ',1G' | sfdisk -q /dev/ubdb
pvcreate -qq -y /dev/md0 /dev/md1
vgcreate -qq vg-a /dev/md0 /dev/md1
lvcreate -qq -y -Wn -Zn -r 256 -n data -L 256m vg-a /dev/md0
lvcreate -qq -y -Wn -Zn -i 2 -I 64 -n striped -L 256m vg-a
lvcreate -qq -y -Wn -Zn -n secret -L 256m vg-a /dev/md1
echo secret | cryptsetup luksFormat --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 /dev/vg-a/secret -
echo secret | cryptsetup open --key-file - /dev/vg-a/secret opened
mke2fs -q -t ext4 -E lazy_itable_init=1,lazy_journal_init=1 -J size=4 /dev/mapper/opened
mkdir mnt
mount /dev/mapper/opened mnt
mkswap -q /dev/ubdc
swapon /dev/ubdc
udevadm settle
setrad_settled 60
setractl scan

# What the plugins block, devicemapper, devices, filesys, md and memory of sos collect, under the names they give it.
mkdir -p report/sos_commands/{block,devicemapper,devices} report/proc/{1,self} report/sys/block
commands=report/sos_commands
lsblk >$commands/block/lsblk
losetup -a >$commands/block/losetup_-a
lsblk -t >$commands/block/lsblk_-t
blockdev --report >$commands/block/blockdev_--report
dmsetup info -c >$commands/devicemapper/dmsetup_info_-c
dmsetup table >$commands/devicemapper/dmsetup_table
udevadm info --export-db >$commands/devices/udevadm_info_--export-db
cp /proc/self/mountinfo report/proc/self/
cp /proc/swaps /proc/meminfo report/proc/
for device in /sys/block/*; do
    to=report$(readlink -f "$device")
    mkdir -p "$to"
    ln -s "$(readlink "$device")" "report/sys/block/${device##*/}"
    # Some attributes can't be read by anyone.
    for part in queue md loop; do
        [ ! -d "$device/$part" ] || cp -r "$device/$part" "$to/" 2>/dev/null || true
    done
done

# view FILTER ROOT: the layers, by name
view() { setractl scan --json --root "$2" 2>/dev/null | jq -S "[.layers[] | $1] | sort_by(.name)"; }

setractl capture --with-identifiers live.tar
for filter in \
    '{name, kind, label: .label, devno, size_sectors, readahead_sectors, below: (.below | sort), geometry, io_opt_bytes, use, target_sectors}' \
    '{name, findings}'; do
    view "$filter" live.tar >live.json
    view "$filter" report >report.json
    diff live.json report.json || fail "the report differs from the machine in: $filter"
done
assert_eq "$(jq 'length > 12' report.json)" true "there is something to compare"

tar -czf report.tar.gz report
view '{name, findings}' report.tar.gz | diff live.json - || fail "the report's archive differs from the report"

# With the output of tools alone there is less: no chunks of arrays, no limits.
rm -r report/sys report/sos_commands/devices
filter='{name, kind: (if .kind | startswith("md-raid") then "md" else .kind end), label: .label, devno, size_sectors, below: (.below | sort), use}'
view "$filter" live.tar >live.json
view "$filter" report >report.json
diff live.json report.json || fail "the report without sysfs and udev differs from the machine"
rm -r report/sos_commands/block report/sos_commands/devicemapper
if setractl scan --root report 2>notes; then fail "a report without block devices is no failure"; fi
grep -q 'support report without' notes || fail "it is not said what is missing: $(<notes)"
