#!/bin/bash
# SPDX-License-Identifier: MIT
# The manual pages of docs/man say what the programs do: options, keys, columns, messages, examples; no more and no less.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

setrad_page=docs/man/setrad.8 setractl_page=docs/man/setractl.8
policy_page=docs/man/setrad-policy.5 settings_page=docs/man/setrad.yaml.5

# The escapes of troff that the pages use, taken off.
plain() { sed 's/\\-/-/g; s/\\(dq/"/g; s/\\&//g; s/\\e/\\/g' "$@"; }

# section PAGE MACRO NAME: its lines, up to the next of the same rank or higher.
section() {
    plain "$1" | awk -v start=".$2 $3" '
        inside && (/^\.Sh/ || (start ~ /^\.Ss/ && /^\.Ss/)) {exit}
        inside {print}
        $0 == start || index($0, start " ") == 1 {inside = 1}'
}

# items MACRO: of the lines of a page, the words of the list items that begin with it, one a line.
items() { sed -n "s/^\.It $1 //p" | sed "s/ , $1 /\n/g; s/ , /\n/g"; }

# same WHAT: $work/wanted and $work/told hold the same lines, and some.
same() {
    sort -u -o "$work/wanted" "$work/wanted"
    [ -s "$work/wanted" ] || fail "$1: nothing to compare"
    sort "$work/told" | diff "$work/wanted" - >"$work/difference" ||
        fail "$1: < is in the program, > in the manual: $(grep '^[<>]' "$work/difference")"
}

# "-o, --output=LIST" of the options in a help, and of those in a page.
help_options() { sed -n 's/^   *\(-., \)\{0,1\}\(--[^ ]*\)  *.*/\1\2/p'; }
page_options() { sed -n '/^\.It Fl/{s/^\.It //; s/Fl -/--/g; s/Fl /-/g; s/ , /, /g; s/ Ns = Ns Ar /=/; s/ Ns Op = Ns Ar \(.*\)/[=\1]/; p}'; }

# --- setrad

"$BUILD/setrad" --help | help_options >"$work/wanted"
section $setrad_page Sh OPTIONS | page_options >"$work/told"
same "options of setrad"
sed -n '/^static int add_signals/,/^}/s/.*{\(SIG[A-Z0-9]*\),.*/\1/p' daemon/manager.c >"$work/wanted"
section $setrad_page Sh SIGNALS | items Dv >"$work/told"
same "signals"
sed -n 's/^#define SETRAD_MSG_[A-Z_]* *"\(.*\)"$/\1/p' daemon/messages.h >"$work/wanted"
section $setrad_page Sh JOURNAL | items Li >"$work/told"
same "ids of messages"
grep -ohE '"(SETRAD_[A-Z_]*|ERRNO)"' daemon/journal.c | tr -d '"' >"$work/wanted"
section $setrad_page Sh JOURNAL | items Va >"$work/told"
same "fields of messages"

# --- setractl

setractl_commands=$("$setractl" --help | sed -n '/^Commands/,/^$/s/^  \([a-z-]*\) .*/\1/p')
section $setractl_page Sh OPTIONS | page_options | sort >"$work/common"
: >"$work/usages"
for command in $setractl_commands; do
    "$setractl" "$command" --help >"$work/help"
    sed -n '1s/^setractl \(.*\) \[OPTION.*/\1/p' "$work/help" >>"$work/usages"
    help_options <"$work/help" >"$work/wanted"
    { section $setractl_page Ss "$command" | page_options; cat "$work/common"; } >"$work/told"
    same "options of setractl $command"
done
mv "$work/usages" "$work/wanted"
section $setractl_page Sh COMMANDS | sed -n 's/^\.Ss //p' |
    sed 's/Op Ar \([A-Z]*\) \.\.\./[\1...]/; s/Op Ar \([A-Z]*\)/[\1]/; s/ Ar / /' >"$work/told"
same "commands of setractl and their arguments"
"$setractl" scan --help | sed -n '/^Columns/,$s/^  \([* ]\) \([A-Z:-]*\) .*/\2\1/p' | tr -d ' ' >"$work/wanted"
section $setractl_page Ss scan | items Li >"$work/told"
same "columns of scan"

raid5_root
for arguments in 'scan --json' 'plan --json' 'explain --json dm-0'; do
    # shellcheck disable=SC2086
    run 0 $arguments --root "$root" --policy config/policy.d/50-setrad.yaml
    jq -r '., .layers[0]?, .changes[0]? | objects | keys[]' "$work/out"
done >"$work/wanted"
run 0 check-policy --json config/policy.d/50-setrad.yaml
jq -r '., .files[0] | keys[]' "$work/out" >>"$work/wanted"
section $setractl_page Sh JSON | tr -c 'a-z_\n' '\n' | grep -xFf <(sort -u "$work/wanted") | sort -u >"$work/told"
same "members of JSON"

# --- policy and settings

schema=docs/setrad-policy.schema.json
jq -r '.. | .properties? | objects | keys[]' $schema | sort -u >"$work/wanted"
cp "$work/wanted" "$work/keys"
# Of true and false, the other ways to write them are not told one by one.
jq -r '.. | .enum? | arrays | .[] | strings | select(test("^[a-z]"))' $schema | sort -u >"$work/words"
plain $policy_page | items Cm >"$work/items"
grep -vxFf "$work/words" "$work/items" | sort -u >"$work/told"
grep -xFf "$work/words" "$work/items" | grep -xFf "$work/keys" | sort -u >>"$work/told"
same "keys of a policy"
cp "$work/words" "$work/wanted"
plain $policy_page | grep -E '^\.(It )?(Cm|Ql|Ar)' | tr -s ' ' '\n' | grep -xFf "$work/words" | sort -u >"$work/told"
same "words of a policy"

sed -n 's/^ *{"\([a-z-]*\)", read.*/\1/p' config/settings-read.c >"$work/wanted"
plain $settings_page | items Cm >"$work/told"
same "keys of the settings"
# key VALUE, as in the file with all defaults; the page has the value in the item of the key.
sed -n 's/^#\([a-z-]*\): \(.*\)/\1 \2/p' config/setrad.yaml >"$work/defaults"
while read -r key value; do
    plain $settings_page | awk -v start=".It Cm $key" '
        inside && /^\.It Cm/ && !/^\.It Cm (time|bytes)$/ {exit} inside {print} $0 == start {inside = 1}' >"$work/item"
    sed 's/^\.[A-Z][a-z] //; s/ [.,;:]$//' "$work/item" | grep -qxF -- "$value" ||
        fail "setrad.yaml(5): the default of $key is $value"
done <"$work/defaults"
[ "$(wc -l <"$work/defaults")" -ge 12 ] || fail "config/setrad.yaml: only $(wc -l <"$work/defaults") defaults"

grep -oh '"setrad_[a-z_]*' daemon/metrics.c | tr -d '"' >"$work/wanted"
plain $settings_page | items Li >"$work/told"
same "figures for monitoring"

# --- examples

# examples PAGE: each block in it that is YAML, as $work/example-N.yaml.
examples() {
    rm -f "$work"/example-*.yaml
    plain "$1" | awk -v prefix="$work/example-" '
        /^\.Ed/ {file = ""}
        start && /^version:/ {file = prefix (++n) ".yaml"}
        {start = /^\.Bd/}
        file != "" {print > file}'
    set -- "$work"/example-*.yaml
    [ -e "$1" ] || fail "no examples"
}

examples $policy_page
for example in "$work"/example-*.yaml; do run 0 check-policy "$example"; done
examples $settings_page
for example in "$work"/example-*.yaml; do
    mv "$example" "$work/setrad.yaml"
    run 0 check-policy "$work/setrad.yaml"
    expect out '^settings from '
done

# Each command line is one that setractl takes. --help: nothing is done.
plain docs/man/*.[58] | sed -n 's/^\(\.Dl \|\.Ql \|\)\(setractl\( .*\|\)\)$/\2/p' |
    sed 's/ [|>#&].*//; s/ [.,;:]$//' | sort -u >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 15 ] || fail "only $(wc -l <"$work/commands") examples of command lines"
while read -r _ arguments; do
    # shellcheck disable=SC2086
    run 0 $arguments --help
    [[ ! $arguments =~ \ -o\ ([^ ]*) ]] || run 0 scan --root "$root" -o "${BASH_REMATCH[1]}"
done <"$work/commands"

# --- files

plain docs/man/*.[58] | tr -s ' ,' '\n' | sed -n 's#^\(.*/\)\{0,1\}\([a-z-]*\.\(md\|schema\.json\)\)$#\2#p' | sort -u >"$work/files"
while read -r file; do [ -e "docs/$file" ] || fail "no docs/$file"; done <"$work/files"
[ -s "$work/files" ] || fail "no files of docs"

# They name the directories of the installation.
installed=$work/man/setrad.8
make --no-print-directory -s BUILD="$work" PREFIX=/opt/setrad SYSCONFDIR=/opt/etc "$installed" >"$work/out" 2>&1 ||
    fail "make: $(<"$work/out")"
grep -nE '/usr|[^t]/etc|[^/]setrad/share' "$installed" && fail "not replaced by make install"
grep -q '^\.It Pa /opt/etc/setrad/policy\.d' "$installed" || fail "make install: no /opt/etc"
grep -q '^\.It Pa /opt/setrad/share/doc/setrad/docs$' "$installed" || fail "make install: no /opt/setrad"

finish
