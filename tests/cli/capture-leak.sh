#!/bin/bash
# SPDX-License-Identifier: MIT
# setractl capture takes what docs/capture.md says and no more: a machine that has a word of its own in every place that
# a capture has no business with, and in what lies beside each file that it reads.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

planted=0
# plant PATH [TEXT]: a file below the root with a word that must not come back
plant() {
    mkdir -p "$root/${1%/*}"
    planted=$((planted + 1))
    printf '%s\n' "${2-}SECRET$planted" >>"$root/$1"
}

raid5_root
map=0
# secret_map DM-NAME UUID TARGET: a map of its own over sdz
secret_map() {
    local name=dm-$((++map + 10))
    planted=$((planted + 1))
    block $name 253:$((map + 10)) 2048 256 512 0
    over $name sdz
    map $name "$1" "$2" 0 "0 2048 ${3//SECRET/SECRET$planted}"
    echo "$1" >>"$work/maps"
}
secret_map luks1 CRYPT-LUKS1-1 'crypt aes-xts-plain64 SECRET 0 65:144 4096'
secret_map luks2 CRYPT-LUKS2-2 'crypt aes-xts-plain64 :64:logon:cryptsetup:SECRET 0 65:144 4096 1 allow_discards'
secret_map plain CRYPT-PLAIN-3 'crypt capi:xts(aes)-plain64 SECRET 0 65:144 4096 2 sector_size:4096 iv_large_sectors'
secret_map tcrypt CRYPT-TCRYPT-4 'crypt aes-lrw-benbi SECRET 0 65:144 4096 1 SECRET'
secret_map integrity CRYPT-INTEGRITY-5 'integrity 65:144 0 32 J 2 internal_hash:hmac(sha256):SECRET journal_crypt:ctr(aes):SECRET'
secret_map verity CRYPT-VERITY-6 'verity 1 65:144 65:144 4096 4096 1 1 sha256 SECRET SECRET 2 root_hash_sig_key_desc SECRET'
secret_map unknown X-7 'a-target-of-tomorrow SECRET 65:144 0 passphrase=SECRET'
secret_map vdo VDO-8 'vdo V4 65:144 256 4096 32768 16380 deduplication SECRET'
secret_map era ERA-9 'era 65:144 65:144 SECRET'

# Of everything below /sys only what the table in docs/capture.md names.
for device in sda md0 dm-0 sdz; do
    directory=sys/devices/virtual/block/$device
    for file in serial wwid uuid eui nguid inquiry uevent stat bdi/name integrity/format trace/enable power/control \
        device/vpd_pg80 device/vpd_pg83 device/wwid device/serial device/sas_address queue/zone_secret mq/0/cpu_list; do
        plant $directory/$file
    done
done
plant sys/devices/virtual/block/md0/md/uuid
plant sys/devices/virtual/block/md0/md/bitmap/location
plant sys/devices/virtual/block/md0/md/dev-sda/bad_blocks
plant sys/devices/virtual/block/dm-0/dm/rq_based_seq_io_merge_deadline
plant sys/fs/ext4/features/secret
plant sys/kernel/security/secret
plant sys/class/dmi/id/product_serial
plant sys/class/net/eth0/address

# udev's database: what is used has other values.
mkdir -p "$root/run/udev/data"
printf 'E:ID_MODEL=Disk\nE:ID_BUS=ata\nE:ID_FS_TYPE=xfs\n' >"$root/run/udev/data/b8:0"
for property in ID_SERIAL ID_SERIAL_SHORT ID_SCSI_SERIAL ID_WWN ID_WWN_WITH_EXTENSION ID_PATH ID_FS_UUID ID_FS_UUID_ENC \
    ID_FS_LABEL ID_FS_LABEL_ENC ID_PART_ENTRY_UUID ID_PART_ENTRY_NAME DM_WWN MD_UUID MD_NAME MD_DEVNAME SCSI_IDENT_SERIAL \
    SCSI_IDENT_LUN_NAA_REGEXT ID_CUSTOM_PASSWORD DEVLINKS SYSTEMD_WANTS; do
    plant run/udev/data/b8:0 "E:$property="
done
for kind in S:disk/by-id/ S:disk/by-label/ L: G: Q: V: I:; do plant run/udev/data/b8:0 "$kind"; done
plant run/udev/data/n2 E:ID_NET_NAME=
plant run/udev/data/c116:1 E:ID_SERIAL=

# Mounts: the sources and options of what is captured, all of what is not.
planted=$((planted + 1))
cat >>"$root/proc/self/mountinfo" <<EOF
37 1 253:1 /SECRET$planted /srv rw,SECRET$planted shared:1 - ext4 /dev/disk/by-label/SECRET$planted rw,journal_path=SECRET$planted
38 1 0:50 / /mnt/SECRET$planted rw - nfs4 SECRET$planted:/export rw,addr=SECRET$planted
39 1 0:51 / /mnt/SECRET$planted/cifs rw - cifs //SECRET$planted/share rw,username=SECRET$planted,password=SECRET$planted
40 1 0:52 / /run/user/1000/SECRET$planted rw - fuse.sshfs SECRET$planted@host: rw
EOF
printf '/home/SECRET%s/swapfile file 1024 0 -2\n' "$planted" >>"$root/proc/swaps"

plant proc/self/smaps 'KernelPageSize:        4 kB
VmFlags: '
plant proc/meminfo 'Secret: '
for file in proc/cmdline proc/self/environ proc/mdstat proc/keys proc/self/mounts etc/hostname etc/fstab etc/crypttab \
    etc/lvm/lvm.conf etc/mdadm/mdadm.conf etc/machine-id etc/shadow etc/setrad/setrad.yaml etc/setrad/policy.d/1.yaml \
    run/setrad/lock var/log/messages root/.ssh/id_ed25519; do
    plant "$file"
done
mkdir -p "$root/run/setrad" "$root/dmsetup"
plant run/setrad/ledger.json '{"version":1,"note":"'
for map in $(<"$work/maps"); do
    planted=$((planted + 1))
    echo "$map: 0 2048 crypt SECRET$planted" >>"$root/dmsetup/status"
done
plant dmsetup/deps
plant proc/sys/kernel/domainname

for option in '' --with-identifiers; do
    rm -rf "$work/capture.tar" "$work/capture"
    # shellcheck disable=SC2086 # none, or one
    run 0 capture $option --root "$root" "$work/capture.tar"
    mkdir "$work/capture"
    tar -xf "$work/capture.tar" -C "$work/capture"
    found=$work/found
    grep -rnaF SECRET "$work/capture" >"$found"
    if [ -n "$option" ]; then
        # These are what the option is for.
        sed -i -E '/E:[A-Z_]*(SERIAL|WWN|WWID)[A-Z_]*=|\/serial:|\/hostname:/d' "$found"
    fi
    [ ! -s "$found" ] || fail "capture $option: in it is $(sed "s|$work/||" "$found" | head -n 40)"
    [ -z "$(find "$work/capture" -name '*SECRET*')" ] || fail "capture $option: a secret is the name of a file"
    # All that is in it is of the places that docs/capture.md names.
    (cd "$work/capture" && find . -mindepth 1 ! -type d -printf '%P\n') |
        grep -vE '^(sys/(block|class/block|dev/block|devices)/.*|dmsetup/(table|info|status)|run/udev/data/b[0-9]+:[0-9]+|proc/(swaps|meminfo|self/(mountinfo|smaps)))$' >"$found"
    if [ -n "$option" ]; then sed -i '/^\(proc\/sys\/kernel\|etc\)\/hostname$/d' "$found"; fi
    [ ! -s "$found" ] || fail "capture $option: has also $(<"$found")"
    grep -q '^E:ID_MODEL=Disk' "$work/capture/run/udev/data/b8:0" || fail "capture $option: udev's database is not in it"
    [ "$(wc -l <"$work/capture/dmsetup/table")" -ge "$(wc -l <"$work/maps")" ] || fail "capture $option: maps are missing"
done
[ "$planted" -gt 100 ] || fail "only $planted secrets were planted"
[ "$failures" -gt 0 ] || echo "note: $planted secrets planted, none of them captured"

finish
