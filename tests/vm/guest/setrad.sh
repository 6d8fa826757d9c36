# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the agent: the state of setrad before a scenario, and what must hold after it.

setrad_pid() { systemctl show --property=MainPID --value setrad.service; }
setrad_is_active() { systemctl is-active --quiet setrad.service; }

# setrad_is_absent: this guest was booted without setrad; a scenario may have installed it since
setrad_is_absent() { [ -e /var/lib/setrad-vm.absent ]; }
# setrad_is_as_wanted: before the scenario
setrad_is_as_wanted() { if setrad_is_absent; then ! [ -e /usr/sbin/setrad ]; else setrad_is_active; fi; }
setrad_wanted() { if setrad_is_absent; then echo absent; else echo active; fi; }

# open_files PID: how many descriptors it has, without that of the ledger, which setrad holds open once there is one
open_files() { readlink "/proc/$1/fd"/* | grep -cv '^/run/setrad/ledger.json'; }

# setrad_fresh: as installed and just started
setrad_fresh() {
    systemctl stop setrad.service
    rm -rf /etc/setrad /run/setrad
    cp -a /var/lib/setrad-vm.etc /etc/setrad
    if ls -d /{etc,run}/systemd/system/setrad.service.d >/dev/null 2>&1; then
        rm -rf /{etc,run}/systemd/system/setrad.service.d
        systemctl daemon-reload
    fi
    systemctl reset-failed setrad.service 2>/dev/null
    systemctl start setrad.service
}

# setrad_baseline: sets pid_before, files_before and cursor
setrad_baseline() {
    udevadm settle
    pid_before=$(setrad_pid)
    files_before=$(open_files "$pid_before")
    cursor=$(journalctl --quiet -n 0 --show-cursor | sed -n 's/^-- cursor: //p')
}

# check_process: it is the same as before, and has no more files open
check_process() {
    local pid tries files
    if ! setrad_is_active; then
        echo "setrad.service is not active at the end: $(systemctl show --property=Result setrad.service)"
        return
    fi
    pid=$(setrad_pid)
    if [ "$pid" != "$pid_before" ] && [ ! -e "$scenario_dir/expect-restart" ]; then
        echo "setrad was restarted (process $pid_before, now $pid)"
    fi
    for tries in {1..25}; do
        files=$(open_files "$pid")
        [ "$files" -gt "$files_before" ] || break
        pause 0.2
    done
    if [ "$files" -gt "$files_before" ]; then
        echo "setrad had $files_before open files before and has $files after the scenario ($tries looks)"
        ls -l "/proc/$pid/fd"
    fi
}

# check_errors: it logged none but those that were expected
check_errors() {
    local errors
    touch "$scenario_dir/expect-errors"
    journalctl --quiet --sync
    errors=$(journalctl --quiet --after-cursor="$cursor" --unit=setrad.service --priority=err --output=cat \
        | grep -vEf "$scenario_dir/expect-errors")
    [ -z "$errors" ] || echo "setrad logged an error: $errors"
}

# setrad_checks: prints a line for each thing that is wrong. Called when the stack is gone again.
setrad_checks() {
    setrad_is_absent || check_process
    check_errors
}
