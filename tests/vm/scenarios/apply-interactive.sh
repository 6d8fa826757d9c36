# SPDX-License-Identifier: MIT
# summary: setractl apply --interactive does what is answered; interrupted, it leaves device and ledger in order
# boot: shared
# timeout: 120

expect_restart
systemctl stop setrad.service
slow_disks 4 64 0
md_create md0 5 64 "${disks[@]}"
for map in a b c d; do
    dmsetup create $map --readahead 256 --table '0 131072 linear /dev/md0 0'
done
udevadm settle
policy 10-maps <<'YAML'
version: 1
rules:
  - {name: more, match: {name: [a, b, c, d]}, readahead: 1024s, direction: both, probe: {when: never}}
YAML
values() { for map in a b c d; do ra /dev/mapper/$map; done | paste -sd ' '; }
entry() { jq -r --arg l "$1" ".entries[] | select(.change.label == \$l) | $2" /run/setrad/ledger.json; }

# on_terminal ANSWERS COMMAND: what it prints on a terminal, where this is typed
on_terminal() { printf '%b' "$1" | script -qec "$2" /dev/null | tr -d '\r'; }

# answer ANSWERS VALUES [ARGUMENT…]: what comes of them
answer() {
    local answers=$1 expected=$2
    shift 2
    on_terminal "$answers" "setractl apply --color=never --interactive $*" >"$scenario_dir/out"
    cat "$scenario_dir/out"
    assert_eq "$(values)" "$expected" "readahead after $answers"
}
answer '\n' '256 256 256 256' /dev/mapper/a
answer 'q\n' '256 256 256 256'
answer 'n\ny\nq\n' '256 1024 256 256'
assert_eq "$(grep -c -- '- [a-d] (.* 256 sectors' "$scenario_dir/out")" 3 "changes shown"
assert_eq "$(entry b '"\(.original_sectors) \(.change.pending)"')" '256 false' "the ledger"
answer 'what\nn\na\n' '256 1024 1024 1024'
assert_eq "$(entry a .original_sectors)" '' "what is on record of the one that was not changed"
answer 'y\n' '1024 1024 1024 1024'
answer '' '1024 1024 1024 1024'
grep -q '^Nothing to change' "$scenario_dir/out" || fail "no word that there is nothing"

# Advice: only when the service is not running.
on_terminal '' 'setractl scan' | grep -q "^The service is not running: 'systemctl enable --now setrad' starts it" || fail "no advice"

# Interrupted while it measures the first of two: that one stands, as it is on record, and the other is not begun.
setractl revert --all
policy 10-maps <<'YAML'
version: 1
rules:
  - {name: most, match: {name: [a, b]}, readahead: 2048s, direction: both, probe: {when: change, time: 20s, runs: 16, bytes: 32MiB}}
YAML
slow_down 20
for signal in INT TERM HUP; do
    # The shell lets what runs in the background ignore SIGINT.
    env --default-signal=INT setractl apply >"$scenario_dir/out" 2>&1 &
    pid=$!
    wait_until 10 ra_is /dev/mapper/a 2048
    pause 1
    kill -$signal $pid
    status=0
    wait $pid || status=$?
    cat "$scenario_dir/out"
    assert_eq "$status" $((128 + $(kill -l $signal))) "exit status after SIG$signal"
    grep -q '^a (.*readahead 256 → 2048 .*; not measured: it was interrupted$' "$scenario_dir/out" || fail "no word of the change"
    assert_eq "$(ra /dev/mapper/a) $(ra /dev/mapper/b)" '2048 256' "readahead after SIG$signal"
    assert_eq "$(entry a '"\(.original_sectors) \(.change.new_sectors) \(.change.pending)"')" '256 2048 false' "the ledger"
    setractl revert a
    assert_eq "$(ra /dev/mapper/a)" 256 "readahead after revert"
    rm /run/setrad/ledger.json # else what was put back stays so
done

# On a terminal there is a bar meanwhile, and it is gone in the end; what is interrupted there by Ctrl-C, too.
(sleep 4; printf '\003') | script -qec 'setractl apply' "$scenario_dir/typescript" >/dev/null || true
grep -q 'a (dm-.*runs' "$scenario_dir/typescript" || fail "no bar: $(cat -v "$scenario_dir/typescript")"
tr -d '\r' <"$scenario_dir/typescript" | grep -q 'not measured: it was interrupted' || fail "not interrupted: $(cat -v "$scenario_dir/typescript")"
assert_eq "$(ra /dev/mapper/a) $(ra /dev/mapper/b)" '2048 256' "readahead after Ctrl-C"
assert_eq "$(entry a .change.pending)" false "pending after Ctrl-C"
systemctl start setrad.service
setrad_settled
if on_terminal '' 'setractl scan' | grep -q 'not running'; then fail "the service is running"; fi
