# SPDX-License-Identifier: MIT
# summary: five minutes without events: no wakeup but for the slow look at everything; memory printed
# length: long
# boot: own
# processor: own
# timeout: 900

expect_restart
ram_disks 4
md_create md0 5 256 "${disks[@]}"
pvcreate -qq -y /dev/md0
vgcreate -qq vg0 /dev/md0
for i in {1..10}; do lvcreate -qq -y -Wn -Zn -r 256 -n "lv$i" -L 16m vg0; done
setrad_settled 60
pid=$(setrad_pid)

# Each time that a process waits and is woken counts one.
wakeups() { awk '/^voluntary_ctxt_switches/ { print $2 }' "/proc/$pid/status"; }

# What one look costs, to compare with.
settings <<'YAML'
version: 1
reconcile: 10s
YAML
reload
setrad_settled
before=$(wakeups)
pause 60
per_look=$((($(wakeups) - before + 4) / 5))
note "wakeups in a minute with a look every 10 s: $(($(wakeups) - before)), so about $per_look for each"

settings <<'YAML'
version: 1
reconcile: off
YAML
# The first answer to the watchdog is due half its time after the start: 6 min.
systemctl restart setrad.service
pid=$(setrad_pid)
setrad_settled
pause 2
before=$(wakeups)
pause 300
woken=$(($(wakeups) - before))
assert_eq "$woken" 0 "wakeups in 300 s without reconcile"

rm /etc/setrad/setrad.yaml
reload
setrad_settled
before=$(wakeups)
pause 330
woken=$(($(wakeups) - before))
note "wakeups in 330 s with one look of the default 5 min: $woken"
assert_ratio "$woken" "$per_look" '<=' 1 "wakeups, compared with what a look costs"

anonymous=$(memory "$pid" Anonymous)
resident=$(memory "$pid" Rss)
udevd=$(pgrep -o systemd-udevd)
note "setrad: $anonymous KiB anonymous, $resident KiB resident; udevd: $(memory "$udevd" Anonymous) and $(memory "$udevd" Rss)"
assert_ratio "$anonymous" 2048 '<' 1 "anonymous memory, of 2 MiB"
assert_ratio "$resident" 8192 '<' 1 "resident memory, of 8 MiB"
