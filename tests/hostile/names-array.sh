# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: level, layout, states and metadata of an array with control characters
raid5_root
md=$root/sys/devices/virtual/block/md0/md
printf 'raid\033[31m5\n' >"$md/level"
printf '\377\n' >"$md/array_state"
printf 'idle\nresync\n' >"$md/sync_action"
printf '1.2\033c\n' >"$md/metadata_version"
printf 'in_sync\033[2J\n' >"$md/dev-sda/state"
