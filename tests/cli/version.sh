#!/bin/bash
# SPDX-License-Identifier: MIT
# The version by tools/version: of a tarball, of a tag, of what comes after one; and dpkg sorts it as it was made.
set -uo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    printf 'FAILED: %s\n' "$*"
    failures=$((failures + 1))
}

if ! command -v git >/dev/null; then
    echo "git is missing"
    exit 77
fi

source=$work/outer/source
mkdir -p "$source/tools"
cp tools/version "$source/tools/"
export HOME=$work GIT_CONFIG_NOSYSTEM=1 TZ=Pacific/Kiritimati
export GIT_AUTHOR_NAME=check GIT_AUTHOR_EMAIL=check@localhost GIT_COMMITTER_NAME=check GIT_COMMITTER_EMAIL=check@localhost
unset GIT_DIR GIT_WORK_TREE

# commit TEXT: at 23:30 UTC, when it is another day elsewhere
commit() {
    GIT_COMMITTER_DATE='2026-12-01T23:30:00Z' GIT_AUTHOR_DATE='2026-11-30T00:00:00Z' \
        git -C "$source" commit -q --allow-empty -m "$1" &&
        name=$(git -C "$source" rev-parse HEAD | cut -c 1-8)
}

# is VERSION WHAT
is() {
    local now
    now=$("$source/tools/version" 2>&1)
    [ "$now" = "$1" ] || fail "$2: $now, not $1"
    versions+=("$now")
}
versions=()
release=$(sed -n 's/^RELEASE=//p' tools/version)

git -C "$work/outer" init -q
git -C "$work/outer" commit -q --allow-empty -m outer
is "$release" "in somebody else's repository"
git -C "$source" init -q
commit one
is "$release+git20261201.$name" "no tag"
git -C "$source" tag v7.0.0
git -C "$source" tag debian/8.0-1
is 7.0.0 "a tag"
commit two
is "7.0.0+git20261201.$name" "after the tag"
git -C "$source" tag -m annotated v7.0.1
is 7.0.1 "an annotated tag"
echo 7.0.2 >"$source/VERSION"
is 7.0.2 "a tarball"
rm "$source/VERSION"
if [ "$(id -u)" -eq 0 ]; then
    chown -R 65534 "$source"
    is 7.0.1 "somebody else's source"
fi

if command -v dpkg >/dev/null; then
    for ((i = 1; i < 6; i++)); do
        dpkg --compare-versions "${versions[i - 1]}" lt "${versions[i]}" ||
            fail "for dpkg, ${versions[i - 1]} is not before ${versions[i]}"
    done
fi

[ "$failures" -eq 0 ]
