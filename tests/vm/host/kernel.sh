# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by run: finds the binary and the modules of a user-mode Linux version.

# kernel_versions: the versions in the table, one a line
kernel_versions() {
    awk '!/^#/ && NF { print $1 }' "$vm_dir/kernels"
}

# kernel_find VERSION: sets uml_binary and uml_modules, or says why it can't and returns 1
kernel_find() {
    local version=$1 modules
    if ! kernel_versions | grep -qxF -- "$version"; then
        echo "run: kernel '$version' is not known here; known: $(kernel_versions | paste -sd' ')" >&2
        return 1
    fi
    modules=$(find /usr/lib/uml/modules -mindepth 1 -maxdepth 1 -name "$version.*" 2>/dev/null | sort -V | tail -n 1)
    if [ -z "$modules" ] || ! uml_binary=$(command -v linux.uml); then
        echo "run: this machine has no user-mode Linux $version: install the package user-mode-linux of" \
            "Debian $(awk -v v="$version" '$1 == v { print $2 }' "$vm_dir/kernels")" >&2
        return 1
    fi
    uml_modules=$modules
}
