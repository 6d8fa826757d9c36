#!/bin/bash
# SPDX-License-Identifier: MIT
# setractl capture, and --root over what it has written.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

export TMPDIR=$work/tmp
mkdir "$TMPDIR"

# assert_same ROOT OTHER: scan says the same of both, notes included
assert_same() {
    "$setractl" scan --json --root "$1" >"$work/one" 2>&1 || fail "scan --root $1 fails"
    "$setractl" scan --json --root "$2" >"$work/two" 2>&1 || fail "scan --root $2 fails"
    cmp -s "$work/one" "$work/two" || fail "scan of $2 is not that of $1: $(diff "$work/one" "$work/two" | head -n 10)"
}

# Every fixture: through a capture nothing is lost, and a capture of a capture is the same.
mkdir "$work/cases" "$work/dumps"
tests/fixtures/make-root "$work/cases" tests/fixtures/cases/*.json
for case in "$work"/cases/*; do
    run 0 capture --root "$case" "$case.tar"
    empty out
    assert_same "$case" "$case.tar"
done
for dump in tests/fixtures/dumps/*.tar.xz; do
    name=$(basename "$dump" .tar.xz)
    run 0 capture --root "$dump" "$work/dumps/$name.tar"
    assert_same "$dump" "$work/dumps/$name.tar"
    run 0 capture --root "$work/dumps/$name.tar" "$work/dumps/$name-again.tar"
    [ "$(tar -tf "$work/dumps/$name.tar")" = "$(tar -tf "$work/dumps/$name-again.tar")" ] || fail "$name: not the same twice"
done

# This machine, as far as this user may look.
run 0 capture "$work/live.tar.zst"
[ "$(stat -c %a "$work/live.tar.zst")" = 600 ] || fail "a capture can be read by others"

# In all forms; by pipe; unpacked; in a directory of its own.
raid5_root
for form in tar tar.gz tgz tar.xz txz tar.zst tzst; do
    run 0 capture --root "$root" "$work/form.$form"
    assert_same "$root" "$work/form.$form"
done
"$setractl" capture --root "$root" - >"$work/pipe.tar" 2>/dev/null || fail "capture to a pipe"
mkdir -p "$work/unpacked/inner"
tar -xf "$work/pipe.tar" -C "$work/unpacked/inner" || fail "tar can't read a capture"
assert_same "$root" "$work/unpacked/inner"
for file in ro queue/logical_block_size queue/physical_block_size; do
    [ -n "$(find "$work/unpacked" -path "*/md0/$file")" ] || fail "a capture has no $file"
done
tar -cjf "$work/inner.tar.bz2" -C "$work/unpacked" inner
assert_same "$root" "$work/inner.tar.bz2"
"$setractl" scan --json --root <(cat "$work/pipe.tar") 2>/dev/null | cmp -s - <("$setractl" scan --json --root "$root" 2>/dev/null) ||
    fail "scan of a pipe"

# An existing file stays, unless it is to go.
echo precious >"$work/form.tar"
run 1 capture --root "$root" "$work/form.tar"
expect err "form.tar exists already; --force replaces it"
[ "$(cat "$work/form.tar")" = precious ] || fail "an existing file was replaced"
run 0 capture --force --root "$root" "$work/form.tar"
assert_same "$root" "$work/form.tar"
run 1 capture --force --root "$root" "$work/nowhere/x.tar"
expect err 'No such file or directory'
# libarchive leaks a buffer where it can't write.
ASAN_OPTIONS=detect_leaks=0 "$setractl" capture --root "$root" - >/dev/full 2>"$work/err" && fail "a full disk is a success"
last='setractl capture - >/dev/full'
expect err '^setractl: cannot write the capture: .*No space left on device'

usage_error capture
expect err 'capture needs FILE'
usage_error capture a.tar b.tar
usage_error capture --root "$root" "$work/x.zip"
expect err 'ends in .tar'
usage_error capture --json x.tar
run 0 capture --help
expect out '^setractl capture FILE '
expect out 'mount points'
expect out '--with-identifiers'

# Keys, serial numbers and names.
new_root
block sda 8:0 4194304 256 512 0
block dm-0 253:0 2097152 256 512 0
over dm-0 sda
map dm-0 $'an\\x20odd\\x0aname' CRYPT-LUKS2-1 0 "0 2097152 crypt aes-xts-plain64 00112233445566778899 0 8:0 8"
mkdir -p "$root/run/udev/data"
printf 'E:ID_SERIAL_SHORT=S3R1AL\nE:ID_MODEL=disk\n' >"$root/run/udev/data/b8:0"
printf '36 1 0:44 / /srv/far rw - nfs4 server:/far rw\n' >>"$root/proc/self/mountinfo"
mkdir -p "$root/proc/sys/kernel"
echo h0stname >"$root/proc/sys/kernel/hostname"
run 0 capture --root "$root" "$work/secret.tar"
assert_same "$root" "$work/secret.tar"
for word in 00112233 S3R1AL server: h0stname; do
    if grep -qaF "$word" "$work/secret.tar"; then fail "a capture holds $word"; fi
done
run 0 capture --with-identifiers --root "$root" "$work/identified.tar"
for word in S3R1AL h0stname; do
    grep -qaF "$word" "$work/identified.tar" || fail "--with-identifiers: no $word"
done
if grep -qaF 00112233 "$work/identified.tar"; then fail "--with-identifiers: a capture holds a key"; fi

# What multipath calls a LUN, and the name of the machine, in names of maps: the same stack under other names.
wwid=3600508b400105e210000900000490000
new_root
block sda 8:0 4194304 256 512 0
block md_web1 9:127 4194304 256 262144 786432
array md_web1 raid5 262144 sda
for n in 0 1 2; do block dm-$n 253:$n 2097152 256 262144 786432; done
over dm-0 sda
over dm-1 dm-0
over dm-2 md_web1
map dm-0 $wwid mpath-$wwid 0 '0 2097152 multipath 0 0 1 1 service-time 0 1 2 8:0 1 1'
map dm-1 $wwid-part1 part1-mpath-$wwid 0 '0 2097152 linear 253:0 8'
map dm-2 web1--vg-root ${lvm_uuid}000000000000000000000000000000a1 0 '0 2097152 linear 9:127 0'
block loop0 7:0 4194304 256 512 0
mkdir "$root/sys/devices/virtual/block/loop0/loop"
echo "/srv/web1/$wwid/image" >"$root/sys/devices/virtual/block/loop0/loop/backing_file"
printf '36 1 253:1 / /srv/web1/%s rw - ext4 /dev/mapper/%s-part1 rw\n' $wwid $wwid >>"$root/proc/self/mountinfo"
mkdir -p "$root/proc/sys/kernel"
echo web1.example.com >"$root/proc/sys/kernel/hostname"
run 0 capture --root "$root" "$work/names.tar"
mkdir "$work/names"
tar -xf "$work/names.tar" -C "$work/names"
for word in $wwid 600508b4 web1; do
    if grep -rF -e "$word" "$work/names"; then fail "a capture holds $word"; fi
    [ -z "$(find "$work/names" -name "*$word*")" ] || fail "$word is in the name of a file of a capture"
done
run 0 scan --json --root "$root"
sed -e "s/$wwid/wwid-0001/g; s/web1/host-0001/g" "$work/out" | jq -S '[.layers[]] | sort_by(.name)' >"$work/one"
run 0 scan --json --root "$work/names.tar"
jq -S '[.layers[]] | sort_by(.name)' "$work/out" >"$work/two"
diff "$work/one" "$work/two" >"$work/difference" || fail "other names, another tree: $(head -n 10 "$work/difference")"
query '[.layers[] | select(.name == "loop0") | .below[]]' '["dm-1"]'
run 0 capture --root "$work/names.tar" "$work/names-again.tar"
assert_same "$work/names.tar" "$work/names-again.tar"
run 0 capture --with-identifiers --root "$root" "$work/all-names.tar"
assert_same "$root" "$work/all-names.tar"

# The child that clears up may need a moment when nobody waits for it.
assert_nothing_left() {
    for ((i = 0; i < 100; i++)); do
        [ -n "$(ls -A "$TMPDIR")" ] || return
        sleep 0.05
    done
    fail "$1: left in TMPDIR: $(ls -A "$TMPDIR")"
}

# However setractl ends while it reads an archive, nothing is left: here the end of the archive does not come.
mkfifo "$work/endless.tar"
for signal in INT TERM HUP PIPE QUIT KILL; do
    exec 9<>"$work/endless.tar"
    env --default-signal "$setractl" scan --root "$work/endless.tar" >"$work/out" 2>"$work/err" 9>&- &
    reader=$!
    head -c 2048 "$work/pipe.tar" >&9
    for ((i = 0; i < 100; i++)); do
        [ -z "$(ls -A "$TMPDIR")" ] || break
        sleep 0.05
    done
    [ -n "$(ls -A "$TMPDIR")" ] || fail "nothing in TMPDIR while an archive is read"
    kill -"$signal" $reader
    { wait $reader; } 2>/dev/null
    [ $? -eq $((128 + $(kill -l "$signal"))) ] || fail "setractl is not ended by SIG$signal"
    exec 9>&-
    assert_nothing_left "after SIG$signal"
done
"$setractl" scan --json --root "$work/dumps/loops.tar" 2>/dev/null | head -n 1 >/dev/null
assert_nothing_left "after a closed pipe"

# Archives that nobody should trust: one line, status 1, and nothing left behind.
stacks_policy
mkdir "$work/bad"
printf 'x' >"$work/bad/file"
ln "$work/bad/file" "$work/bad/hard"
ln -s / "$work/bad/out"
tar -cf "$work/bad/dots.tar" -C "$work/bad" --transform 's,^,../,' file
tar -cPf "$work/bad/absolute.tar" "$work/bad/file"
tar -cf "$work/bad/hard.tar" -C "$work/bad" file hard
tar -cf "$work/bad/link.tar" -C "$work/bad" --transform 's,^file,out/file,' out file
truncate -s 1G "$work/bad/zeros"
tar -cf - -C "$work/bad" zeros | gzip -1 >"$work/bad/zeros.tar"
tar -cSf "$work/bad/holes.tar" -C "$work/bad" zeros
echo text >"$work/bad/text.tar"
: >"$work/bad/empty.tar"
for bad in "$work"/bad/*.tar; do
    run 1 scan --policy "$work/policy.yaml" --root "$bad"
    expect err "^setractl: cannot open .*${bad##*/}: "
    one_line err
done
[ -z "$(ls -A "$TMPDIR")" ] || fail "left in TMPDIR: $(ls -A "$TMPDIR")"

finish
