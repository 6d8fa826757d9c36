# SPDX-License-Identifier: MIT
# summary: no permission, no control node of device-mapper, no udevd, no policy: each told of in a sentence, the rest works
# boot: own
# timeout: 120

ram_disks 3
md_create md0 5 64 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
lvcreate -qq -y -Wn -Zn -n lv -L 64m vg0
setrad_settled

# scan_as COMMAND…: output in $scenario_dir/out and err; must succeed
scan_as() { "$@" setractl scan --json >"$scenario_dir/out" 2>"$scenario_dir/err" || fail "$* setractl scan: $(<"$scenario_dir/err")"; }
of_lv() { jq -r ".layers[] | select(.label == \"vg0/lv\") | $1" "$scenario_dir/out"; }
told() { grep -q "$1" "$scenario_dir/err" || fail "no word about it: $(<"$scenario_dir/err")"; }

scan_as env
assert_eq "$(<"$scenario_dir/err")" "" "notes where nothing is missing"
assert_eq "$(of_lv .kind)" dm-linear "kind of the LV"

scan_as setpriv --reuid=65534 --regid=65534 --clear-groups
told "Device-mapper can't be asked (Permission denied)"
assert_eq "$(of_lv '.below[]')" md0 "below the LV, without permission"
assert_eq "$(of_lv .readahead_sectors)" 512 "readahead of the LV, without permission"
assert_eq "$(jq -r '.layers[] | select(.name == "md0").geometry.stripe_bytes' "$scenario_dir/out")" 131072 "stripe of the array"

status=0
setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all setractl apply 2>"$scenario_dir/err" || status=$?
assert_eq "$status" 1 "exit status of apply without permission"
told CAP_SYS_ADMIN

mv /dev/mapper/control /dev/mapper-control
scan_as env
mv /dev/mapper-control /dev/mapper/control
told '/dev/mapper/control is missing'
assert_eq "$(of_lv '.below[]')" md0 "below the LV, without a control node"

systemctl stop systemd-udevd-kernel.socket systemd-udevd-control.socket systemd-udevd.service
scan_as env
systemctl start systemd-udevd-control.socket systemd-udevd-kernel.socket systemd-udevd.service
told 'udevd is not running'
assert_eq "$(of_lv .kind)" dm-linear "kind of the LV, without udevd"

# The service without any policy goes on with what it had; started without one it waits for a good one.
expect_error 'policy refused'
mkdir /run/policies
mv /usr/lib/setrad/policy.d/* /run/policies
reload
wait_until 10 said 'policy refused: .*the policy before it stays in force'
lvcreate -qq -y -Wn -Zn -r 128 -n second -L 64m vg0
wait_until 10 ra_is /dev/vg0/second 512
expect_restart
systemctl restart setrad.service
wait_until 10 said 'policy refused: .*nothing is changed until there is a good one'
lvcreate -qq -y -Wn -Zn -r 128 -n third -L 64m vg0
setrad_settled
assert_eq "$(ra /dev/vg0/third)" 128 "readahead without a policy"
mv /run/policies/* /usr/lib/setrad/policy.d
reload
wait_until 10 ra_is /dev/vg0/third 512
