# SPDX-License-Identifier: MIT
# summary: the Ansible role: check mode shows the plan, a run puts it in force, a second one changes nothing
# boot: own
# timeout: 600

# shellcheck source=packaging/ansible/tests/guest-ansible.sh
. /host/vm/packaging/ansible/tests/guest-ansible.sh
lend_ansible
build_for_ansible

# --- check mode

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
series "$packaging/prometheus/sample.prom" | diff - written || fail "sample.prom is not what setrad writes"

before=$(state)
play 0
assert_eq "$(changed)" 0 "changes of a second run"
assert_eq "$(state)" "$before" "state after a second run"
shown 'Nothing to change'
