# SPDX-License-Identifier: MIT
# summary: readahead that random reads through a mapping suffer from is put back where keep-if asks for that; sequential reads keep it
# boot: shared
# processor: own
# timeout: 300

expect_restart
systemctl stop setrad.service
slow_disks 5 512 0
md_create md0 5 256 "${disks[@]}"
# Delayed disks give any number of bytes in the same time. What decrypts them does not: windows that nobody asked for cost
# time, as they do on a disk.
dmsetup create plain --table "0 $(blockdev --getsz /dev/md0) crypt aes-xts-plain64 $(printf '%0128d' 1) 0 /dev/md0 0"
pvcreate -qq -y /dev/mapper/plain
vgcreate -qq vg0 /dev/mapper/plain
lvcreate -qq -y -Wn -Zn -r 256 -L 1500m -n data vg0
lv=/dev/vg0/data
slow_down 40

# raise_for WORKLOAD
raise_for() {
    policy 10-data <<EOF
version: 1
rules:
  - name: $1
    match: {lv: data}
    readahead: 16MiB
    probe: {when: change, time: 40s, workload: $1, keep-if: "gain >= 0.97"}
EOF
}
entry() { jq -r ".entries[] | select(.change.label == \"vg0/data\") | $1" /run/setrad/ledger.json; }
field() { changed_entry vg0/data | jq -er ".$1 // empty" || fail "the journal entry has no field $1"; }

raise_for random
systemctl start setrad.service
wait_until 90 was_changed vg0/data
note "$(field MESSAGE)"
said '^vg0/data (dm-[0-9]* on md0): readahead 256 → 32768 sectors (16 MiB, .*); random reads of 4 KiB [0-9.]* → [0-9.]* MB/s (×0\.[0-9]*, [0-9.]* to [0-9.]*, slower, 5 runs; fetched [0-9.]* → [0-9.]* times as much): put back to 256 sectors, as keep-if "gain >= 0.97" asks$' ||
    fail "no word that it was put back"
assert_eq "$(field SETRAD_PROBE_WORKLOAD)" random SETRAD_PROBE_WORKLOAD
assert_ratio "$(field SETRAD_GAIN)" 1 '<' 0.7 SETRAD_GAIN
# A fault fetches a window of 128 KiB or 16 MiB around 4 KiB; the device counts no more than these.
assert_eq "$(field SETRAD_AMPLIFICATION_BEFORE) $(field SETRAD_AMPLIFICATION_AFTER)" "32.00 4096.00" \
    "bytes fetched for each asked for, before and after"
assert_eq "$(ra $lv)" 256 "readahead after random reads"
assert_eq "$(entry '[.original_sectors, .change.new_sectors, .change.reverted, .change.put_back, .change.kept_sectors] |
    map(tostring) | join(" ")')" "256 32768 false true null" "the ledger: original, tried, reverted, put back, given before"
setrad_settled
setrad_settled
assert_eq "$(setractl apply)" "Nothing to change." "apply after keep-if"
assert_eq "$(count_said 'put back to')" 1 "times that it was tried"

# The rule has another name, so that it is another decision.
raise_for sequential
reload
wait_until 90 said '^vg0/data .*readahead 256 → 32768 sectors .*; sequential read [0-9.]* → [0-9.]* MB/s (×[0-9.]*, [0-9.]* to [0-9.]*, 5 runs)$'
note "$(field MESSAGE)"
assert_eq "$(field SETRAD_PROBE_WORKLOAD)" sequential SETRAD_PROBE_WORKLOAD
assert_eq "$(ra $lv)" 32768 "readahead after sequential reads"

# An I/O error on a mapping is an error, and not the end of the process that reads.
dmsetup create bad --readahead 256 --table '0 2097152 error'
policy 20-bad <<'EOF'
version: 1
rules:
  - {name: bad, match: {name: bad}, readahead: 1MiB, probe: {workload: random}}
EOF
assert_eq "$(setractl apply /dev/mapper/bad)" \
    "bad ($(kname /dev/mapper/bad)): readahead 256 → 2048 sectors (1 MiB, the rule's number); not measured: reading failed: Input/output error" \
    "apply to what gives errors"
