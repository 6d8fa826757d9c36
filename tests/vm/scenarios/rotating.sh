# SPDX-License-Identifier: MIT
# summary: disks that rotate and have no optimal I/O size: what the kernel makes of their largest request is nobody's doing
# boot: shared
# timeout: 180

# own NAME: what the kernel gives it by itself. Since 6.17 twice the largest request stands in for an io_opt of 0.
own() {
    local sectors=256 derived
    [ "$(<"/sys/block/$1/queue/optimal_io_size")$(<"/sys/block/$1/queue/rotational")" = 01 ] || fail "$1 is not that kind"
    derived=$(($(<"/sys/block/$1/queue/max_sectors_kb") * 4 / 8 * 8))
    if kernel_since 6.17 && [ "$derived" -gt 256 ]; then sectors=$derived; fi
    echo "$sectors"
}

ram_disks 7
for disk in "${disks[@]}"; do echo 1 >"/sys/block/${disk#/dev/}/queue/rotational"; done
# Two of its stripes are less than the floor, so that the members have more than what is read.
md_create md0 5 16 "${disks[@]:0:4}"
md_create md1 1 - "${disks[@]:4:2}"
dmsetup create over0 --table "0 2097152 linear /dev/md0 0"
dmsetup create over1 --table "0 2097152 linear /dev/md1 0"
dmsetup create plain --table "0 2097152 linear ${disks[6]} 0"
mkfs.ext4 -q -E nodiscard /dev/mapper/plain
mkdir -p files
mount /dev/mapper/plain files
truncate -s 64M files/image
losetup /dev/loop0 files/image
udevadm settle

over1=$(kname /dev/mapper/over1)
for layer in "${disks[@]#/dev/}" md1 "$over1" "$(kname /dev/mapper/plain)" loop0; do
    assert_eq "$(ra "/dev/$layer")" "$(own "$layer")" "the kernel's own value for $layer"
done
if kernel_since 6.17; then
    [ "$(own "$over1")" -gt 256 ] || fail "no value to tell from 256 sectors"
fi
setrad_settled 60
setractl scan
scan_once
assert_eq "$(jq -r '[.layers[] | select(.name | test("^(ram|md|dm-|loop)")) | .findings[].code] | join(" ")' <<<"$scan")" "" \
    "findings"
assert_eq "$(of md0 .readahead_sectors) $(of over0 .target_sectors)" "256 256" "an array with a stripe, and the target over it"
assert_eq "$(changes_made)" "" "changes made"

# A capture knows as much.
setractl capture copy.tar
assert_eq "$(setractl scan --root copy.tar --json | jq '[.layers[] | select(.name | test("^(ram|md|dm-|loop)")) | .findings[]] | length')" \
    0 "findings in a capture"

# Somebody's number is told of.
blockdev --setra 8192 "${disks[0]}"
scan_once
assert_eq "$(of "${disks[0]#/dev/}" '[.findings[].code] | join(" ")')" readahead-on-wrong-layer "a disk that was raised"

# What the kernel sets again is a reset: it is made what the rule says once more.
policy 10-few <<'YAML'
version: 1
rules:
  - name: few
    match: {device: over1}
    readahead: 64s
    direction: both
YAML
sed -i "s/device: over1/device: $over1/" /etc/setrad/policy.d/10-few.yaml
reload
wait_until 30 ra_is /dev/mapper/over1 64
setrad_settled
if kernel_since 6.17; then
    echo 1 >"/sys/block/$over1/queue/rotational"
    assert_eq "$(ra /dev/mapper/over1)" "$(own "$over1")" "after a commit of the limits"
    setrad_settled
    assert_eq "$(ra /dev/mapper/over1)" 64 "set again"
fi
losetup -d /dev/loop0
umount files
