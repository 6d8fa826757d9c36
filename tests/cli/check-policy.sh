#!/bin/bash
# SPDX-License-Identifier: MIT
# setractl check-policy; what it says of single files is in tests/policies.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

# write NAME MATCH…: a policy with a rule for each match.
write() {
    local file=$work/$1 n=0 match
    shift
    printf 'version: 1\nrules:\n' >"$file"
    for match; do
        printf -- '- {name: r%d, match: %s, readahead: auto}\n' $((++n)) "$match" >>"$file"
    done
}

write a.yaml '{vg: a}' '{vg: b}'
write b.yaml '{vg: c}'
write c.yaml '{vg: a, lv: x}'
write bad.yaml '{knd: md}'
printf 'version: 1\nrules: []\n' >"$work/none.yaml"

# good LINE ARGUMENT…
good() {
    local line=$1
    shift
    run 0 check-policy "$@"
    empty err
    [ "$(cat "$work/out")" = "$line" ] || fail "$last: stdout is $(cat "$work/out"), not $line"
}
good '2 rules from 1 file: good' "$work/a.yaml"
good '1 rule from 1 file: good' "$work/b.yaml"
good '3 rules from 2 files: good' "$work/a.yaml" "$work/b.yaml"
good '3 rules from 2 files: good' "$work/c.yaml" "$work/a.yaml"
good '0 rules from 1 file: good' "$work/none.yaml"
good '2 rules from 1 file: good' config/policy.d/50-setrad.yaml

# Several files are one policy, in the order given.
run 1 check-policy "$work/a.yaml" "$work/c.yaml"
empty out
expect err "^$work/c.yaml:3:21: the rule \"r1\" never wins: \"r1\" \($work/a.yaml:3\) comes first"

# The errors of all files, in spite of one that does not exist.
run 1 check-policy "$work/bad.yaml" "$work/nowhere.yaml" "$work/a.yaml" /dev/null
empty out
expect err "^$work/bad.yaml:3:22: unknown key \"knd\""
expect err '^    - \{name: r1, match: \{knd: md\}, readahead: auto\}$'
expect err '^                         \^$'
expect err "^$work/nowhere.yaml: cannot read it: No such file"
expect err '^/dev/null: empty'

# Of each of two files that are wrong all over, a hundred errors and how many more: none of them hides another's.
{ printf 'version: 1\nrules:\n' && printf -- '- {match: {vgg: x%d}, readahead: auto}\n' {1..130}; } >"$work/many.yaml"
sed 's/vgg/vggg/' "$work/many.yaml" >"$work/more.yaml"
run 1 check-policy "$work/many.yaml" "$work/more.yaml" "$work/bad.yaml"
for file in many more; do
    [ "$(grep -c "^$work/$file.yaml:" "$work/err")" -eq 101 ] || fail "$last: not 101 lines of $file.yaml"
    expect err "^$work/$file.yaml: … and 30 more errors$"
done
expect err "^$work/bad.yaml:3:22: unknown key \"knd\""
run 1 check-policy --json "$work/many.yaml" "$work/more.yaml" "$work/bad.yaml"
query '[.files[].errors | length]' '[101,101,1]'
query '.files[1].errors[-1]' '{"line":null,"column":null,"text":"… and 30 more errors"}'

run 0 check-policy --json "$work/a.yaml" "$work/b.yaml"
query . "{\"version\":1,\"files\":[{\"file\":\"$work/a.yaml\",\"errors\":[],\"settings\":null},{\"file\":\"$work/b.yaml\",\"errors\":[],\"settings\":null}],\"rules\":3}"
run 1 check-policy --json "$work/bad.yaml" "$work/nowhere.yaml" "$work/a.yaml"
empty err
query '[.rules, (.files | length), .files[0].errors[0].line, .files[0].errors[0].column]' '[null,3,3,22]'
query '.files[0].errors[0].text' '"unknown key \"knd\" in match: did you mean \"kind\"?"'
query '.files[1].errors' '[{"line":null,"column":null,"text":"cannot read it: No such file, or a link that leads nowhere"}]'
query '.files[2].errors' '[]'

# Files of settings, by their keys or by their name, alone or beside a policy.
printf 'version: 1\nworkers: 3\n' >"$work/keys.yaml"
printf 'version: 1\nworkers: none\n' >"$work/wrong.yaml"
mkdir "$work/etc" "$work/policy.d"
printf '# to come\n' >"$work/etc/setrad.yaml"
cp "$work/b.yaml" "$work/policy.d/setrad.yaml"
good "settings from $work/keys.yaml: good" "$work/keys.yaml"
good "settings from $work/etc/setrad.yaml: good" "$work/etc/setrad.yaml"
good "$(printf '3 rules from 2 files: good\nsettings from %s: good\nsettings from %s: good' "$work/keys.yaml" \
    "$work/etc/setrad.yaml")" "$work/keys.yaml" "$work/a.yaml" "$work/etc/setrad.yaml" "$work/b.yaml"
good '1 rule from 1 file: good' "$work/policy.d/setrad.yaml"
cp "$work/b.yaml" "$work/etc/setrad.yaml"
run 1 check-policy "$work/etc/setrad.yaml"
expect err "^$work/etc/setrad.yaml:2:1: \"rules\" has no place in the settings file$"

run 0 check-policy --json "$work/keys.yaml"
query '[.rules, (.files | length), .files[0].settings.workers, .files[0].settings.settle_msec]' '[null,1,3,200]'
run 0 check-policy --json "$work/keys.yaml" "$work/a.yaml"
query '[.rules, .files[0].file, .files[0].settings, .files[1].settings.workers]' "[2,\"$work/a.yaml\",null,3]"

# The errors of both, and of one that is named and is not there.
run 1 check-policy "$work/wrong.yaml" "$work/bad.yaml" "$work/nowhere/setrad.yaml"
empty out
expect err "^$work/bad.yaml:3:22: unknown key"
expect err "^$work/wrong.yaml:2:10: workers: \"none\" is no whole number from 1 to 64$"
expect err '^    workers: none$'
expect err "^$work/nowhere/setrad.yaml: cannot read it: No such file"
run 1 check-policy --json "$work/wrong.yaml" "$work/a.yaml"
query '[.rules, .files[1].settings, .files[1].errors[0].line]' '[2,null,2]'
run 1 check-policy --json "$work/keys.yaml" "$work/bad.yaml"
query '[.rules, .files[1].settings.workers]' '[null,3]'

usage_error check-policy --root / "$work/a.yaml"
usage_error check-policy --pairs "$work/a.yaml"
usage_error check-policy --policy "$work/a.yaml"

"$setractl" check-policy "$work/a.yaml" >/dev/full 2>"$work/err" && fail "writing to a full disk is a success"
"$setractl" check-policy --json "$work/a.yaml" >/dev/full 2>"$work/err" && fail "writing to a full disk is a success"

finish
