# SPDX-License-Identifier: MIT
# summary: the Ansible role: rules with errors change nothing; files are removed, switched off and on again as told
# length: long
# boot: own
# timeout: 600

# shellcheck source=packaging/ansible/tests/guest-ansible.sh
. /host/vm/packaging/ansible/tests/guest-ansible.sh
lend_ansible
build_for_ansible
play 0
wait_until 20 ra_is /dev/mapper/lin 1024
before=$(state)

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
