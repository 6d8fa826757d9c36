#!/bin/bash
# SPDX-License-Identifier: MIT
# "make install" puts everything where PREFIX and systemd.pc say, with links that lead somewhere; "make uninstall" takes
# away all of it, and nothing of the administrator's.
set -uo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
failures=0
fail() {
    printf 'FAILED: %s\n' "$*"
    failures=$((failures + 1))
}

# make_in TARGET: builds nothing, as other tests are using what has been built
make_in() {
    make --no-print-directory -s -o all DESTDIR="$root" "$@" >"$work/log" 2>&1 || fail "make $*: $(<"$work/log")"
}

# there FILE…: is installed, for everybody to read
there() {
    local file
    for file in "$@"; do
        [ -f "$root$file" ] || { fail "no $file; there are: $(cd "$root" && find . -name '*setrad*')"; continue; }
        [[ $(stat -c %a "$root$file") =~ ^(644|755)$ ]] || fail "$file: mode $(stat -c %a "$root$file")"
    done
}

# links_lead_somewhere: those of all installed pages
links_lead_somewhere() {
    local page target path count=0
    while IFS= read -r page; do
        while IFS= read -r target; do
            count=$((count + 1))
            case $target in
                [a-z]*:*) continue ;;
                /*) path=$root$target ;;
                *) path=$(dirname "$page")/$target ;;
            esac
            [ -e "$path" ] || fail "${page#"$root"}: nothing is at $target"
        done < <(grep -oE '\]\([^)# ]+' "$page" | cut -c 3-)
    done < <(find "$root" -name '*.md')
    [ "$count" -ge 20 ] || fail "only $count links in the installed pages"
}

# installed CHECK ARGUMENT…: make install into an empty root
installed() {
    local check=$1 umask hidden
    shift
    rm -rf "$root"
    mkdir "$root"
    umask=$(umask)
    umask 077
    make_in install "$@"
    umask "$umask"
    [ "$(find "$root" -type f | wc -l)" -ge 35 ] || { fail "$*: installed only $(find "$root" -type f)"; return; }
    hidden=$(find "$root" -mindepth 1 -not -perm -444)
    [ -z "$hidden" ] || fail "$*: not everybody can read $hidden"
    links_lead_somewhere
    "$check"
}

# round_trip CHECK ETC ARGUMENT…: the same, and uninstall
round_trip() {
    local check=$1 etc=$2 own=$root$2/setrad/policy.d/10-local.yaml left
    shift 2
    installed "$check" "$@"
    touch "$own"
    make_in uninstall "$@"
    left=$(find "$root" -type f -o -name '*setrad*' -not -path "$root/opt/setrad" -o -path '*/policy.d*')
    [ "$(grep -cv "^$root$etc/setrad" <<<"$left")" -eq 0 ] || fail "$*: left behind: $left"
    [ -e "$own" ] || fail "$*: ${own##*/} is gone"

    rm "$own"
    make_in uninstall "$@"
    left=$(find "$root" -type f -o -name '*setrad*' -not -path "$root/opt/setrad" -o -path '*/policy.d*')
    [ -z "$left" ] || fail "$*: left behind without files of the administrator's: $left"
}

usual() {
    there /usr/sbin/setrad /usr/bin/setractl /usr/lib/setrad/policy.d/50-setrad.yaml \
        "${unit_dir:=/usr/lib/systemd/system}/setrad.service" /usr/lib/systemd/system-preset/90-setrad.preset \
        /usr/lib/systemd/catalog/setrad.catalog /usr/lib/tmpfiles.d/setrad.conf /usr/share/man/man8/setrad.8 \
        /usr/share/man/man5/setrad.yaml.5 /usr/share/doc/setrad/{README.md,CONTRIBUTING.md,docs/policy.md} \
        /usr/share/bash-completion/completions/setractl
    grep -q '^ExecStart=/usr/sbin/setrad$' "$root$unit_dir/setrad.service" || fail "ExecStart= is another program"
}

private() {
    there /opt/setrad/{sbin/setrad,bin/setractl,lib/setrad/policy.d/50-setrad.yaml,lib/tmpfiles.d/setrad.conf} \
        /opt/setrad/lib/systemd/{system/setrad.service,system-preset/90-setrad.preset,catalog/setrad.catalog}
    [ "$(cd "$root" && echo *)" = opt ] || fail "PREFIX=/opt/setrad: installed in $(cd "$root" && echo *)"
    grep -q '^ExecStart=/opt/setrad/sbin/setrad$' "$root/opt/setrad/lib/systemd/system/setrad.service" ||
        fail "PREFIX=/opt/setrad: ExecStart= is another program"
}

elsewhere() { there /opt/setrad/share/systemd/units/setrad.service; }

# pc LINE…: from now on this is systemd.pc
pc() {
    mkdir -p "$work/pc"
    printf '%s\n' "$@" 'Name: systemd' 'Description: of a test' 'Version: 1' >"$work/pc/systemd.pc"
    export PKG_CONFIG_PATH=$work/pc
}
private_arguments=(PREFIX=/opt/setrad SYSCONFDIR=/opt/etc)

round_trip usual /etc
round_trip private /opt/etc "${private_arguments[@]}"
unit_dir=/srv/units installed usual UNITDIR=/srv/units

# Its directories are ours, in our PREFIX. What is not in a prefix at all is only for the system's.
pc prefix=/usr "systemdsystemunitdir=\${prefix}/share/systemd/units"
installed elsewhere "${private_arguments[@]}"
pc systemdsystemunitdir=/nix/units
unit_dir=/nix/units installed usual
installed private "${private_arguments[@]}"

# Without systemd.pc.
cat >"$work/pkg-config" <<'END'
#!/bin/sh
case "$*" in *' systemd') exit 1 ;; esac
exec pkg-config "$@"
END
chmod +x "$work/pkg-config"
installed private "${private_arguments[@]}" PKG_CONFIG="$work/pkg-config"

[ "$failures" -eq 0 ]
