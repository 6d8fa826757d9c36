# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the agent: takes down whatever a scenario built, from the top to the bottom.
# Works on what the kernel has, not on what LVM knows: LVM's tools hang where a map is suspended or a disk is gone.

# scratch disks that the host gives to each guest (fresh sparse files)
scratch=(/dev/ubdb /dev/ubdc)

block_devices() { ls /sys/block; }

teardown_baseline() {
    block_devices_before=$(block_devices)
}

# foreign_mounts: mounts of anything but the guest's own file systems, last mounted first
foreign_mounts() {
    awk '$3 ~ /:/ && $3 !~ /^(0|98):/ || $9 ~ /btrfs/ || $10 ~ /btrfs/ { print $5 }' /proc/self/mountinfo | tac |
        while read -r path; do printf '%b\n' "$path"; done
}

# dm_maps COLUMNS: a line for each device-mapper map
dm_maps() { dmsetup info -c --noheadings --separator ' ' -o "$1" 2>/dev/null | grep -vx 'No devices found'; }

# release_maps: lets input and output that waits on a map come to an end; removes maps that have no table yet, which
# sysfs does not know
release_maps() {
    local name attributes
    dm_maps name,attr | while read -r name attributes; do
        case $attributes in
            L*s*) dmsetup resume "$name" ;;
            L*) ;;
            *) dmsetup remove "$name" ;;
        esac
    done
    dmsetup table --target multipath 2>/dev/null | sed -n 's/: [0-9].*//p' | while read -r name; do
        dmsetup message "$name" 0 fail_if_no_path
    done
}

remove_users() {
    local path
    foreign_mounts | while read -r path; do
        umount "$path" 2>/dev/null || umount -l "$path"
    done
    if [ "$(wc -l </proc/swaps)" -gt 1 ]; then swapoff -a; fi
}

# remove_layers [--force]: everything that nothing else uses any more. There may be hundreds: they are removed by one
# process, which ends at the first that can't be, and udev is waited for once.
remove_layers() {
    local sys name names=()
    for sys in /sys/block/dm-*; do
        if [ -e "$sys" ] && ! compgen -G "$sys/holders/*" >/dev/null; then
            read -r name <"$sys/dm/name" && names+=("$name")
        fi
    done
    if [ ${#names[@]} -gt 0 ] && ! dmsetup remove --noudevsync "$@" "${names[@]}" 2>/dev/null; then
        for name in "${names[@]}"; do dmsetup remove --noudevsync "$@" "$name" 2>/dev/null; done
    fi
    udevadm settle --timeout=20
    for sys in /sys/block/md*; do
        [ -e "$sys" ] || continue
        if [ -z "$(ls "$sys/holders")" ]; then mdadm --quiet --stop "/dev/${sys##*/}" 2>/dev/null; fi
    done
    if compgen -G '/sys/block/loop*/loop/backing_file' >/dev/null; then losetup -D; fi
}

layers_left() {
    compgen -G '/sys/block/dm-*' || compgen -G '/sys/block/md*' || compgen -G '/sys/block/loop*/loop/backing_file'
}

# empty_scratch: takes labels and partition tables off the scratch disks
empty_scratch() {
    local disk
    for disk in "${scratch[@]}"; do
        wipefs --all --lock "$disk"?* "$disk" >/dev/null 2>&1
    done
}

unload_modules() {
    local module
    for module in scsi_debug bcache zram nbd brd loop; do
        if [ -d "/sys/module/$module" ]; then modprobe -r "$module" 2>/dev/null; fi
    done
}

# teardown: prints what is still there at the end, in one line, or nothing
teardown() {
    local round left
    # First, as udev may hang on one of them, too.
    release_maps
    udevadm settle --timeout=20
    remove_users
    for round in {1..12}; do
        layers_left >/dev/null || break
        if [ "$round" -lt 9 ]; then remove_layers; else remove_layers --force; fi
    done
    unload_modules
    empty_scratch
    rm -rf /run/udev/rules.d
    udevadm settle
    left=$(comm -13 <(sort <<<"$block_devices_before") <(block_devices | sort) | paste -sd' ')
    [ -z "$left" ] || echo "still there: $left"
}
