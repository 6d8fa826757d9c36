# SPDX-License-Identifier: MIT
# usage: zsh -f complete.zsh DIRECTORY LINE...
# What an interactive zsh, on a terminal of its own, offers when Tab is pressed behind each LINE: the line after "== ", and
# then the words. DIRECTORY has the completion functions.
zmodload zsh/zpty
offered=$(mktemp) setup=$(mktemp)
trap 'zpty -d shell 2>/dev/null; rm -f $offered $setup' EXIT

cat >$setup <<SETUP
PROMPT= RPROMPT= offered=${(q)offered}
unsetopt beep
fpath=(${(q)1} \$fpath)
autoload -Uz compinit
compinit -u -D
# What goes to the list, and not only to an array of the caller, is taken down.
compadd() {
    local -a words
    if (( ! \${@[(I)-[OAD]]} )); then
        builtin compadd -O words "\$@"
        (( \$#words )) && print -rl -- \$words >>\$offered
    fi
    builtin compadd "\$@"
}
press-tab() {
    print -r -- "== \$BUFFER" >>\$offered
    zle complete-word
    BUFFER=
    print -r -- "== end" >>\$offered
}
zle -C complete-word complete-word _main_complete
zle -N press-tab
bindkey '^T' press-tab
print -r -- "== ready" >>\$offered
SETUP
shift

# wait_for N: until so many marks are there.
wait_for() {
    local i discarded
    for i in {1..200}; do
        # A terminal that nobody reads from is full in the end, and zsh would wait for ever to write to it.
        while zpty -r shell discarded; do :; done
        (( $(grep -cE '^== (ready|end)$' $offered) >= $1 )) && return
        sleep 0.05
    done
    print -ru2 -- "zsh did not answer: $(<$offered)"
    exit 1
}

zpty -b shell zsh -f -i
zpty -w shell "source ${(q)setup}"
wait_for 1
n=1
for line; do
    zpty -w -n shell "$line"$'\C-t'
    wait_for $((++n))
done
grep -vE '^== (ready|end)$' $offered
