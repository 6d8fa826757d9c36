# SPDX-License-Identifier: MIT
# summary: every example of README and of the manual, run as it is written: commands, policies and settings
# boot: own
# timeout: 600

readme=/usr/share/doc/setrad/README.md
manual=/usr/share/man

# What is not run, and why. All else is: what is run must do what "says" has of it, or else print something.
declare -A not_here=(
    ['sudo ./demo']='starts a virtual machine itself'
    ['sudo ./check']='runs all tests, this one too'
    ['make check']='there is no source here'
    ["sudo apt-get install \$(grep -v '^#' packages)"]='there is no source here, and no network'
    ['make']='there is no source here'
    ['sudo make install']='there is no source here; the harness has done it'
    ['sudo apt-get install debhelper']='there is no source here, and no network'
    ['dpkg-buildpackage -us -uc -b && sudo apt-get install ../setrad_*.deb']='no source; the scenario package does it'
    ['sudo make uninstall']='there is no source here; tests/cli/install.sh does it'
    ['sudo systemctl disable --now setrad']='what comes after it needs the service; the scenario on-stop ends it'
    ['sudo setractl revert --all']='what comes after it needs what was changed; the scenario revert does it'
    ['man setrad']='no man here; tests/cli/manual-lint.sh has the pages rendered'
    ['man setractl']='no man here'
    ['man setrad.yaml']='no man here'
    ['man setrad-policy']='no man here'
    ['setractl apply --interactive']='nobody is at a terminal; the scenario apply-interactive makes one'
    ['setractl graph --format=svg /srv >srv.svg']='no Graphviz here; tests/cli/graph.sh makes pictures'
)
# What is printed, as an extended regular expression; nothing: it must be silent; *: it may be.
declare -A says=(
    ['sudo systemctl daemon-reload']=''
    ['sudo systemctl enable --now setrad']='*'
    ['systemctl enable --now setrad']='*'
    ['systemctl status setrad']='Active: active \(running\)'
    ['systemctl reload setrad']=''
    ['systemctl kill -s USR1 setrad']=''
    ['systemctl kill -s USR2 setrad']=''
    ['setractl check-policy && systemctl reload setrad']=': good'
    ['setractl']='vg0/data .* dm-linear'
    ['setractl scan']='vg0/data .* dm-linear'
    ['setractl scan -o NAME,MAJ:MIN,USE,RA,TARGET,REASON']='^vg0/data .* 25[0-9]:[0-9]+ +/srv +[0-9]+ +[0-9]+ '
    ['setractl scan --raw --noheadings -o KNAME,RA']='^md0 3072$'
    ["setractl scan --json | jq -r '.layers[] | select(.action == \"raise\") | .label'"]='*'
    ['setractl scan --root FILE.tar.zst']='vg0/data .* dm-linear'
    ['setractl scan --root mystack.tar.zst']='vg0/data .* dm-linear'
    ['setractl capture FILE.tar.zst']=''
    ['setractl capture mystack.tar.zst']=''
    ['setractl plan']='readahead|[Nn]othing'
    ['setractl plan --policy ./10-local.yaml']='^Nothing to change\.$' # it is in force by then
    ['setractl plan --check >/dev/null']=''
    ['setractl scan --inverse']='└─vg0/data '
    ['setractl explain vg0/data']='^vg0/data .*dm-linear'
    ['setractl explain /srv']='^vg0/data .*dm-linear'
    ['setractl check-policy']='[0-9]+ rules from [0-9]+ files?: good'
    ['setractl check-policy ./10-local.yaml']='^2 rules from 1 file: good$'
    ['setractl history vg0/data']='vg0/data .* changed +256 +3072'
    ['setractl history --since yesterday']='vg0/data .* changed +256 +3072'
    ['setractl tune vg0/data']='^Chosen: [0-9]+ sectors'
    ['setractl tune vg0/data --write /etc/setrad/policy.d/20-data.yaml']='^The rule is in /etc/setrad/policy\.d/20-data\.yaml'
    ['setractl probe vg0/data']='^vg0/data .*: sequential read [0-9.]+ MB/s'
    ['setractl probe --below vg0/data']='├─slow[0-9]+ '
    ['setractl apply vg0/data']='^vg0/data .*readahead 256 → '
    ['setractl revert vg0/data']='^vg0/data .*readahead [0-9]+ → 256 sectors'
    ['setractl revert --all --dry-run']='VolGroup00/LogVol00 .*8192 → 256 sectors'
    ['journalctl -u setrad']='vg0/data .*: readahead 256 → 3072 sectors'
    ['journalctl -u setrad -n 50']='setrad\[[0-9]+\]: '
    ['journalctl -b -x SETRAD_LABEL=vg0/data']='^(-- |░░ )Subject: '
    ['journalctl -o json MESSAGE_ID=76133f74eb0948f98133e918f354476a']='"SETRAD_LABEL":"vg0/data"'
)
declare -A seen=()
wrong=0

# complain TEXT: so that all that is wrong is told at once
complain() {
    echo "WRONG: $*"
    wrong=$((wrong + 1))
}

# We are root.
# shellcheck disable=SC2317
sudo() { "$@"; }

# run_example COMMAND
run_example() {
    local command=$1 status=0 wanted=.
    seen[$command]=yes
    [ -z "${not_here[$command]+yes}" ] || { note "not run: $command: ${not_here[$command]}"; return; }
    [ -z "${says[$command]+yes}" ] || wanted=${says[$command]}
    journalctl --quiet --sync
    note "$command"
    # In a shell of its own, whose functions are these.
    (set +e; eval "$command") >"$scenario_dir/out" 2>&1 || status=$?
    [ "$status" -eq 0 ] || complain "'$command': exit status $status: $(<"$scenario_dir/out")"
    case $wanted in
        '*') ;;
        '') [ ! -s "$scenario_dir/out" ] || complain "'$command' says: $(<"$scenario_dir/out")" ;;
        *) grep -Eq -- "$wanted" "$scenario_dir/out" || complain "'$command' says nothing like '$wanted': $(<"$scenario_dir/out")" ;;
    esac
}

# install_policy FILE: what stands on standard input, checked and loaded
install_policy() {
    local loaded
    loaded=$(count_said '^policy loaded')
    policy "$1"
    run_example 'setractl check-policy && systemctl reload setrad'
    # shellcheck disable=SC2317
    is_loaded() { [ "$(count_said '^policy loaded')" -gt "$loaded" ]; }
    wait_until 20 is_loaded
}

# readme_examples: "run COMMAND" and "yaml LINE" in their order: what is in a block, and what code in a sentence begins with
# a program
readme_examples() {
    awk '
        function code(text) {
            while (match(text, /`[^`]+`/)) {
                word = substr(text, RSTART + 1, RLENGTH - 2)
                text = substr(text, RSTART + RLENGTH)
                if (word ~ /^(sudo|make|man|setractl|systemctl|journalctl) /) print "run " word
            }
        }
        /^```/ {language = language == "" ? substr($0, 4) "." : ""; next}
        language == "yaml." {print "yaml " $0; next}
        language == "sh." {print "run " $0; next}
        language != "" {next}
        /^    [^ ]/ {sub(/^    /, ""); sub(/  +# .*/, ""); print "run " $0; next}
        {code($0)}
    ' "$readme"
}

# manual_examples PAGE: the same of its section; "end" ends each block
manual_examples() {
    sed 's/\\-/-/g; s/\\(dq/"/g; s/\\&//g; s/\\e/\\/g' "$manual/$1" | awk '
        /^\.Sh/ {inside = $0 == ".Sh EXAMPLES"; next}
        !inside {next}
        /^\.Dl / {print "run " substr($0, 5)}
        /^\.Bd/ {block = "first"; next}
        /^\.Ed/ {if (block == "yaml") print "end"; block = ""; next}
        block == "first" {block = /^version:/ ? "yaml" : "run"}
        block != "" {print block " " $0}
        /^\.Pa / {print "file " $2}
    '
}

# --- what the examples name: a volume on an array, mounted; another that the README's policy knows

expect_restart
systemctl stop setrad.service
slow_disks 4 512 0
md_create md0 5 256 "${disks[@]}"
slow_disks 2 256 0
md_create md1 0 64 "${disks[@]}"
pvcreate -qq -y /dev/md0 /dev/md1
vgcreate -qq vg0 /dev/md0
vgcreate -qq VolGroup00 /dev/md1
lvcreate -qq -y -Wn -Zn -r 256 -n data -L 512m vg0
lvcreate -qq -y -Wn -Zn -r 256 -n LogVol00 -L 128m VolGroup00
mkfs.ext4 -q -E nodiscard /dev/vg0/data
mount /dev/vg0/data /srv
slow_down 10

# --- README

mapfile -t examples < <(readme_examples)
[ ${#examples[@]} -gt 30 ] || fail "only ${#examples[@]} lines of examples in the README"
printf '%s\n' "${examples[@]}" | sed -n 's/^yaml //p' >10-local.yaml
grep -q '^version: 1$' 10-local.yaml || fail "no policy in the README"
installed=
for example in "${examples[@]}"; do
    case $example in
        'run sudo systemctl enable'*) run_example "${example#run }"; setrad_settled 60 ;;
        run*) run_example "${example#run }" ;;
        yaml*)
            [ -z "$installed" ] || continue
            installed=yes
            install_policy 10-local <10-local.yaml
            setrad_settled
            wait_until 20 ra_is /dev/VolGroup00/LogVol00 8192
            assert_eq "$(ra /dev/VolGroup00/LogVol00)" 8192 "readahead by the README's policy"
            ;;
    esac
done

# --- the manual's commands

for page in man8/setrad.8 man8/setractl.8; do
    mapfile -t examples < <(manual_examples $page)
    [ ${#examples[@]} -gt 5 ] || fail "only ${#examples[@]} examples in $page"
    for example in "${examples[@]}"; do
        [[ $example == run* ]] || fail "$page: an example that is no command: $example"
        run_example "${example#run }"
    done
done

# --- the manual's policies and settings, each alone

# blocks PAGE: writes each to block-N.yaml; its name, where the page says one, to block-N.name
blocks() {
    rm -f block-*
    manual_examples "$1" | awk '
        /^run / {print "no policy: " $0; exit 1}
        /^file / {name = $2}
        /^yaml / {if (!within) ++n; within = 1; print substr($0, 6) > ("block-" n ".yaml")}
        /^end/ {within = 0; if (name != "") print name > ("block-" n ".name"); name = ""}
    ' || fail "$1 has commands among its examples"
    [ -e block-3.yaml ] || fail "$1 has only $(echo block-*)"
}

rm -f /etc/setrad/policy.d/*
blocks man5/setrad-policy.5
for block in block-*.yaml; do
    name=10-example
    [ ! -e "${block%.yaml}.name" ] || name=$(basename "$(<"${block%.yaml}.name")" .yaml)
    install_policy "$name" <"$block"
    rm -f "/etc/setrad/policy.d/$name.yaml"
done
setrad_settled

blocks man5/setrad.yaml.5
for block in block-*.yaml; do
    settings <"$block"
    assert_eq "$(setractl check-policy | tail -n 1)" "settings from /etc/setrad/setrad.yaml: good" "settings of ${block%.yaml}"
    run_example 'systemctl reload setrad'
    setrad_settled
    grep -q '^metrics-file:' "$block" || continue
    grep -q '^setrad_layers' /run/setrad/setrad.prom || fail "no figures in /run/setrad/setrad.prom"
    measured=yes
done
[ "${measured-}" = yes ] || fail "no example writes figures"
said refused && fail "something was refused: $(setrad_log | grep refused)"

# --- what is listed here is in there

for command in "${!not_here[@]}" "${!says[@]}"; do
    [ -n "${seen[$command]-}" ] || complain "no example is '$command' any more"
done
assert_eq "$wrong" 0 "examples that are wrong"
