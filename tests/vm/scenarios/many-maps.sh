# SPDX-License-Identifier: MIT
# summary: a scan of a thousand LVs over an array takes less time than lsblk, and than lvs, in the same run
# boot: own
# processor: own
# timeout: 420

maps=1000 rounds=7

# without_udev COMMAND…: while udevd is stopped, which would take minutes over the events of a thousand maps
without_udev() {
    systemctl stop systemd-udevd-{control,kernel}.socket systemd-udevd.service
    "$@"
    systemctl start systemd-udevd.service
}

activate() {
    vgchange --quiet --activate y --monitor n --noudevsync vg0 >/dev/null
    vgmknodes --quiet vg0
}

# many_lvs COUNT: vg0/lv0 to vg0/lvCOUNT-1, one extent each. lvcreate would take minutes, and so would udev's rules for all
# of them: so udev sees to the first, and the others are restored from a text, and get what udev wrote for that.
many_lvs() {
    local major minor name text device
    lvcreate --quiet --yes --wipesignatures n --zero n --extents 1 --name lv0 vg0 >/dev/null
    udevadm settle
    vgcfgbackup --quiet --file "$scenario_dir/vg" vg0 >/dev/null
    awk -v n="$1" '
        { print }
        $1 == "logical_volumes" {
            for (i = 1; i < n; i++) {
                printf "lv%d { id = \"%06d-0000-0000-0000-0000-0000-000000\"\n", i, i
                printf "status = [\"READ\", \"WRITE\", \"VISIBLE\"] segment_count = 1\n"
                printf "segment1 { start_extent = 0 extent_count = 1 type = \"striped\" stripe_count = 1\n"
                printf "stripes = [\"pv0\", %d] } }\n", i
            }
        }' "$scenario_dir/vg" >"$scenario_dir/restored"
    vgcfgrestore --quiet --yes --force --file "$scenario_dir/restored" vg0 >/dev/null
    without_udev activate
    IFS=: read -r major minor <"/sys/block/$(kname /dev/vg0/lv0)/dev"
    text=$(<"/run/udev/data/b$major:$minor")
    for device in /sys/block/dm-*; do
        read -r name <"$device/dm/name"
        printf '%s\n' "${text//lv0/"${name#vg0-}"}" >"/run/udev/data/b$major:${device##*dm-}"
    done
}

# Its own scans are not to be measured with the rest.
expect_restart
systemctl stop setrad.service
ram_disks 4
md_create md0 5 64 "${disks[@]}"
pvcreate --quiet --metadatasize 4m /dev/md0 >/dev/null
vgcreate --quiet vg0 /dev/md0 >/dev/null
start=$(now_usec)
many_lvs $maps
note "$maps LVs were made in $((($(now_usec) - start) / 1000)) ms"

# A ledger, as on a machine where setrad has been at work.
blockdev --setra 256 /dev/vg0/lv0
setractl apply --no-probe vg0/lv0
ra_is /dev/vg0/lv0 768 || fail "vg0/lv0: $(ra /dev/vg0/lv0) sectors"

# All of them are seen, with what is told of each: by udev, by device-mapper and in sysfs.
scan_once
assert_eq "$(jq -c '[.layers[] | select(.label | startswith("vg0/lv"))] | [length, (map([.kind, .below, .readahead_sectors,
    .geometry.stripe_bytes]) | unique)]' <<<"$scan")" "[$maps,[[\"dm-linear\",[\"md0\"],768,196608]]]" "LVs"
assert_eq "$(lsblk --all --list --noheadings -o NAME | grep -c '^vg0-lv')" $maps "LVs by lsblk"
assert_eq "$(lvs --noheadings | grep -c '^ *lv')" $maps "LVs by lvs"

declare -A commands=(
    [scan]="setractl scan"
    [lsblk]="lsblk --all -o NAME,TYPE,RA,MIN-IO,OPT-IO"
    [lvs]=lvs
    [tree]="dmsetup ls --tree"
)
names=(scan lsblk lvs tree)

# time_one NAME: sets usec
time_one() {
    local begun
    begun=$(now_usec)
    # shellcheck disable=SC2086
    ${commands[$1]} >/dev/null
    usec=$(($(now_usec) - begun))
}

# median NUMBER…
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }

declare -A took medians
for ((round = 0; round <= rounds; round++)); do
    for name in "${names[@]}"; do
        time_one "$name"
        # The first round only warms up.
        ((round == 0)) || took[$name]+=" $usec"
    done
done
for name in "${names[@]}"; do
    # shellcheck disable=SC2086
    medians[$name]=$(median ${took[$name]})
done
note "medians of $rounds runs of each by turns, in ms, and how many times that of a scan:"
for name in "${names[@]}"; do
    note "$(awk -v c="${commands[$name]}" -v m="${medians[$name]}" -v s="${medians[scan]}" -v all="${took[$name]}" '
        BEGIN {
            n = split(all, each, " ")
            for (i = 1; i <= n; i++) list = list sprintf(" %d", each[i] / 1000)
            printf "%-40s %6d %6.2f  (%s)", c, m / 1000, m / s, substr(list, 2)
        }')"
done
assert_ratio "${medians[scan]}" "${medians[lsblk]}" '<' 1 "scan and lsblk, in µs"
assert_ratio "${medians[scan]}" "${medians[lvs]}" '<' 1 "scan and lvs, in µs"

without_udev vgchange --quiet --activate n --noudevsync vg0 >/dev/null
systemctl start setrad.service
