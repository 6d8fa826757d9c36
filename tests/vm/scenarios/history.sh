# SPDX-License-Identifier: MIT
# summary: setractl history shows what the service did, as the journal has it, of devices that are gone too, and nothing that others have sent
# boot: shared
# timeout: 240

expect_restart
systemctl stop setrad.service
slow_disks 4 512 0
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq -s 16m vg0 /dev/md0
lvcreate -qq -y -Wn -Zn -r 256 -n da-ta -l 40 vg0
lvcreate -qq -y -Wn -Zn -r 256 -n other -l 4 vg0
slow_down 10
lv=/dev/vg0/da-ta
before=$(date +%s)
policy 10-history <<'EOP'
version: 1
rules:
  - {name: measured, match: {lv: da-ta}, readahead: auto, direction: both, on-drift: respect}
EOP
systemctl start setrad.service
wait_until 60 was_changed vg0/da-ta
wait_until 60 was_changed vg0/other
dm=$(kname $lv)

# The notes come on stderr.
history() { setractl history "$@" 2>"$scenario_dir/notes"; }
# entries FILTER ARGUMENT…: jq over the entries since this scenario began
entries() {
    local filter=$1
    shift
    history --json --since="@$before" "$@" | jq -cr ".entries | $filter"
}

history --since="@$before" vg0/da-ta >"$scenario_dir/out"
cat "$scenario_dir/out" "$scenario_dir/notes"
grep -Eq "^[A-Z][a-z]{2} [0-9]{2} [0-9:]{8} vg0/da-ta \($dm\) changed +256 3072 [0-9.]+ → [0-9.]+ +×[0-9.]+ +measured$" \
    "$scenario_dir/out" || fail "no row for the change"
grep -Eq '^  readahead  ▁█  256 to 3072, last 3072$' "$scenario_dir/out" || fail "no line of the readahead"
grep -Eq '^  MB/s       .█  [0-9.]+ to [0-9.]+, last [0-9.]+$' "$scenario_dir/out" || fail "no line of the speed"
assert_eq "$(cat "$scenario_dir/notes")" "note: the journal is not kept over a boot (there is none in /var/log/journal): this is all since the last one" \
    "what is said of a volatile journal"

# JSON has what the journal has. Its numbers have six digits, so measured ones are not the journal's to the last decimal.
entry=$(changed_entry vg0/da-ta)
assert_eq "$(entries '.[0] | [.time_usec, .name, .label, .event, .from_sectors, .to_sectors, .rule, .verdict, .skipped, .message] | @json' vg0/da-ta)" \
    "$(jq -cr '[(.__REALTIME_TIMESTAMP | tonumber), .SETRAD_DEVICE, .SETRAD_LABEL, "changed", (.SETRAD_RA_BEFORE, .SETRAD_RA_AFTER | tonumber), .SETRAD_RULE, .SETRAD_PROBE_VERDICT, .SETRAD_PROBE_SKIPPED, .MESSAGE] | @json' <<<"$entry")" \
    "JSON and the journal's fields"
for pair in mbps_before:SETRAD_MBPS_BEFORE mbps_after:SETRAD_MBPS_AFTER gain:SETRAD_GAIN; do
    assert_near "$(entries ".[0].${pair%:*}" vg0/da-ta)" "$(jq -r ".${pair#*:}" <<<"$entry")" 0.00001 "${pair%:*} and ${pair#*:}"
done
assert_eq "$(entries 'map("\(.label) \(.from_sectors) \(.to_sectors)") | sort | join("\n")')" "$(changes_made)" "all changes"

# Every form of a name.
mkfs.ext4 -q $lv
mkdir -p "$scenario_dir/mnt"
mount -o ro $lv "$scenario_dir/mnt"
for form in vg0/da-ta $lv "$dm" "/dev/$dm" /dev/mapper/vg0-da--ta vg0-da--ta "$(stat -c %Hr:%Lr "$(readlink -f $lv)")" "$scenario_dir/mnt"; do
    assert_eq "$(entries 'map(.label) | unique | join(" ")' "$form")" vg0/da-ta "the device for $form"
done
umount "$scenario_dir/mnt"

# What somebody sets is drift; what the service puts back at a stop is reverted. What udev still has to say of the map comes
# first: a value that came with an event would be the kernel's.
udevadm settle
setrad_settled
blockdev --setra 512 $lv
kill -USR1 "$(setrad_pid)"
wait_until 20 said '^vg0/da-ta .*somebody else has changed it'
assert_eq "$(entries 'last | "\(.event) \(.from_sectors) \(.to_sectors)"' $lv)" "drift 512 null" "drift"
settings <<'EOP'
version: 1
on-stop: revert
EOP
reload
wait_until 20 said '^policy loaded'
systemctl stop setrad.service
assert_eq "$(entries 'last | "\(.event) \(.from_sectors) \(.to_sectors)"' vg0/other)" "reverted 3072 256" "at a stop"
assert_eq "$(entries 'last | "\(.event) \(.from_sectors) \(.to_sectors)"' $lv)" "not-reverted 512 null" "what is left alone at a stop"

# Time and number.
n=$(entries length)
assert_eq "$(history --since='1h left' --until='2h left')" \
    "Nothing on record in that time: the journal tells of no change by setrad.service." "nothing in the future"
assert_eq "$(history --until="@$before" vg0/da-ta)" "Nothing on record in that time of vg0/da-ta." "nothing before it began"
last=$(entries 'last | .time_usec')
first=$(entries 'first | .time_usec')
at() { printf '@%d.%06d' "$(($1 / 1000000))" "$(($1 % 1000000))"; }
assert_eq "$(history --json --since="$(at "$last")" | jq -r '.entries | map(.time_usec) | unique | join(" ")')" "$last" "the last by --since"
assert_eq "$(history --json --since="@$before" --until="$(at "$first")" | jq -r '.entries | map(.time_usec) | unique | join(" ")')" "$first" "the first by --until"
assert_eq "$(history --json --since="$(at $((last + 1)))" | jq -r '.entries | length')" 0 "none after the last"
assert_eq "$(history --json -n 1 | jq -r '.entries | map(.time_usec) | join(" ")')" "$last" "the last by -n"

# Who has no part in the service's control group is not believed, be it root, or a user who names himself so.
forge() {
    printf '%s\n' MESSAGE=forged MESSAGE_ID="$changed_id" SETRAD_DEVICE=dm-99 SETRAD_LABEL=vg0/forged \
        SETRAD_RA_BEFORE=1 SETRAD_RA_AFTER=2 _UID=0 _SYSTEMD_UNIT=setrad.service | "$@"
}
forge setpriv --reuid=65534 --regid=65534 --clear-groups logger --journald
forge logger --journald
# shellcheck disable=SC2317
forged() { [ "$(journalctl --quiet SETRAD_LABEL=vg0/forged --output=cat | wc -l)" = 2 ]; }
wait_until 10 forged
assert_eq "$(history vg0/forged)" "Nothing on record of vg0/forged, and there is no such device here." "what was forged"
assert_eq "$(entries length)" "$n" "entries after the forgery"

# Gone devices are on record.
lvremove -qq -y vg0/da-ta
for form in vg0/da-ta /dev/vg0/da-ta /dev/mapper/vg0-da--ta; do
    assert_eq "$(entries 'map(.event) | join(" ")' "$form")" "changed drift not-reverted" "of the device that is gone, $form"
done

# A user needs the group.
as_nobody() { setpriv --reuid=65534 --regid=65534 "$@"; }
as_nobody --clear-groups setractl history >"$scenario_dir/out" 2>"$scenario_dir/notes" && fail "a user can read the system's journal"
assert_eq "$(cat "$scenario_dir/out" "$scenario_dir/notes")" \
    "setractl: cannot read the journal: permission denied; root can, and members of the group systemd-journal or adm" \
    "what a user is told"
assert_eq "$(as_nobody --groups="$(getent group systemd-journal | cut -d: -f3)" setractl history --json --since="@$before" 2>/dev/null | jq '.entries | length')" \
    "$n" "entries for a member of systemd-journal"

systemctl start setrad.service
