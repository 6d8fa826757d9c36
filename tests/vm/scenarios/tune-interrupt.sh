# SPDX-License-Identifier: MIT
# summary: tune that is interrupted or killed at any moment leaves the readahead as it was, or on record; setrad does not stir
# boot: shared
# timeout: 420

slow_disks 4 64 0
md_create md0 5 64 "${disks[@]}"
dmsetup create tuned --readahead 256 --table "0 262144 linear /dev/md0 0"
slow_down 10
# What a rule gives it, so that the service would have something to put right.
policy 10-tuned <<'END'
version: 1
rules:
  - {name: given, match: {name: tuned}, readahead: 1024s, direction: both, probe: {when: never}}
END
reload
wait_until 20 ra_is /dev/mapper/tuned 1024
setrad_settled
before=$(changes_made)
entry() { jq -c '.entries | map(select(.change.label == "tuned"))' /run/setrad/ledger.json; }
record=$(entry)

# interrupt SIGNAL PID USEC
interrupt() {
    pause "$(awk -v u="$3" 'BEGIN { printf "%.4f", u / 1e6 }')"
    kill -"$1" "$2" 2>/dev/null || true
    wait "$2" 2>/dev/null || true
}

RANDOM=20
mended=0
for ((round = 0; round < 30; round++)); do
    signals=(INT TERM KILL HUP QUIT)
    signal=${signals[round % 5]}
    # The shell lets what runs in the background ignore these.
    env --default-signal=INT,QUIT setractl tune /dev/mapper/tuned --bytes=8MiB --time=5s >"$scenario_dir/out" 2>&1 &
    pid=$!
    if ((round % 3)); then limit=600000; else limit=2000000; fi
    interrupt "$signal" "$pid" $(((RANDOM * 32768 + RANDOM) % limit))
    # Its worker is killed with it, and dies a moment later.
    # shellcheck disable=SC2317
    gone() { ! pgrep -x setractl >/dev/null; }
    wait_until 10 gone
    if ! ra_is /dev/mapper/tuned 1024; then
        note "round $round, SIG$signal: $(ra /dev/mapper/tuned) sectors are left, on record: $(entry)"
        [ "$signal" = KILL ] || fail "SIG$signal left $(ra /dev/mapper/tuned) sectors: $(<"$scenario_dir/out")"
        assert_eq "$(entry | jq -c '.[0].change | [.pending, .trial_from_sectors]')" "[true,1024]" "the ledger"
        setractl apply --no-probe /dev/mapper/tuned
        mended=$((mended + 1))
    fi
    ra_is /dev/mapper/tuned 1024 || fail "round $round, SIG$signal: $(ra /dev/mapper/tuned) sectors"
done
note "30 rounds, $mended of them cut off while it had another value"

# One that is killed for certain in between, or its worker: what TOLD tells is true then.
killed_in_between() {
    local told=$1 victim=${2:-} try sectors
    # There is one processor: who looks must come before who is looked at.
    renice -n -10 $$ >/dev/null
    for ((try = 0; try < 200; try++)); do
        nice -n 10 setractl tune /dev/mapper/tuned --bytes=8MiB --time=5s >"$scenario_dir/out" 2>&1 &
        while kill -0 $! 2>/dev/null; do
            read_ra "$(kname /dev/mapper/tuned)"
            if [ "$sectors" != 1024 ]; then
                if [ "$victim" = worker ]; then pkill -KILL -P $! || true; else kill -KILL $!; fi
                break
            fi
        done
        wait $! 2>/dev/null || true
        wait_until 10 gone
        if "$told"; then
            renice -n 0 $$ >/dev/null
            return
        fi
    done
    fail "never killed in between"
}
# shellcheck disable=SC2317
is_left() { ! ra_is /dev/mapper/tuned 1024; }
# shellcheck disable=SC2317
is_mended() { grep -q '→ 1024 sectors, which it had before: what was measuring it was killed' "$scenario_dir/out"; }

# Its parent puts back what it had.
killed_in_between is_mended worker
ra_is /dev/mapper/tuned 1024 || fail "after its worker was killed: $(ra /dev/mapper/tuned) sectors"
note "$(<"$scenario_dir/out")"
# The service does.
killed_in_between is_left
note "left: $(ra /dev/mapper/tuned) sectors"
setractl revert --dry-run tuned
kill -USR1 "$(setrad_pid)"
wait_until 20 ra_is /dev/mapper/tuned 1024
wait_until 5 said '^tuned: readahead .* → 1024 sectors, which it had before: what was measuring it was killed'
killed_in_between is_left
assert_eq "$(setractl revert tuned 2>&1 | tail -n 1)" \
    "tuned ($(kname /dev/mapper/tuned)): readahead 1024 → 256 sectors, its original value" "revert"
setractl apply --no-probe /dev/mapper/tuned
setrad_settled
assert_eq "$(entry | jq -c 'map(.change | .time_usec = 0)')" "$(jq -c 'map(.change | .time_usec = 0)' <<<"$record")" "the ledger"
assert_eq "$(changes_made)" "$before" "changes by the service"
! said 'that setrad set' || fail "drift was told of"
