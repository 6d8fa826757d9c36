# SPDX-License-Identifier: MIT
# Completion of setractl for fish. Commands, options and columns are those that the program names in its --help, so there
# is no second list of them here.

# Columns behind the last comma of a list.
function __setractl_columns
    set -l token (commandline -ct | string replace -r '^--[^=]*=' '')
    set -l before (string replace -r '[^,+]*$' '' -- $token)
    set -l given (string split , -- (string replace -r '^\+' '' -- $before))
    setractl scan --help 2>/dev/null | while read -l line
        set -l column (string match -r '^  [* ] ([A-Z][^ ]*) +(.*)$' -- $line)
        and not contains -- $column[2] $given
        and printf '%s%s\t%s\n' "$before" $column[2] $column[3]
    end
end

# Names, kernel names and mount points; of the capture that --root names, where it does.
function __setractl_devices
    set -l tokens (commandline -opc)
    set -l root (string match -r -g '^--root=(.+)' -- $tokens)
    if set -l i (contains -i -- --root $tokens)
        set root $tokens[(math $i + 1)]
    end
    if string match -q '/dev/*' -- (commandline -ct)
        __fish_complete_path (commandline -ct)
        return
    end
    timeout 2 setractl scan --raw --noheadings --output NAME,KNAME,USE (test -n "$root"; and echo --root=$root) 2>/dev/null |
        while read -l name kname use
            string unescape -- $name $kname (string split , -- $use | string match '/*')
        end | sort -u
end

# What stands for an argument in the help, as arguments of "complete".
function __setractl_declare_argument
    switch $argv[1]$argv[2]
        case '--color*' # which may be left out
            printf '%s\n' -f -a 'auto always never'
        case '--format*'
            printf '%s\n' -x -a 'dot mermaid svg'
        case '--like*'
            printf '%s\n' -x -a 'hdparm dd'
        case '--workload*'
            printf '%s\n' -x -a 'sequential mixed'
        case '*LIST'
            printf '%s\n' -x -a '(__setractl_columns)'
        case '*DIR'
            printf '%s\n' -x -a '(__fish_complete_directories (commandline -ct | string replace -r "^--[^=]*=" ""))'
        case '*FILE' '*PATH'
            printf '%s\n' -r -F
        case '*'
            printf '%s\n' -x
    end
end

# __setractl_declare COMMAND CONDITION: its options and what it takes.
function __setractl_declare
    set -l complete complete -c setractl -n $argv[2]
    set -l usage
    for line in (setractl $argv[1] --help 2>/dev/null)
        set -q usage[1]
        or set usage $line
        set -l option (string match -r '^  -?(\w?),? +--([^ =\[]+)\[?=?([^ \]]*)\]? +(.*)$' -- $line)
        or continue
        set -l letter (test -n "$option[2]"; and printf '%s\n' -s $option[2])
        set -l argument (test -n "$option[4]"; and __setractl_declare_argument --$option[3] $option[4])
        $complete $letter -l $option[3] $argument -d $option[5]
    end
    switch (string match -r -g " $argv[1] \[?([A-Z]+).* \[OPTION" -- $usage)
        case DEV
            $complete -a '(__setractl_devices)'
        case FILE
            $complete -F
    end
end

complete -c setractl -f
begin
    set -l words (setractl --help 2>/dev/null | string match -r -g '^  ([a-z][a-z-]*) +[A-Z]')
    set -l none "not __fish_seen_subcommand_from $words"
    __setractl_declare scan $none
    for line in (setractl --help 2>/dev/null)
        set -l word (string match -r '^  ([a-z][a-z-]*) +([A-Z].*)$' -- $line)
        or continue
        complete -c setractl -n $none -a $word[2] -d $word[3]
        __setractl_declare $word[2] "__fish_seen_subcommand_from $word[2]"
    end
end
