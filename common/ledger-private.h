/* SPDX-License-Identifier: MIT */
#pragma once

/* The ledger in memory, and as text; for ledger.c, ledger-json.c and ledger-file.c. */

#include "ledger.h"

/* Of a file; LEDGER_ENTRIES_MAX ordinary entries are far smaller. */
#define LEDGER_BYTES_MAX ((size_t)32 << 20)

#define LEDGER_BUCKETS 1024U

struct ledger_record {
        struct ledger_record *next; /* of the same bucket */
        struct ledger_entry entry;
        bool has_previous; /* while pending: what stands again if the change is not made */
        struct ledger_entry previous;
};

struct ledger {
        struct ledger_record **records; /* in the order in which they came */
        size_t n_records, n_allocated;
        struct ledger_record *buckets[LEDGER_BUCKETS]; /* by number of the device */
};

void ledger_clear(struct ledger *ledger);
void ledger_record_done(struct ledger_record *record);

/* Takes over what RECORD holds, also on failure. Returns 0, -ENOMEM, -ENOSPC, or -EEXIST (the number is taken). */
int ledger_add(struct ledger *ledger, struct ledger_record *record);

/* As a JSON document, which the caller frees; NULL without memory. */
char *ledger_format(const struct ledger *ledger);

/* As ledger_load(), but a file that does not parse is left as it is, and *ret not set. */
int ledger_peek(const char *path, struct ledger **ret);

/* Fills an empty ledger. Returns 0, -EBADMSG (no ledger, or not of this version), or -ENOMEM. */
int ledger_parse(struct ledger *ledger, const char *text, size_t length);
