# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: a device is an absolute link to a directory outside
laptop_root
ln -s "$outside/device" "$root/sys/class/block/sdx"
