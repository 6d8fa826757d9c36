# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of setractl for bash. Commands, options and columns are those that the program names in its --help, so there
# is no second list of them here.

# _setractl_options PROGRAM [COMMAND]: "-o --output LIST" for each option; "-" where it has no letter, "[LIST" where the
# argument may be left out.
_setractl_options() {
    "$@" --help 2>/dev/null |
        sed -nE '/^Options/,/^$/{s/^ {6}/  -, /; s/^  (-.?), (--[^] =[]+)((\[?)=([^] ]+)\]?)? .*/\1 \2 \4\5/p}'
}

# _setractl_section PROGRAM COMMAND HEADING: the first words below the heading in a help.
_setractl_section() {
    local heading=$3
    set -- "$1" ${2:+"$2"}
    "$@" --help 2>/dev/null | sed -nE "/^$heading/,/^\$/s/^  [ *]? ?([A-Za-z][^ ]*) .*/\\1/p"
}

# _setractl_devices PROGRAM ROOT: names, kernel names and mount points, one a line.
_setractl_devices() {
    local name kname use path paths
    set -- "$1" scan --raw --noheadings --output NAME,KNAME,USE ${2:+--root "$2"}
    timeout 2 "$@" 2>/dev/null | while read -r name kname use; do
        printf '%b\n%b\n' "$name" "$kname"
        IFS=, read -ra paths <<<"$use"
        for path in "${paths[@]}"; do
            [[ $path != /* ]] || printf '%b\n' "$path"
        done
    done
}

# _setractl_offer PREFIX WORD...: those that begin with what is typed, which is PREFIX and more.
_setractl_offer() {
    local prefix=$1 word quoted
    shift
    for word; do
        printf -v quoted %q "$word"
        [[ $prefix$quoted != "$cur"* ]] || COMPREPLY+=("$prefix$quoted")
    done
}

# _setractl_columns PREFIX: of a list with commas, the part behind the last one.
_setractl_columns() {
    local prefix=$1 typed=${cur#"$1"} column columns=()
    local before=${typed%"${typed##*[,+]}"} last=${typed##*[,+]}
    compopt -o nospace
    for column in $(_setractl_section "$program" "${command:-scan}" Columns); do
        [[ ,${before#+} == *",$column,"* || $column != "${last^^}"* ]] || columns+=("$prefix$before$column")
    done
    COMPREPLY=("${columns[@]}")
}

# _setractl_argument OPTION NAME PREFIX: what stands for NAME in the help, the argument of OPTION or ("") of the command.
_setractl_argument() {
    local prefix=$3
    case $1$2 in
        --color*) _setractl_offer "$prefix" auto always never ;;
        --format*) _setractl_offer "$prefix" dot mermaid svg ;;
        --like*) _setractl_offer "$prefix" hdparm dd ;;
        --workload*) _setractl_offer "$prefix" sequential mixed ;;
        *LIST) _setractl_columns "$prefix" ;;
        *DIR) compopt -o dirnames ;;
        *FILE | *PATH) compopt -o default ;;
        *DEV)
            if [[ $cur == /dev/* ]]; then
                compopt -o default
            else
                local devices
                mapfile -t devices < <(_setractl_devices "$program" "$root" | sort -u)
                [[ $cur != /* ]] || devices+=(/dev/)
                _setractl_offer "$prefix" "${devices[@]}"
                [[ ${COMPREPLY[*]} != "$prefix/dev/" ]] || compopt -o nospace
            fi
            ;;
    esac
}

# Readline takes words apart at = and :. Put together again, those before the cursor are $words, the one at it is $cur.
_setractl_join_words() {
    local i word
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i > 1)) && [[ $word == [=:]* || ${COMP_WORDS[i - 1]} == [=:] ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    cur=${words[-1]}
    unset 'words[-1]'
}

# What stands before the cursor: $command, $root, how many arguments it has, and the option that waits for one.
_setractl_read_words() {
    local word options
    options=$'\n'$(_setractl_options "$program")$'\n'
    for word in "${words[@]:1}"; do
        if [[ $waiting ]]; then
            [[ $waiting != --root ]] || root=$word
            waiting=
        elif [[ $word == --root=* ]]; then
            root=${word#--root=}
        elif [[ $word == -- ]]; then
            ended=yes
        elif [[ ! $ended && $word == --* ]]; then
            # What one command takes without an argument has none before a command is named.
            [[ ! $options =~ \ $word\ [A-Z] || $options == *" $word "$'\n'* ]] || waiting=$word
        elif [[ ! $ended && $word == -?* ]]; then
            # A letter means what the command says, where there is one.
            [[ $options =~ $'\n'-${word: -1}\ (--[^ ]+)\ $'\n' || ! $options =~ $'\n'-${word: -1}\ (--[^ ]+)\ [A-Z] ]] ||
                waiting=${BASH_REMATCH[1]}
        elif [[ ! $command && $'\n'$commands$'\n' == *$'\n'$word$'\n'* ]]; then
            command=$word
            options=$'\n'$(_setractl_options "$program" "$command")$'\n'
        else
            n_arguments=$((n_arguments + 1))
        fi
    done
    known=$options
}

_setractl() {
    local program=$1 cur words command='' root='' waiting='' ended='' known='' commands n_arguments=0 usage typed
    COMPREPLY=()
    _setractl_join_words
    commands=$(_setractl_section "$program" '' Commands)
    _setractl_read_words
    root=${root/#\~\//"$HOME"/}

    if [[ $waiting ]]; then
        [[ ! $known =~ \ $waiting\ ([A-Z]+) ]] || _setractl_argument "$waiting" "${BASH_REMATCH[1]}" ''
    elif [[ ! $ended && $cur == --*=* ]]; then
        [[ ! $known =~ \ ${cur%%=*}\ \[?([A-Z]+) ]] || _setractl_argument "${cur%%=*}" "${BASH_REMATCH[1]}" "${cur%%=*}="
    elif [[ ! $ended && $cur == -* ]]; then
        # shellcheck disable=SC2046
        _setractl_offer '' $(_setractl_options "$program" "${command:-scan}" | tr ' ' '\n' | grep -- '-.')
    elif [[ ! $command ]]; then
        # shellcheck disable=SC2086
        _setractl_offer '' $commands
    else
        usage=$("$program" "$command" --help 2>/dev/null | head -n 1)
        if [[ $usage =~ \ $command\ \[?([A-Z]+)(\.\.\.)?\]?\ \[OPTION ]] &&
            { ((n_arguments == 0)) || [[ ${BASH_REMATCH[2]} ]]; }; then
            _setractl_argument '' "${BASH_REMATCH[1]}" ''
        fi
    fi

    # Only what is behind the last of = and : is replaced.
    typed=${COMP_WORDS[COMP_CWORD]}
    [[ $typed != [=:]* ]] || typed=
    COMPREPLY=("${COMPREPLY[@]#"${cur%"$typed"}"}")
}

complete -F _setractl setractl
