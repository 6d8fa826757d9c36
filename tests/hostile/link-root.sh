# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: sys, proc, run and dmsetup are links to the root of the tree
mkdir "$root"
for name in sys proc run dmsetup; do ln -s / "$root/$name"; done
