# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: ten thousand devices that are nothing but a number
new_root
(cd "$root/sys/class/block" && seq -f 'x%g/slaves' 10000 | xargs mkdir -p)
for ((i = 1; i <= 10000; i++)); do echo "1:$i" >"$root/sys/class/block/x$i/dev"; done
