# SPDX-License-Identifier: MIT
# What ./demo shows, run in the guest: the stacks of four reports, before and after setrad.
# boot: own
# timeout: 400

expect_restart
rows=()

title() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# row STACK ARRAY BEFORE AFTER: MB/s; the ratio is the LV's after ÷ before
row() { rows+=("$(printf '%s|%s|%s|%s|%s' "$1" "$2" "$3" "$4" "$(awk -v a="$4" -v b="$3" 'BEGIN { if (b > 0) printf "×%.2f", a / b }')")"); }

# build LEVEL CHUNK_KIB COUNT RA: an array of that many slow disks, and VolGroup00/LogVol00 over it
build() {
    systemctl stop setrad.service
    slow_disks "$3" 1024 10
    md_create md0 "$1" "$2" "${disks[@]}"
    pvcreate -qq -y /dev/md0
    vgcreate -qq VolGroup00 /dev/md0
    lvcreate -qq -y -Wn -Zn -r "$4" -n LogVol00 -l '60%FREE' VolGroup00 2>/dev/null
}

tree() { setractl scan -o NAME,KIND,RA,TARGET,STRIPE,STATE 2>/dev/null | sed '/^ubd/d; /^ram/d; /^$/d'; }

# let_setrad_work LABEL: starts the service and shows what it has to say about the change
let_setrad_work() {
    local since entry
    since=$(date '+%F %T')
    systemctl reload-or-restart setrad.service
    setrad_settled 60
    journalctl --quiet --output=cat --unit=setrad.service --since="$since" --priority=notice | sed 's/^/  journal: /'
    entry=$(changed_entry "$1" || true)
    mbps_before=$(jq -r '.SETRAD_MBPS_BEFORE // empty' <<<"$entry")
    mbps_after=$(jq -r '.SETRAD_MBPS_AFTER // empty' <<<"$entry")
    mbps_array=$(jq -r '.SETRAD_MBPS_ARRAY // empty' <<<"$entry")
}

show() {
    echo 'before:'
    tree
    let_setrad_work VolGroup00/LogVol00
    echo 'after:'
    tree
}

teardown() {
    vgchange -qq -an "${1:-VolGroup00}" 
    mdadm --quiet --stop --scan
    dmsetup remove_all
    udevadm settle
}

title '1. RAID5 of eight disks, an LV left at 256 sectors'
build 5 256 8 256
show
row 'RAID5 8 × 256 KiB, LV at 256' "$mbps_array" "$mbps_before" "$mbps_after"
teardown

title '2. RAID-0 of four disks, an LV left at 256 sectors; then the rule that people use: 8192'
build 0 64 4 256
show
row 'RAID-0 4 × 64 KiB, LV at 256' "$mbps_array" "$mbps_before" "$mbps_after"
policy 10-known-fix <<'YAML'
version: 1
rules:
  - name: the known fix
    match: {vg: VolGroup00}
    readahead: 8192s
    probe: {when: change, time: 3s}
YAML
sed 's/^/  10-known-fix.yaml: /' /etc/setrad/policy.d/10-known-fix.yaml
let_setrad_work VolGroup00/LogVol00
tree
row '  the same with a rule: 8192' "$mbps_array" "$mbps_before" "$mbps_after"
rm /etc/setrad/policy.d/10-known-fix.yaml
teardown

title "3. LVM's own RAID with 4 KiB stripes beside md's with 256 KiB"
systemctl stop setrad.service
slow_disks 8 512 10
pvcreate -qq -y "${disks[@]:0:4}"
vgcreate -qq vg "${disks[@]:0:4}"
lvcreate -qq -y -Wn -Zn --type raid5 -i 3 -I 4 --nosync -n lvm5 -L 900m vg 2>/dev/null
md_create md0 5 256 "${disks[@]:4:4}"
before=$(dd_mbps /dev/vg/lvm5 32)
let_setrad_work vg/lvm5
tree
lvm=$(dd_mbps /dev/vg/lvm5 32) md=$(dd_mbps /dev/md0 128)
echo "  sequential read: LVM raid5 of 4 KiB stripes $lvm MB/s, md raid5 of 256 KiB chunks $md MB/s."
echo '  Twice a stripe of 12 KiB is less than the default of 256 sectors: setrad names the cause and changes nothing.'
row 'LVM RAID5 4 × 4 KiB (array: md 256 KiB)' "$md" "$before" "$lvm"
teardown vg

title '4. RAID1 of two disks: nothing to be gained'
build 1 - 2 256
before=$(dd_mbps /dev/VolGroup00/LogVol00 24)
show
array=$(dd_mbps /dev/md0 24) lv=$(dd_mbps /dev/VolGroup00/LogVol00 24)
row 'RAID1 of 2, LV at 256: left alone' "$array" "$before" "$lv"
teardown

title 'Sequential buffered reads, MB/s; ratio: LV after ÷ before'
printf '%-42s %8s %10s %9s %7s\n' STACK ARRAY 'LV BEFORE' 'LV AFTER' RATIO
for line in "${rows[@]}"; do
    IFS='|' read -r stack array before after ratio <<<"$line"
    # printf pads bytes, not characters.
    pad=$((42 + $(printf '%s' "$stack" | wc -c) - ${#stack}))
    printf "%-${pad}s %8.1f %10.1f %9.1f %8s\n" "$stack" "$array" "$before" "$after" "$ratio"
done
