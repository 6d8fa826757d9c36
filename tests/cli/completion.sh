#!/bin/bash
# SPDX-License-Identifier: MIT
# What bash, zsh and fish offer when Tab is pressed is what setractl --help says, for every command.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

PATH=$BUILD:$PATH
directory=$work/files
mkdir "$directory"
: >"$directory/policy.yaml"
raid5_root
printf '37 1 9:0 / /srv/my\\040data rw - ext4 /dev/md0 rw\n' >>"$root/proc/self/mountinfo"

# --- what each shell offers for lines: "== LINE", then words

# Readline's part: words are taken apart at = and :, and where there is nothing, names of files may be what is meant.
# shellcheck disable=SC2034,SC2317 # for what is sourced
offers_bash() (
    local line word
    set +u
    compopt() { fallback=$2; }
    # shellcheck source=/dev/null
    . completion/setractl.bash
    for line; do
        COMP_WORDS=() fallback='' COMPREPLY=()
        for word in $line; do
            word=${word//=/ = }
            # shellcheck disable=SC2206 # into words
            COMP_WORDS+=(${word//:/ : })
        done
        [[ $line != *' ' && $line != *[=:] ]] || COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _setractl "${COMP_WORDS[0]}"
        printf '== %s\n' "$line"
        [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | sed 's/\\//g'
        [ "$fallback" != default ] || compgen -f -- "${COMP_WORDS[COMP_CWORD]}"
    done
)

# shellcheck disable=SC2317
offers_zsh() { zsh -f "$here/complete.zsh" completion "$@"; }

# shellcheck disable=SC2016,SC2317 # fish's
offers_fish() {
    fish --no-config -c 'source completion/setractl.fish; for line in $argv; echo == $line; complete -C $line; end' "$@"
}

# offered SHELL LINE: the words, of a list or a path only the last part, which is all that zsh and readline show.
offered() {
    awk -v line="== $2" '/^== / {inside = $0 == line; next} inside' "$work/$1.offered" |
        sed 's/\t.*//; s/^\(--[a-z-]*\)=$/\1/; s/^--[a-z-]*=//; s/.*[,+]//; s|^/.*/\(.\)|\1|; s|/$||' | sort -u
}

# offers LINE WORD…: each shell does, and no others.
offers() {
    local shell line=$1
    shift
    printf '%s\n' "$@" | sort -u >"$work/wanted"
    for shell in "${shells[@]}"; do
        offered "$shell" "$line" | diff "$work/wanted" - >"$work/difference" ||
            fail "$shell: $line: < is to be offered, > is: $(grep '^[<>]' "$work/difference")"
    done
}

options_of() { "$setractl" "$@" --help | grep -E '^ +-' | sed 's/ *\(-.\), / \1\n/; s/[= ]*\(--[^] =[]*\).*/\1/' | tr -d ' '; }

# --- everything that is asked

commands=$("$setractl" --help | awk '/^Commands/ {inside = 1; next} /^$/ {inside = 0} inside {print $1}')
columns=$("$setractl" scan --help | awk '/^Columns/ {inside = 1; next} inside {print $1 == "*" ? $2 : $1}')
lines=('setractl ' 'setractl rev' 'setractl -' 'setractl scan -o ' 'setractl scan --output=NAME,K' 'setractl scan -o MAJ:MIN,S'
    "setractl --policy $directory plan --r" "setractl --root=$root explain vg" "setractl explain --root $root /srv"
    "setractl explain --root $root md0 d" "setractl revert --root $root md0 vg0/h" "setractl plan --policy=$directory/p"
    "setractl check-policy $directory/p" "setractl scan --root $root sd" 'setractl scan --color='
    'setractl plan --color=n' 'setractl --color rev' 'setractl --bytes rev' 'setractl probe --bytes vg')
for command in $commands; do
    lines+=("setractl $command -")
    for option in format like workload; do
        ! "$setractl" "$command" --help | grep -q -e " --$option=" || lines+=("setractl $command --$option ")
    done
done

shells=() missing=()
for shell in bash zsh fish; do
    if ! command -v $shell >/dev/null; then
        missing+=("$shell")
        continue
    fi
    shells+=("$shell")
    last="completion of $shell"
    "offers_$shell" "${lines[@]}" >"$work/$shell.offered" 2>"$work/err" || fail "$last failed"
    empty err
    [ "$(grep -c '^== ' "$work/$shell.offered")" -eq ${#lines[@]} ] || fail "$last answered only a part"
done

# shellcheck disable=SC2086
offers 'setractl ' $commands
offers 'setractl rev' revert
# shellcheck disable=SC2046
offers 'setractl -' $(options_of scan)
for command in $commands; do
    # shellcheck disable=SC2046
    offers "setractl $command -" $(options_of "$command")
done
# shellcheck disable=SC2086
offers 'setractl scan -o ' $columns
offers 'setractl scan --output=NAME,K' KNAME KIND
offers 'setractl scan -o MAJ:MIN,S' SIZE STRIPE STATE
offers "setractl --policy $directory plan --r" --root
offers 'setractl scan --color=' auto always never
offers 'setractl plan --color=n' never
# Options that have an argument for some commands only, or need none, do not take the command for it.
offers 'setractl --color rev' revert
offers 'setractl --bytes rev' revert
for shell in "${shells[@]}"; do
    [ -z "$(offered "$shell" 'setractl probe --bytes vg')" ] || fail "$shell: a size is no device"
done
offers "setractl --root=$root explain vg" vg0/data vg0/home
offers "setractl explain --root $root /srv" 'my data'
offers "setractl revert --root $root md0 vg0/h" vg0/home
offers "setractl plan --policy=$directory/p" policy.yaml
offers "setractl check-policy $directory/p" policy.yaml
for shell in "${shells[@]}"; do
    [ -z "$(offered "$shell" "setractl scan --root $root sd")" ] || fail "$shell: scan takes no device"
    # fish does not count.
    [ "$shell" = fish ] || [ -z "$(offered "$shell" "setractl explain --root $root md0 d")" ] ||
        fail "$shell: explain takes one device"
done

# Words that the completions know by themselves are those of the help.
for line in "${lines[@]}"; do
    [[ $line =~ ^setractl\ (.*)\ --(format|like|workload)\ $ ]] || continue
    "$setractl" "${BASH_REMATCH[1]}" --help | tr -cs 'a-z0-9-' '\n' >"$work/help"
    for shell in "${shells[@]}"; do
        offered "$shell" "$line" >"$work/words"
        [ -s "$work/words" ] || fail "$shell: $line: nothing"
        last="$shell: $line"
        grep -vxFf "$work/help" "$work/words" >"$work/out"
        empty out
    done
done

# A program that can't be run: nothing, and without a word.
offers_bash '/nowhere/setractl scan -' >"$work/out" 2>"$work/err"
last='completion without a program'
one_line out
empty err

if [ ${#missing[@]} -gt 0 ] && [ "$failures" -eq 0 ]; then
    echo "not installed, so that nothing of it was tested: ${missing[*]}"
    exit 77
fi
finish
