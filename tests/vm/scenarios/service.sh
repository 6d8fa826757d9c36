# SPDX-License-Identifier: MIT
# summary: the unit as installed: up before local file systems are, kept to what it may do, reloaded, watched over
# boot: own
# timeout: 360

expect_restart
show() { systemctl show --property="$1" --value setrad.service; }
dropin=/run/systemd/system/setrad.service.d

# drop_in NAME LINE…: more settings of [Service] for the unit, and a restart with them
drop_in() {
    mkdir -p "$dropin"
    printf '%s\n' '[Service]' "${@:2}" >"$dropin/$1.conf"
    systemctl daemon-reload
    systemctl restart setrad.service
}

drop_out() {
    rm "$dropin/$1.conf"
    systemctl daemon-reload
    systemctl restart setrad.service
}

active_since() { systemctl show --property=ActiveEnterTimestampMonotonic --value "$1"; }

# --- At boot, which this guest has just been through.

up=$(active_since setrad.service) local_fs=$(active_since local-fs.target)
if [ "$up" -eq 0 ] || [ "$up" -ge "$local_fs" ]; then fail "up at $up µs, local-fs.target at $local_fs µs"; fi
note "up $((local_fs - up)) µs before local-fs.target"
assert_eq "$(journalctl --quiet --boot --output=cat _PID=1 | grep -c 'ordering cycle' || true)" 0 "ordering cycles"
complaints=$(journalctl --quiet --boot --output=cat _PID=1 |
    grep -E 'setrad\.service(:|.*:[0-9]+:).*(ignor|nknown|not support|ailed)' || true)
assert_eq "$complaints" "" "what systemd says of the unit"
assert_eq "$(show NRestarts)" 0 "restarts"
assert_eq "$(show WatchdogUSec)" 12min "watchdog"

# --- A second one does not start beside it.

status=0
expect_error "setrad can't start: it is running already"
timeout 20 setrad 2>"$scenario_dir/second" || status=$?
assert_eq "$status" 1 "exit status of a second setrad"
journalctl --quiet --boot --output=cat | grep -q "setrad can't start: it is running already, as process $(setrad_pid);" ||
    fail "no word that it is running already"
assert_eq "$(systemctl is-active setrad.service)" active "the service"

# --- What it may do. A system call that the unit does not allow ends the process now, instead of an error.

drop_in kill 'SystemCallErrorNumber=kill'
# shellcheck disable=SC2317
tells_status() { [[ $(show StatusText) =~ ^[0-9]+\ layers,\ 0\ to\ change,\ 0\ held$ ]]; }
wait_until 5 tells_status
slow_disks 4 512 0
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
lvcreate -qq -y -Wn -Zn -n lv -L 512m vg0
dmsetup create odd --uuid 'My odd uuid' --table '0 100000 linear /dev/md0 2000000'
slow_down 5
setrad_settled
pid=$(setrad_pid)
blockdev --setra 256 /dev/mapper/odd
kill -USR1 "$pid"
wait_until 20 was_changed odd
setrad_settled
note "$(changed_entry odd | jq -r .MESSAGE)"
mbps() { changed_entry odd | jq -r ".SETRAD_MBPS_$1"; }
assert_ratio "$(mbps AFTER)" "$(mbps BEFORE)" '>' 1.5 "a probe under the unit's filter"
# What others have in the page cache of a device of theirs is not told to the service, so it must not read there:
# mincore() never did, cachestat() does not since 6.14. The change is made all the same.
dmsetup create others --table '0 100000 linear /dev/md0 2200000'
chown nobody "$(readlink -f /dev/mapper/others)"
chmod 600 "$(readlink -f /dev/mapper/others)"
setrad_settled
blockdev --setra 256 /dev/mapper/others
kill -USR1 "$pid"
wait_until 20 was_changed others
setrad_settled
note "$(changed_entry others | jq -r .MESSAGE)"
if ! kernel_since 6.5 || kernel_since 6.14; then
    said "others (.*which of its pages are in use is told to its owner only" || fail "the device of others was measured"
fi

policy 10-lv <<'YAML'
version: 1
rules:
  - name: the known fix
    match: {vg: vg0}
    readahead: 8192s
YAML
reload
wait_until 10 ra_is /dev/vg0/lv 8192
lvextend -qq -L 600m vg0/lv
wait_until 10 ra_is /dev/vg0/lv 8192
policy 10-lv <<<'version: 1, rules'
expect_error '10-lv.yaml'
reload
wait_until 10 said 'refused\|10-lv.yaml'
rm /etc/setrad/policy.d/10-lv.yaml
reload
kill -USR2 "$pid"
mdadm --quiet /dev/md0 --fail "${disks[0]}"
wait_until 10 said 'array-degraded'
setrad_settled
assert_eq "$(setrad_pid) $(show NRestarts)" "$pid 0" "the process, and restarts, after all of that"
assert_eq "$(count_said 'could not be changed\|Operation not permitted')" 0 "what it was not allowed to do"
systemctl stop setrad.service
assert_eq "$(show Result)" success "result of a stop"
refused=$(journalctl --quiet --boot --output=cat --dmesg | grep -c 'type=1326.*setrad' || true)
assert_eq "$refused" 0 "system calls refused"
drop_out kill

# try REDIRECTION: whether that opens in the service's control group
group=/sys/fs/cgroup/system.slice/setrad.service/cgroup.procs
try() { (echo "$BASHPID" >"$group" && eval "exec $1") 2>/dev/null; }
for redirection in '</dev/md0' '</dev/mapper/others' '<>/dev/mapper/control'; do
    try "$redirection" || fail "can't be opened in the control group of the service: $redirection"
done
for redirection in '>>/dev/md0' '<>/dev/ram0' '</dev/kmsg'; do
    (eval "exec $redirection") || fail "can't be opened at all: $redirection"
    ! try "$redirection" || fail "opens in the control group of the service: $redirection"
done
note "devices: block devices for reading, and device-mapper"

# in_place COMMAND…: in the service's mount namespace, with all rights
in_place() { nsenter --target "$(setrad_pid)" --mount -- "$@" 2>/dev/null; }
in_place touch /run/setrad/written || fail "nothing can be written in /run/setrad"
rm /run/setrad/written
for directory in / /etc /usr/local /var/tmp /home /root /tmp /run /run/udev /run/systemd/system /dev /dev/shm /sys/block; do
    ! in_place touch "$directory/written" || fail "can be written to by the service: $directory"
done
note "files: /run/setrad for writing"

# --- /etc that can't be written

mount --bind /etc /etc
mount -o remount,bind,ro /etc
blockdev --setra 256 /dev/vg0/lv
systemctl restart setrad.service
wait_until 10 ra_is /dev/vg0/lv 3072
setrad_settled
assert_eq "$(show ActiveState)" active "state with a read-only /etc"
umount /etc

# --- Without a place for the ledger nothing is changed, and that is said.

rm -rf /run/setrad/*
blockdev --setra 256 /dev/vg0/lv
drop_in ledger 'ReadOnlyPaths=/run/setrad'
expect_error 'ledger'
wait_until 10 said 'ead-only file system'
setrad_settled
assert_eq "$(ra /dev/vg0/lv)" 256 "readahead without a ledger"
assert_eq "$(show ActiveState)" active "state without a ledger"
setrad_log | grep -i 'ead-only file system' | head -n 2
drop_out ledger
wait_until 10 ra_is /dev/vg0/lv 3072
setrad_settled

# --- A mount in fstab of an LV over md, that comes when the device does

mkfs.ext4 -q /dev/vg0/lv
echo '/dev/vg0/lv /srv ext4 defaults 0 2' >>/etc/fstab
systemctl daemon-reload
dmsetup remove odd others
vgchange -qq -an vg0
mdadm --quiet --stop /dev/md0
systemctl --no-block start srv.mount
journal_cursor=$(journalctl --quiet -n 0 --show-cursor | sed -n 's/^-- cursor: //p')
mdadm --quiet --assemble --run /dev/md0 "${disks[@]:1}"
udevadm settle
# As left by an initrd, or by whoever is there first.
vgchange -qq --config 'activation { readahead = "none" }' -ay vg0
blockdev --setra 256 /dev/vg0/lv
wait_until 20 mountpoint -q /srv
wait_until 10 ra_is /dev/vg0/lv 3072
setrad_settled
mounted=$(systemctl show --property=ActiveEnterTimestamp --timestamp=us+utc --value srv.mount)
changed=$(changed_entry vg0/lv | jq -r .__REALTIME_TIMESTAMP)
after_usec=$((changed - $(date -d "$mounted" +%s%6N)))
[ "$after_usec" -lt 2000000 ] || fail "changed only $after_usec µs after the mount"
note "changed $((after_usec / 1000)) ms after the mount"
umount /srv
sed -i '/\/srv/d' /etc/fstab
systemctl daemon-reload

# --- The watchdog: nothing happens while the service is well, without any event, and a hanging one is replaced.

drop_in watchdog 'WatchdogSec=5s' 'TimeoutAbortSec=1s'
pid=$(setrad_pid)
pause 12
assert_eq "$(setrad_pid)" "$pid" "the process after 12 s with a watchdog of 5 s"
expect_error 'Watchdog timeout'
kill -STOP "$pid"
# shellcheck disable=SC2317
replaced() { [ "$(setrad_pid)" != "$pid" ] && [ "$(show ActiveState)" = active ]; }
wait_until 20 replaced
assert_eq "$(show NRestarts)" 1 "restarts by the watchdog"
