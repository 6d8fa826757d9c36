# SPDX-License-Identifier: MIT
# summary: tune finds for a RAID10 far 2 of 4 × 256 KiB what a sweep over twelve values finds, with a third of the bytes
# boot: shared
# processor: own
# timeout: 300

# shellcheck source=tests/vm/sweep.bash
. /host/vm/sweep.bash
expect_restart
systemctl stop setrad.service
serial_disks 4 256 6
md_create md0 10-f2 256 "${disks[@]}"
check_tune /dev/md0 64
systemctl start setrad.service
