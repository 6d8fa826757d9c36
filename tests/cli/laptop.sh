#!/bin/bash
# SPDX-License-Identifier: MIT
# A laptop with EFI, swap and btrfs on one NVMe disk: short, right, and nothing to do.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1
export LC_ALL=C

case=87-laptop-with-one-disk
tests/fixtures/make-root "$work" "tests/fixtures/cases/$case.json" || fail "make-root"
mv "$work/$case" "$root"
policy=config/policy.d/50-setrad.yaml

run 0 scan --root "$root" --policy "$policy"
golden scan-laptop-btrfs
empty err
run 0 scan --all --root "$root" --policy "$policy"
golden scan-laptop-all
run 0 plan --check --root "$root" --policy "$policy"
golden plan-laptop
empty err
run 0 scan --json --root "$root" --policy "$policy"
query '[.layers[] | [.name] + (.findings[] | [.code, .severity])]' \
    '[["nvme0n1p3","filesystem-own-readahead","info"]]'
query '[.layers[] | select(.target_sectors != null)]' '[]'

finish
