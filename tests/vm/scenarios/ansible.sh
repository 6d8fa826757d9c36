# SPDX-License-Identifier: MIT
# summary: the Ansible role: check mode shows the plan, a run puts it in force, a second one changes nothing
# boot: own
# timeout: 900
#
# setrad is there already, from the stage: what is tested begins after the package is installed.

packaging=/host/vm/packaging
# shellcheck source=packaging/ansible/tests/guest-ansible.sh
. $packaging/ansible/tests/guest-ansible.sh
lend_ansible
export ANSIBLE_ROLES_PATH=$packaging/ansible/roles

# failed_play TEXT: ends the scenario. What the play said is indented: a line that begins with "@@" is for the harness
failed_play() {
    sed 's/^/    /' play.log
    fail "$1"
}

# play STATUS [OPTION…]: runs the role with the variables in vars.yml; what it says is in play.log
play() {
    local wanted=$1 status=0
    shift
    ansible-playbook -i localhost, -e setrad_manage_package=false -e @vars.yml "$@" $packaging/ansible/tests/play.yml \
        >play.log 2>&1 || status=$?
    [ "$status" = "$wanted" ] || failed_play "ansible-playbook $*: exit status $status, wanted $wanted"
}

# changed: how many tasks the last play has changed something with
changed() { sed -n 's/^localhost .* changed=\([0-9]*\) .*/\1/p' play.log; }

# shown PATTERN: the last play has said a line that matches
shown() {
    grep -q -- "$1" play.log || failed_play "the play does not say '$1'"
    note "the play says: $(grep -m 1 -o -- "$1" play.log)"
}

# state: all that the role may change, in short
state() {
    {
        find /etc/setrad -printf '%p %y %m %l %T@\n' | sort
        systemctl is-enabled setrad.service
        setrad_pid
    } | md5sum
}

loaded() { count_said '^policy loaded'; }

ram_disks 4
md_create md0 5 256 "${disks[@]}"
linear_map lin /dev/md0
wait_until 20 ra_is /dev/mapper/lin 3072
setrad_settled
pid=$(setrad_pid)

# --- check mode

cat >vars.yml <<'YAML'
setrad_policies:
  - name: 10-lin
    rules:
      - {name: by the role, match: {name: lin}, readahead: 1024s, direction: both, probe: {when: never}}
  - name: 20-others
    defaults: {memory-share: off}
    rules:
      - {name: no readahead, match: {name: nobody*}, readahead: off}
setrad_settings: {reconcile: off, metrics-file: /run/setrad/setrad.prom}
YAML
before=$(state)
play 0 --check --diff
shown '+ lin (dm-0 on md0)  1024 sectors'
shown '^+ *readahead: 1024s'
assert_eq "$(changed)" 3 "tasks that would change something: policy, settings, reload"
assert_eq "$(state)" "$before" "state after check mode"
assert_eq "$(ra /dev/mapper/lin)" 3072 "readahead after check mode"
assert_eq "$(loaded)" 0 "policies loaded by check mode"
assert_eq "$(find /tmp -name 'setrad.*')" "" "left behind"

# --- a run, and another one

play 0
shown '+ lin (dm-0 on md0)  1024 sectors'
wait_until 20 ra_is /dev/mapper/lin 1024
assert_eq "$(changed)" 3 "tasks that change something: policy, settings, reload"
assert_eq "$(setrad_pid)" "$pid" "process of the service"
assert_eq "$(loaded)" 1 "policies loaded"
said '^policy loaded: 4 rules from 3 files' || fail "no word of the policy: $(setrad_log)"
changed_entry lin | jq -e '.SETRAD_RULE == "by the role"' >/dev/null || fail "not by the role's rule"

# The figures that the settings ask for are those that the alerts and the dashboard are checked against.
# series FILE: types, and names with the names of their labels
series() { sed -E '/^# HELP/d; s/="[^"]*"//g; /^#/!s/ [^ ]+$//' "$1" | sort -u; }
wait_until 10 test -s /run/setrad/setrad.prom
series /run/setrad/setrad.prom >written
series $packaging/prometheus/sample.prom | diff - written || fail "sample.prom is not what setrad writes"

before=$(state)
play 0
assert_eq "$(changed)" 0 "changes of a second run"
assert_eq "$(state)" "$before" "state after a second run"
shown 'Nothing to change'

# --- a rule with an error

sed -i 's/1024s/1024/' vars.yml
play 2
shown 'failed to validate'
shown '1024: sectors or KiB? write 1024s'
assert_eq "$(state)" "$before" "state after the error"

# What only all files together show: setrad's own rules never win after this one.
cat >vars.yml <<'YAML'
setrad_policies:
  - {name: 00-all, rules: [{name: all, match: {kind: "*"}, readahead: keep}]}
YAML
play 2
shown '10-lin.yaml:[0-9:]* the rule .*by the role.* never wins'
assert_eq "$(state)" "$before" "state after the error of two files"
assert_eq "$(loaded)" 1 "policies loaded, in spite of the errors"

# --- what is not named stays, and goes where that is told; files of the package off and on

policy 90-mine <<'YAML'
version: 1
rules: [{name: mine, match: {name: nobody}, readahead: 8192s}]
YAML
cat >vars.yml <<'YAML'
setrad_policies: [{name: 20-others, state: absent}]
setrad_mask: [50-setrad]
YAML
play 0
assert_eq "$(ls /etc/setrad/policy.d)" "10-lin.yaml
50-setrad.yaml
90-mine.yaml" "files after one was removed and the package's switched off"
assert_eq "$(readlink /etc/setrad/policy.d/50-setrad.yaml)" /dev/null "the package's file"
[ -s /etc/setrad/setrad.yaml ] || fail "the settings are gone"
wait_until 10 said '^policy loaded: 2 rules from 2 files'

cat >vars.yml <<'YAML'
setrad_prune: true
setrad_unmask: [50-setrad]
setrad_settings: {}
YAML
play 0
assert_eq "$(ls /etc/setrad/policy.d)" 90-mine.yaml "files after those of the role were pruned"
wait_until 10 said '^policy loaded: 3 rules from 2 files'
setractl check-policy
assert_eq "$(setrad_pid)" "$pid" "process of the service"
