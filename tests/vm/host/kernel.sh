# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by run and kernel: finds the binary and the modules of a user-mode Linux version.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/setrad

# kernel_table: "VERSION RELEASE" for each kernel that is known, oldest first
kernel_table() { awk '!/^#/ && NF { print $1, $2 }' "$vm_dir/kernels"; }

# kernel_lookup NAME: "VERSION RELEASE" of a version or a release; returns 1 if there is none
kernel_lookup() { kernel_table | awk -v n="$1" '$1 == n || $2 == n { print; found = 1 } END { exit !found }'; }

# kernel_directory RELEASE: where the cache has, or would have, user-mode Linux of that release
kernel_directory() {
    local key
    key=$({ uname -m; cat "$vm_dir/host/kernel"; } | sha256sum | cut -c1-12)
    echo "$cache/kernel-$1-$key"
}

# machine_kernel: the version of the machine's own user-mode Linux, as 6.1.176; nothing if it has none
machine_kernel() {
    local version
    if version=$(linux.uml --version 2>/dev/null) && [ -d "/usr/lib/uml/modules/$version" ]; then echo "$version"; fi
}

# uml_at DIR: sets the array uml_program, the start of a command line of the linux.uml in DIR
uml_at() {
    uml_program=(env -C "$1")
    if [ -d "$1/lib" ]; then uml_program+=("LD_LIBRARY_PATH=$1/lib"); fi
    uml_program+=("$1/linux.uml")
}

# kernel_find VERSION RELEASE: sets uml_program, uml_modules and uml_version, or says why it can't and returns 1
kernel_find() {
    local dir
    uml_version=$(machine_kernel)
    if [[ $uml_version == "$1".* ]]; then
        uml_program=(linux.uml)
        uml_modules=/usr/lib/uml/modules/$uml_version
        return 0
    fi
    dir=$("$vm_dir/host/kernel" "$2") || return 1
    uml_version=$(<"$dir/version")
    uml_modules=$dir/modules/$uml_version
    uml_at "$dir"
    if [[ $uml_version != "$1".* ]]; then
        echo "run: Debian $2 has kernel $uml_version by now, not $1: running $uml_version" >&2
    fi
}

# kernel_list: "VERSION RELEASE STATE" for people
kernel_list() {
    local version from state own dir
    own=$(machine_kernel)
    while read -r version from; do
        dir=$(kernel_directory "$from")
        if [[ $own == "$version".* ]]; then
            state="$own, installed"
        elif [ -e "$dir/version" ]; then
            state="$(<"$dir/version"), cached"
        else
            state="not fetched yet"
        fi
        printf '%-6s %-10s %s\n' "$version" "$from" "$state"
    done < <(kernel_table)
}
