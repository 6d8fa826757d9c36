/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * From an entry of the ledger to a request for a worker that puts the original value back, and from its result to words.
 * Pure; shared by daemon and command line.
 */

#include "apply.h"
#include "ledger-record.h"
#include "ledger.h"
#include "topology.h"

enum revert_state {
        REVERT_WANTED,     /* it has the value that setrad gave it: that is to be taken back */
        REVERT_ORIGINAL,   /* it has its original value */
        REVERT_RELEASED,   /* it was reverted before, and not changed since */
        REVERT_OTHER,      /* it has a value that is not setrad's: left alone */
        REVERT_DOUBTFUL,   /* it may be another device: see ledger_may_be_another(); left alone */
        REVERT_GONE,       /* there is no such device any longer */
        REVERT_SUSPENDED,  /* a map that can't be opened now */
        REVERT_UNREADABLE, /* its readahead is not known */
};

struct revert {
        const struct ledger_entry *entry;
        const struct layer *layer; /* NULL if it is gone */
        enum revert_state state;
        uint64_t given_sectors; /* by setrad; the original value if it has nothing of setrad's */
        uint64_t now_sectors;   /* 0 if it is gone or unreadable */
};

/* ENTRY is one of LEDGER's. */
struct revert revert_find(
                const struct ledger *ledger, const struct ledger_entry *entry, const struct topology *topology);

/* Only for what is REVERT_WANTED. KEEP as in struct ledger_revert. */
void revert_request(const struct revert *revert, struct apply_request *ret);
struct ledger_revert revert_record(const struct revert *revert, bool keep);

/*
 * What becomes of the entry, RESULT being that of the worker, or NULL where none was needed. A device that is gone, or that
 * somebody else has set in the meantime, is no failure.
 */
enum ledger_outcome revert_outcome(const struct revert *revert, const struct apply_result *result, bool keep);

/* Whether the device could not be given its original value, although it should. */
bool revert_has_failed(const struct revert *revert, const struct apply_result *result);

/*
 * One line for people: "vg0/lv0 (dm-3): readahead 3072 → 256 sectors, its original value"; "vg0/lv0 (dm-3) has 1024
 * sectors, not the 3072 that setrad gave it: left alone". Of what is still to be done where RESULT is NULL. The caller
 * frees it; NULL without memory.
 */
char *revert_sentence(const struct revert *revert, const struct apply_result *result);
