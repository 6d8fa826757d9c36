# SPDX-License-Identifier: MIT
# summary: setractl revert puts back the exact original values, leaves what others have set, and changes nothing off the record
# boot: shared
# timeout: 180

expect_restart
systemctl stop setrad.service
slow_disks 4 512 0
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
for lv in a b c d; do lvcreate -qq -y -Wn -Zn -r 256 -n $lv -L 64m vg0; done
dmsetup create odd --table '0 100000 linear /dev/md0 2000000'
blockdev --setra 520 /dev/vg0/b
blockdev --setra 0 /dev/mapper/odd
udevadm settle
policy 50-odd <<EOF
version: 1
rules:
  - name: odd
    match: {name: odd}
    readahead: 1024s
    direction: both
  - name: others
    match: {vg: vg0}
    readahead: auto
EOF

entry() { jq -r --arg l "$1" ".entries[] | select(.change.label == \$l) | $2" /run/setrad/ledger.json; }
all_ra() {
    local device out=
    for device in /dev/vg0/{a,b,c,d} /dev/mapper/odd; do out+=" $(ra "$device" 2>/dev/null || echo -)"; done
    echo "${out# }"
}

# The service changes all but one, which has the value for a moment; setractl apply changes that one.
blockdev --setra 3072 /dev/vg0/d
systemctl start setrad.service
wait_until 30 was_changed odd
setrad_settled
systemctl stop setrad.service
assert_eq "$(all_ra)" "3072 3072 3072 3072 1024" "readahead after the service"
blockdev --setra 264 /dev/vg0/d
setractl apply --no-probe
assert_eq "$(all_ra)" "3072 3072 3072 3072 1024" "readahead after apply"
assert_eq "$(entry vg0/d '.original_sectors, .change.stack | type')" $'number\nstring' "original and stack in the ledger"

# One, by its name; the dry run before says so and does nothing.
assert_eq "$(setractl revert --dry-run /dev/vg0/b)" "vg0/b ($(kname /dev/vg0/b)): readahead 3072 → 520 sectors, its original value" "a dry run"
assert_eq "$(all_ra)" "3072 3072 3072 3072 1024" "readahead after a dry run"
setractl revert /dev/vg0/b
assert_eq "$(all_ra)" "3072 520 3072 3072 1024" "readahead after reverting b"
assert_eq "$(entry vg0/b '.change | .reverted, .pending')" $'true\nfalse' "b in the ledger: reverted, pending"
assert_eq "$(entry vg0/a .change.reverted)" false "a in the ledger: reverted"
assert_eq "$(setractl revert vg0/b)" "vg0/b ($(kname /dev/vg0/b)) was reverted before" "once more"
assert_eq "$(setractl revert "${disks[0]}")" "$(basename "${disks[0]}") ($(kname "${disks[0]}")) was not changed by setrad" "what setrad has not changed"

# A ledger that can't be written: nothing is changed, neither way.
mount --bind /run/setrad /run/setrad
mount -o remount,bind,ro /run/setrad
if setractl revert vg0/a 2>"$scenario_dir/err"; then fail "reverted without a record"; fi
grep -q 'cannot write the ledger in /run/setrad: Read-only file system' "$scenario_dir/err" || fail "$(cat "$scenario_dir/err")"
linear_map new /dev/md0
if setractl apply --no-probe 2>"$scenario_dir/err"; then fail "changed without a record"; fi
grep -q 'cannot write the ledger in /run/setrad: Read-only file system' "$scenario_dir/err" || fail "$(cat "$scenario_dir/err")"
assert_eq "$(all_ra) $(ra /dev/mapper/new)" "3072 520 3072 3072 1024 256" "readahead while the ledger can't be written"
umount /run/setrad
dmsetup remove new

# A map that is suspended is not waited for.
dmsetup suspend --noflush odd
if setractl revert odd 2>"$scenario_dir/err"; then fail "reverted a suspended map"; fi
grep -q 'is suspended: its original 0 sectors' "$scenario_dir/err" || fail "$(cat "$scenario_dir/err")"
dmsetup resume odd
udevadm settle
blockdev --setra 1024 /dev/mapper/odd

# All: one was set by hand meanwhile, one is gone, and its number is another's.
a=$(kname /dev/vg0/a) d=$(kname /dev/vg0/d)
blockdev --setra 1024 /dev/vg0/c
lvremove -qq -y vg0/d
dmsetup create next --table '0 100000 linear /dev/md0 2100000'
assert_eq "$(kname /dev/mapper/next)" "$d" "the next map"
blockdev --setra 3072 /dev/mapper/next
udevadm settle
setractl revert --all >"$scenario_dir/out"
cat "$scenario_dir/out"
assert_eq "$(sort "$scenario_dir/out")" "$(sort <<EOF
odd ($(kname /dev/mapper/odd)): readahead 1024 → 0 sectors, its original value
vg0/a ($a): readahead 3072 → 256 sectors, its original value
vg0/c ($(kname /dev/vg0/c)) has 1024 sectors, not the 3072 that setrad gave it: left alone
vg0/d ($d) is gone: there is nothing to put back
EOF
)" "what revert --all says"
assert_eq "$(all_ra)" "256 520 1024 - 0" "readahead after reverting all"
assert_eq "$(ra /dev/mapper/next)" 3072 "readahead of the map that has the number of d"
assert_eq "$(entry vg0/d .name)" "" "the entry of d"
assert_eq "$(jq -c '[.entries[].change | [.label, .reverted, .pending]] | sort' /run/setrad/ledger.json)" \
    '[["odd",true,false],["vg0/a",true,false],["vg0/b",true,false],["vg0/c",true,false]]' "the ledger"
assert_eq "$(setractl revert --all)" "Nothing to put back." "once more"

# What was put back stays so, for apply and for the service, until a rule wants something else.
assert_eq "$(setractl plan --json | jq -c '[.changes[].label]')" '[]' "what the plan would change"
systemctl start setrad.service
setrad_settled
assert_eq "$(all_ra)" "256 520 1024 - 0" "readahead under the service"
systemctl stop setrad.service
sed -i 's/readahead: auto/readahead: 2048s/' /etc/setrad/policy.d/50-odd.yaml
setractl apply --no-probe
assert_eq "$(all_ra)" "2048 2048 2048 - 0" "readahead with another rule"
assert_eq "$(jq -c '[.entries[] | [.change.label, .original_sectors, .change.reverted]] | sort' /run/setrad/ledger.json)" \
    '[["odd",0,true],["vg0/a",256,false],["vg0/b",520,false],["vg0/c",1024,false]]' "the ledger"

# The ledger of one that was killed between the record and the device: the next one puts back all the same.
jq '(.entries[] | select(.change.label == "vg0/a")) |=
    (.previous = .change | .change.new_sectors = .original_sectors | .change.pending = true | .change.reverted = true)' \
    /run/setrad/ledger.json >"$scenario_dir/ledger.json"
cp "$scenario_dir/ledger.json" /run/setrad/ledger.json
setractl revert vg0/a
assert_eq "$(ra /dev/vg0/a)" 256 "readahead of a"
assert_eq "$(entry vg0/a '.change | .reverted, .pending')" $'true\nfalse' "a in the ledger: reverted, pending"
assert_eq "$(find /run/setrad -type f ! -name setrad.pid | sort | tr '\n' ' ')" "/run/setrad/ledger.json /run/setrad/lock " "files in /run/setrad"
systemctl start setrad.service
