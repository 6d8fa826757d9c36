#!/bin/bash
# SPDX-License-Identifier: MIT
# Each MESSAGE_ID has a text in the catalog and the other way round, and no text names a field that nothing sends.
# shellcheck source=tests/cli/lib.bash
. "${0%/*}/lib.bash" || exit 1

# assert_equal GOT WANTED WHAT
assert_equal() { [ "$1" = "$2" ] || fail "$3: $1, wanted $2"; }

catalog=systemd/setrad.catalog
ids=$(sed -n 's/^#define SETRAD_MSG_[A-Z_]* *"\([0-9a-f]\{32\}\)"$/\1/p' daemon/messages.h)
assert_equal "$(grep -c '^#define SETRAD_MSG_' daemon/messages.h)" "$(wc -l <<<"$ids")" "every id is 32 digits of hexadecimal"
assert_equal "$(sort <<<"$ids")" "$(sort -u <<<"$ids")" "no id is there twice"
assert_equal "$(sed -n 's/^-- //p' "$catalog" | sort)" "$(sort <<<"$ids")" "ids with a text are those that are sent"
assert_equal "$(grep -c '^Subject: ' "$catalog")" "$(wc -l <<<"$ids")" "each text has a subject"

sent=$(grep -oh '"SETRAD_[A-Z_]*"' daemon/journal.c | tr -d '"' | sort -u)
named=$(grep -oh '@[A-Z_]*@' "$catalog" | tr -d '@' | sort -u)
assert_equal "$(comm -13 <(echo "$sent") <(echo "$named"))" "" "fields that only the catalog knows"
unused=$(sed -n 's/^#define \(SETRAD_MSG_[A-Z_]*\).*/\1/p' daemon/messages.h | while read -r id; do
    grep -q "$id\b" daemon/journal.c || echo "$id"
done)
assert_equal "$unused" "" "ids that nothing sends"

finish
