# SPDX-License-Identifier: MIT
# summary: a capture of a machine scans as the machine does, and holds no key, serial number, WWID or host name
# boot: own
# timeout: 300

hostname name-of-this-host
modprobe scsi_debug dev_size_mb=64 num_tgts=1 no_uld=0
ram_disks 4
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg-a /dev/md0
lvcreate -qq -y -Wn -Zn -r 256 -n data -L 256m vg-a
lvcreate -qq -y -Wn -Zn -n secret -L 256m vg-a

# LUKS1 puts the key itself into the table, not a reference to it.
echo secret | cryptsetup luksFormat --type luks1 --batch-mode --pbkdf-force-iterations 1000 /dev/vg-a/secret -
echo secret | cryptsetup open --key-file - /dev/vg-a/secret 'a secret'
mke2fs -q -t ext4 -E lazy_itable_init=1,lazy_journal_init=1 -J size=4 '/dev/mapper/a\x20secret'
mkdir 'a mount'
mount '/dev/mapper/a\x20secret' 'a mount'
truncate -s 64M 'a mount/image'
losetup /dev/loop0 'a mount/image'

dmsetup create 'two words: 0 1' --table "0 2048 linear /dev/vg-a/data 0"
dmsetup create target-nobody-knows --notable
# A file system that is on no layer, and its source nobody's business.
mkdir elsewhere
mount -t tmpfs name-of-a-server:/export elsewhere
echo ',16M' | sfdisk -q /dev/ubdb
mkswap -q /dev/ubdc
swapon /dev/ubdc
# A LUN as multipath with user_friendly_names off names it, with a partition as kpartx does, and the machine's name.
wwid=3600508b400105e210000900000490000
lun=$(ls /dev/sd[a-z])
dmsetup create $wwid --uuid mpath-$wwid --table "0 65536 multipath 0 0 1 1 service-time 0 1 2 $lun 1 1" ||
    dmsetup create $wwid --uuid mpath-$wwid --table "0 65536 linear $lun 0"
dmsetup create $wwid-part1 --uuid part1-mpath-$wwid --table "0 32768 linear /dev/mapper/$wwid 2048"
mke2fs -q -t ext4 /dev/mapper/$wwid-part1
mkdir "mnt-$wwid"
mount /dev/mapper/$wwid-part1 "mnt-$wwid"
dmsetup create name-of-this-host-data --table "0 2048 linear /dev/vg-a/data 2048"
setrad_settled 60

# without_names FILE: the JSON, with every name that a capture hides cut out; /etc/hostname has setrad-vm
without_names() { sed -E "s/$wwid|wwid-[0-9]+/WWID/g; s/name-of-this-host|setrad-vm|host-[0-9]+/HOST/g" "$1"; }

# same ONE OTHER WHAT: but for such names
same() { diff <(without_names "$1") <(without_names "$2") || fail "$3"; }

# Twice: the second time through what was captured.
setractl scan --json >live.json
setractl capture live.tar.zst 2>notes
assert_eq "$(<notes)" "" "notes of capture"
assert_eq "$(stat -c %a live.tar.zst)" 600 "mode of the file"
setractl scan --json --root live.tar.zst >captured.json
same live.json captured.json "the capture differs from the machine"
setractl plan --json >live-plan.json
setractl plan --json --root live.tar.zst >captured-plan.json
same live-plan.json captured-plan.json "the plan of the capture differs from that of the machine"
setractl capture --root live.tar.zst again.tar
setractl scan --json --root again.tar | diff captured.json - || fail "a capture of the capture differs"
assert_eq "$(jq '.layers | length > 10' live.json)" true "there is something to compare"

mkdir unpacked
setractl capture - | tar -x -C unpacked
setractl scan --json --root unpacked | diff captured.json - || fail "an unpacked capture differs"

serial=$(udevadm info --query=property --property=ID_SERIAL --value "$(ls /dev/sd[a-z])")
key=$(dmsetup table --showkeys 'a secret' | cut -d ' ' -f 5)
[ ${#key} -ge 64 ] || fail "no key in the table: $key"
[ -n "$serial" ] || fail "no serial number"
for word in "$key" "${key:0:16}" "$serial" name-of-this-host name-of-a-server "$wwid"; do
    if grep -rF -e "$word" unpacked; then fail "the capture holds '$word'"; fi
    [ -z "$(find unpacked -name "*$word*")" ] || fail "the capture has a file named after '$word'"
done
[ "$(grep -rl wwid-0001 unpacked | wc -l)" -ge 6 ] || fail "no stand-in for the WWID"
note "no key, serial number, WWID or host name"

setractl capture --with-identifiers all.tar
setractl scan --json --root all.tar | diff live.json - || fail "--with-identifiers: the capture differs"
mkdir all
tar -xf all.tar -C all
grep -rqF -e "$serial" all || fail "--with-identifiers: no serial number"
grep -rqF "$wwid" all || fail "--with-identifiers: no WWID"
grep -rqF name-of-this-host all || fail "--with-identifiers: no host name"
if grep -rF -e "${key:0:16}" all; then fail "--with-identifiers: the capture holds a key"; fi

# As somebody who may not ask device-mapper: less, and it is said.
chmod 777 .
setpriv --reuid nobody --clear-groups --inh-caps=-all setractl capture "$PWD/nobody.tar" 2>notes
grep -q "^note: Device-mapper can't be asked" notes || fail "no note for nobody: $(<notes)"
setractl scan --json --root nobody.tar 2>/dev/null | jq -e '.layers | length > 10' >/dev/null || fail "nobody's capture"
