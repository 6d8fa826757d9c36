# SPDX-License-Identifier: MIT
# summary: tune finds for a RAID5 of 8 × 256 KiB what a sweep over twelve values finds, with a third of the bytes
# length: long
# boot: shared
# processor: own
# timeout: 300

# shellcheck source=tests/vm/sweep.bash
. /host/vm/sweep.bash
expect_restart
systemctl stop setrad.service
serial_disks 8 256 10
md_create md0 5 256 "${disks[@]}"
check_tune /dev/md0 128
systemctl start setrad.service
