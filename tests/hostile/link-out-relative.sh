# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: a device is a link that climbs out of the root
laptop_root
ln -s "../../../../../../../../../../../..$outside/device" "$root/sys/class/block/sdx"
