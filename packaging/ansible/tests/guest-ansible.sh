# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154  # set by lib.sh, or used by the scenario
# Sourced in a guest of tests/vm, which has Python and no network: lends it the host's Ansible, through hostfs. Host and
# guest are of the same release. setrad is there already, from the stage: what is tested begins after the package is
# installed.

packaging=/host/vm/packaging
export ANSIBLE_ROLES_PATH=$packaging/ansible/roles

# lend_ansible: from now on there is ansible-playbook
lend_ansible() {
    local host=/run/host-usr modules=lib/python3/dist-packages module
    mkdir -p $host
    mount -r -t hostfs -o /usr none $host
    [ -e $host/bin/ansible-playbook ] || fail "the host has no ansible-playbook: its package ansible-core is missing"
    for module in "$host/$modules"/*; do
        [ -e "/usr/$modules/${module##*/}" ] || echo "$module"
    done | xargs ln -s -t /usr/$modules
    ln -s $host/bin/ansible-playbook /usr/bin/
    # A process costs much here.
    export ANSIBLE_PIPELINING=1 ANSIBLE_PYTHON_INTERPRETER=/usr/bin/python3 LC_ALL=C.UTF-8
}

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

# A map over an array, and the role's variables for it in vars.yml. Sets pid, that of the service.
build_for_ansible() {
    ram_disks 4
    md_create md0 5 256 "${disks[@]}"
    linear_map lin /dev/md0
    wait_until 20 ra_is /dev/mapper/lin 3072
    setrad_settled
    pid=$(setrad_pid)
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
}
