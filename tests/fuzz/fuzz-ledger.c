/* SPDX-License-Identifier: MIT */

/* Ledgers: what loads is written as a ledger that loads, and is the same then. */

#include <errno.h>

#include "common/ledger-private.h"
#include "tests/fuzz/fuzz.h"

static void check_entries(const struct ledger *ledger) {
        FUZZ_CHECK(ledger_count(ledger) <= LEDGER_ENTRIES_MAX);
        for (size_t i = 0; i < ledger_count(ledger); i++) {
                const struct ledger_entry *entry = ledger_get(ledger, i);

                FUZZ_CHECK(entry->label && entry->rule && entry->gain >= 0 && entry->gain_low >= 0 &&
                                entry->gain_high >= 0);
                FUZZ_CHECK(ledger_find(ledger, &entry->device) == entry);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new(), *again = ledger_new();
        _cleanup_(freep) char *text = NULL, *same = NULL;
        int r;

        r = ledger_parse(ledger, (const char *)data, size);
        FUZZ_CHECK(r == 0 || r == -EBADMSG);
        if (r < 0)
                return 0;
        check_entries(ledger);
        text = ledger_format(ledger);
        FUZZ_CHECK(text && ledger_parse(again, text, strlen(text)) == 0);
        same = ledger_format(again);
        FUZZ_CHECK(same && strcmp(text, same) == 0);
        return 0;
}
