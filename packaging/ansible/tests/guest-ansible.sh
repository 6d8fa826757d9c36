# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced in a guest of tests/vm, which has Python and no network: lends it the host's Ansible, through hostfs. Host and
# guest are of the same release.

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
