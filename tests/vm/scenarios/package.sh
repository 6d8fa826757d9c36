# SPDX-License-Identifier: MIT
# summary: the Debian package: install, upgrade with edited files, remove, purge without a trace, install again
# boot: own
# setrad: absent
# host: tests/vm/host/deb
# timeout: 300

packages=/host/vm/host/package
lv=/dev/vg0/lv0
export DEBIAN_FRONTEND=noninteractive
# The image leaves out documentation; a machine does not.
rm -f /etc/dpkg/dpkg.cfg.d/99mmdebstrap

# files: all that is on the machine but for what dpkg, apt, udev, the journal and the harness themselves write
files() {
    find / /run -xdev \
        \( -path /run/udev -o -path /run/log -o -path /run/lock -o -path /run/setrad-vm -o -path /run/systemd \
        -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache/apt -o -path /var/log \) -prune \
        -o -type f -printf '%p %m %u %s\n' -o -printf '%p %y %m %u %l\n' | sort -u
    find /run/systemd /var/lib/dpkg /var/log -name '*setrad*' -not -path '/run/systemd/units/*'
}

service_state() { systemctl show --property=ActiveState --property=UnitFileState --value setrad.service | paste -sd' '; }

# installed: what must be true after each installation
installed() {
    assert_eq "$(service_state)" "active enabled" "the service"
    assert_eq "$(setractl --version)" "setractl $(dpkg-query -W -f '${Version}' setrad)" "version"
    wait_until 30 ra_is $lv 3072
}

sum() { md5sum "$@" | md5sum; }
originals() { jq -c '[.entries[] | [.change.label, .original_sectors]] | sort' /run/setrad/ledger.json; }

ram_disks 4
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
lvcreate -qq -y -Wn -Zn -r 256 -n lv0 -L 64m vg0
udevadm settle
assert_eq "$(ra $lv)" 256 "readahead of the LV"
files >before

# --- install

start=$(now_usec)
dpkg -i $packages/first.deb
note "installed in $((($(now_usec) - start) / 1000)) ms"
installed
wait_until 30 was_changed vg0/lv0
journalctl --quiet --catalog --unit=setrad.service --after-cursor="$journal_cursor" |
    grep -q 'Subject: The readahead of vg0/lv0 was changed' || fail "journalctl -x has no text for the change"
for file in man/man8/setrad.8.gz man/man8/setractl.8.gz man/man5/setrad-policy.5.gz man/man5/setrad.yaml.5.gz \
    bash-completion/completions/setractl doc/setrad/docs/policy.md doc/setrad/LICENSE; do
    [ -s "/usr/share/$file" ] || fail "there is no /usr/share/$file"
done
setractl check-policy
setractl scan >scanned
grep -q 'vg0/lv0 .* 3072' scanned || fail "setractl scan: $(<scanned)"
setrad_settled
assert_eq "$(dpkg --verify setrad)" "" "files that differ from the package's"
assert_eq "$(originals)" '[["vg0/lv0",256]]' "originals in the ledger"

# --- upgrade, as unattended-upgrades does it

policy 10-local <<'YAML'
version: 1
rules:
  - {name: mine, match: {name: nobody}, readahead: 8192s}
YAML
printf 'version: 1\nreconcile: 10min\n' >>/etc/setrad/setrad.yaml
reload
mine=$(sum /etc/setrad/policy.d/10-local.yaml /etc/setrad/setrad.yaml)
pid=$(setrad_pid)
apt-get -qq -y -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
    install $packages/later.deb
installed
assert_eq "$(dpkg-query -W -f '${Version} ${db:Status-Abbrev}' setrad)" "$(dpkg-deb -f $packages/later.deb Version) ii " "package"
[ "$(setrad_pid)" != "$pid" ] || fail "the service still is the old process"
assert_eq "$(sum /etc/setrad/policy.d/10-local.yaml /etc/setrad/setrad.yaml)" "$mine" "files that were edited"
cmp -s /etc/setrad/setrad.yaml.dpkg-dist /usr/share/doc/setrad/examples/setrad.yaml ||
    fail "the later package's settings are not beside the edited ones"
setrad_settled
assert_eq "$(originals)" '[["vg0/lv0",256]]' "originals in the ledger after the upgrade"
assert_eq "$(setractl revert --all --dry-run)" "vg0/lv0 ($(kname $lv)): readahead 3072 → 256 sectors, its original value" \
    "what revert would do"

# --- remove

printf 'on-stop: revert\n' >>/etc/setrad/setrad.yaml
systemctl restart setrad.service
dpkg -r setrad
assert_eq "$(ra $lv)" 256 "readahead of the LV after the package was removed"
systemctl is-active setrad.service && fail "the service still runs"
assert_eq "$(cd /etc/setrad && find . -name '*.yaml' | sort | paste -sd' ')" "./policy.d/10-local.yaml ./setrad.yaml" "files that stay"
assert_eq "$(find /usr -name '*setra[dc]*' -not -path '/usr/lib/setrad-vm*')" "" "left of the programs"

# --- install again over what has stayed, and purge at once

dpkg -i $packages/later.deb
installed
assert_eq "$(grep -c 'on-stop: revert' /etc/setrad/setrad.yaml)" 1 "settings that have stayed"
dpkg -P setrad
files >after
diff before after || fail "after a purge the machine is not as before"
assert_eq "$(systemctl show --property=LoadState setrad.service)" LoadState=not-found "the unit after a purge"
assert_eq "$(ra $lv)" 256 "readahead of the LV after the purge"

# --- and again, with the package's own tests

dpkg -i $packages/later.deb
installed
# autopkgtest takes a word on standard error for a failure.
$packages/tests/corrects-a-stack 2>errors
assert_eq "$(<errors)" "" "standard error of the package's own tests"
setrad_settled

# --- an upgrade leaves a service that was disabled as it is

systemctl --quiet disable --now setrad.service
dpkg -i $packages/later.deb
assert_eq "$(service_state)" "inactive disabled" "a service that was disabled"
