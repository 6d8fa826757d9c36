#!/bin/bash
# SPDX-License-Identifier: MIT
# What setractl tune prints of figures that are made up: the page, as wide as the terminal is, and lines for programs.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

# page NAME LOCALE ARGUMENT…
page() {
    local name=$1 locale=$2
    shift 2
    last="print-reports $*"
    LC_ALL=$locale "$BUILD/tests/json/print-reports" "$@" >"$work/out" || fail "$last: exit status $?"
    golden "$name"
}

for columns in 80 200; do
    page tune-$columns-columns C.UTF-8 tune $columns
    no_wider $columns
done
page tune-ascii C tune 80
no_wider 80
page tune-csv C csv

finish
