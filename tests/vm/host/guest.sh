# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by run, in a subshell for each slot: starts one guest, talks with it, and ends it.
#
# State of the slot's guest: guest_pid (empty: none), guest_dir, from_guest and to_guest (descriptors), guest_partial
# (a line that has not come to its end yet), guest_setrad (installed, or absent).

memory_mib=1024
boot_limit=120

# memory_fits N: there is room in /dev/shm for the memory of so many guests
memory_fits() {
    local free
    free=$(df --output=avail --block-size=1M /dev/shm 2>/dev/null | tail -n 1)
    [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ "${free:-0}" -gt $((memory_mib * $1)) ] \
        && ! findmnt -no OPTIONS /dev/shm | grep -qw noexec
}

# memory_dir: where the guests' memory files live; UML deletes each as soon as it is open
memory_dir() { if memory_fits "$jobs"; then echo /dev/shm; else echo "$work"; fi; }

# processor N: one of the processors that this process may use. A guest stays on one: the processes it is made of hand
# over to each other all the time, and do so ten times faster where they share a processor.
processor() {
    local range ranges allowed=()
    # as in "pid 5's current affinity list: 0,2-3"
    IFS=, read -ra ranges <<<"$(taskset -cp $$ | sed 's/.*: //')"
    for range in "${ranges[@]}"; do
        mapfile -t -O ${#allowed[@]} allowed < <(seq "${range%-*}" "${range#*-}")
    done
    echo "${allowed[$1 % ${#allowed[@]}]}"
}

# uml_command DIR MODE: sets the array uml, the command line of a guest whose files are in DIR
uml_command() {
    local dir=$1 disk
    for disk in b c; do truncate -s 1G "$dir/disk-$disk"; done
    # The process number makes runs at the same time begin at different processors.
    uml=(
        taskset -c "$(processor $(($$ + slot_number)))" env "TMPDIR=$(memory_dir)" "${uml_program[@]}" "mem=${memory_mib}M"
        "ubd0=$dir/root.cow,$image" "ubd1=$dir/disk-b" "ubd2=$dir/disk-c"
        root=/dev/ubda rw init=/usr/lib/setrad-vm/preinit
        "uml_dir=$dir/" umid=uml "VM_SHARE=$share" "VM_MODULES=$uml_modules" "VM_MODE=$2"
        "VM_SETRAD=$guest_setrad"
        noreboot panic=-1 systemd.show_status=0 systemd.unit=multi-user.target con=null ssl=null
        # devices that nobody uses and udev would have to look at
        pty.legacy_count=0
    )
}

guest_start() {
    guest_dir=$(mktemp -d "$work/guest.XXXXXX")
    guest_partial=
    mkfifo "$guest_dir/from" "$guest_dir/to"
    # Opened for both directions, so that neither side waits for the other.
    exec {from_guest}<>"$guest_dir/from" {to_guest}<>"$guest_dir/to"
    uml_command "$guest_dir" agent
    # A session of its own: all its many processes can be killed by one number, and Ctrl-C does not reach it.
    setsid "${uml[@]}" con0=null,fd:1 "ssl0=fd:$to_guest,fd:$from_guest" \
        </dev/null >"$guest_dir/console" 2>&1 &
    guest_pid=$!
    echo "$guest_pid" >"$guest_dir/pid"
    # The shell would report a guest that panics as an aborted job.
    disown "$guest_pid"
}

# guest_alive: any of its processes is
guest_alive() { [ -n "$guest_pid" ] && kill -0 -- "-$guest_pid" 2>/dev/null; }

guest_send() { printf '%s\n' "$*" >&"$to_guest"; }

# guest_wait TENTHS: until it is gone; returns 1 if it is still there then
guest_wait() {
    local tries
    for ((tries = 0; tries < $1; tries++)); do
        guest_alive || return 0
        sleep 0.1
    done
    return 1
}

# guest_kill: ends all processes of the guest
guest_kill() {
    [ -n "$guest_pid" ] || return 0
    kill -KILL -- "-$guest_pid" 2>/dev/null || true
    guest_wait 50 || echo "run: process group $guest_pid does not go away" >&2
    guest_pid=
    rm -f "$guest_dir/pid"
    exec {from_guest}>&- {to_guest}>&-
}

# guest_stop: asks the guest to go, and makes sure that it does
guest_stop() {
    if guest_alive; then
        guest_send poweroff
        guest_wait 50 || verbose "the guest did not go when asked"
    fi
    guest_kill
}

# guest_line SECONDS: sets line; returns 1 when the guest is gone and 2 when nothing came in time
guest_line() {
    local end=$((SECONDS + $1))
    while :; do
        if IFS= read -r -t 0.5 line <&"$from_guest"; then
            line=${guest_partial}${line%$'\r'}
            guest_partial=
            return 0
        fi
        guest_partial+=$line
        guest_alive || return 1
        # run itself was killed
        kill -0 $$ 2>/dev/null || exit 1
        [ "$SECONDS" -lt "$end" ] || return 2
    done
}

# guest_expect SECONDS FILE: appends output to FILE up to the next control line, of which it sets answer;
# returns as guest_line
guest_expect() {
    local end=$((SECONDS + $1)) line
    while :; do
        guest_line $((end - SECONDS)) || return
        case $line in
            '@@ '*) answer=${line#@@ }; return 0 ;;
            *) printf '%s\n' "$line" >>"$2"; show_output "$line" ;;
        esac
    done
}

# guest_dump: has the kernel write the tasks that are blocked to the console, when the guest hangs
guest_dump() {
    command -v uml_mconsole >/dev/null || return 0
    timeout 5 uml_mconsole "$guest_dir/uml/mconsole" sysrq w >/dev/null 2>&1 || true
}

# guest_console: its console without the noise that UML makes
guest_console() { grep -avs -e 'epollctl add err' "$guest_dir/console" || true; }

# guest_boot: starts a guest and waits until it is ready; returns 1 with boot_error set
guest_boot() {
    local status=0
    guest_start
    guest_expect "$boot_limit" "$guest_dir/boot.log" || status=$?
    case $status in
        0) return 0 ;;
        1) boot_error="the guest ended while it booted" ;;
        *) boot_error="the guest was not ready after $boot_limit s"; guest_dump ;;
    esac
    guest_kill
    return 1
}
