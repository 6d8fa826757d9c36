# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: sys/class/block and sys/block lead out of the root
new_root
rmdir "$root/sys/class/block" "$root/sys/block"
ln -s "$outside/sys/class/block" "$root/sys/class/block"
ln -s ../../../../../../../../../../sys/block "$root/sys/block"
