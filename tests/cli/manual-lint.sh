#!/bin/bash
# SPDX-License-Identifier: MIT
# Both programs that show manual pages, mandoc and man (groff), take those of docs/man without a word.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

for program in mandoc man; do
    command -v "$program" >/dev/null && continue
    echo "$program is missing (packages mandoc and man-db)"
    exit 77
done

n_pages=0
for page in docs/man/*.[1-9]; do
    n_pages=$((n_pages + 1))
    last="mandoc -T lint $page"
    # That other packages' pages are not installed here is no fault of these.
    mandoc -T lint -W style "$page" 2>&1 | grep -vE 'referenced manual not found|outdated mandoc\.db' >"$work/out"
    empty out
    last="man --warnings $page"
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 "$page" >"$work/page" 2>"$work/err" || fail "$last"
    empty err
    sed 's/.\x08//g' "$work/page" >"$work/out"
    expect out '^SEE ALSO$'
    # What one page calls another exists, or is another package's.
    sed -n 's/^\.Xr \(setra[^ ]*\) \([0-9]\).*/\1.\2/p' "$page" | sort -u | while read -r name; do
        [ -e "docs/man/$name" ] || echo "$name"
    done >"$work/out"
    last="pages that $page names"
    empty out
done
[ "$n_pages" -eq 4 ] || fail "$n_pages pages"

finish
