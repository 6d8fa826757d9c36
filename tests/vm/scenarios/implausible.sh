# SPDX-License-Identifier: MIT
# summary: optimal I/O sizes of a USB bridge and of an SAS adapter: what the kernel made of them is lowered, an array too
# boot: shared
# timeout: 180

modprobe scsi_debug dev_size_mb=64 opt_blks=65535
udevadm settle
disk=/dev/$(ls /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*:*/block)
name=${disk#/dev/}
assert_eq "$(<"/sys/block/$name/queue/optimal_io_size")" 33553920 "optimal I/O size of the disk"
pvcreate -qq -y "$disk"
vgcreate -qq vg0 "$disk"
lvcreate -qq -y -Wn -Zn -n lv -L 32m vg0

# Disks that claim 16773120 bytes, of which the array makes 4293918720.
ram_disks 4
for i in {0..3}; do
    dmsetup create "hba$i" --table "0 2096640 striped 1 32760 ${disks[i]} 0"
done
md_create md0 6 512 /dev/mapper/hba{0..3}
assert_eq "$(</sys/block/md0/queue/optimal_io_size)" 4293918720 "optimal I/O size of the array"
dmsetup create map --table "0 2097152 linear /dev/md0 0"
setrad_settled 60
setractl scan

# Since 6.9 a commit of the limits takes back what stacking them said of members that do not line up.
inconsistent=(alignment-inconsistent) offset=-1
if kernel_since 6.9; then inconsistent=() offset=0; fi
for layer in md0 "$(kname /dev/mapper/map)"; do
    assert_eq "$(<"/sys/block/$layer/alignment_offset")" "$offset" "alignment offset of $layer"
done

scan_once
# Once lowered, nothing is wrong with the readahead, and no rule asks for another.
assert_layer "$name" disk - - 256 io-opt-implausible
assert_layer vg0/lv dm-linear - - 256 io-opt-implausible
for i in {0..3}; do assert_layer "hba$i" dm-striped - - 256 io-opt-implausible; done
assert_layer md0 md-raid6 512x2=1024 - 4096 "${inconsistent[@]}" io-opt-implausible
assert_layer map dm-linear 512x2=1024 4096 4096 "${inconsistent[@]}" io-opt-implausible
# Since 6.9 every commit of the limits derives the readahead anew, and sd commits them whenever it looks at its disk
# again, as after each time that LVM had it open for writing: it is lowered as often.
changes=$(changes_made)
if kernel_since 6.9; then changes=$(awk -v disk="$name" '$1 != disk || !seen[$0]++' <<<"$changes"); fi
# Twice the io_opt of the array is more than 32 bits hold: up to 6.16 what is left of it is kept, from 6.17 on all of it.
derived=8384512
if kernel_since 6.17; then derived=16773120; fi
assert_eq "$changes" "hba0 65520 256
hba1 65520 256
hba2 65520 256
hba3 65520 256
map $derived 4096
md0 $derived 4096
$name 131064 256
vg0/lv 131064 256" "changes made"
assert_eq "$(changed_entry md0 | jq -r .SETRAD_FINDING)" readahead-implausible "the finding that lowered md0"
