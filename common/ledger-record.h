/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The ledger of this machine, shared by daemon and command line: each call takes the lock in DIRECTORY, reads the ledger
 * there, changes it and writes it back. A ledger that was damaged is set aside and *ret_damaged set.
 *
 * All wait for the lock for at most WAIT_MSEC, and return 0, -ETIMEDOUT where another program holds it all the while, or
 * another negative errno; nothing is changed then.
 *
 * What they begin is on record as this process's until they end it. What other processes have left pending that are gone
 * is settled by the way, as ledger_judge() says.
 */

#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "ledger.h"
#include "probe-compare.h"

#define LEDGER_DIRECTORY "/run/setrad"

/* What is about to be done to one device: a change, or that its original value is put back. */
struct ledger_intent {
        const struct device_identity *device;
        bool is_revert;
        struct ledger_change change; /* the one, as ledger_begin(), */
        struct ledger_revert revert; /* or the other, as ledger_begin_revert() */
        int error;                   /* out: it is not on record, for a reason of its own, and must not be done */
};

/* Before changes: an original value that is not on record could not be put back. All N are with one write. */
int ledger_record_begin(
                const char *directory, unsigned wait_msec, struct ledger_intent *intents, size_t n, bool *ret_damaged);

enum ledger_outcome {
        LEDGER_STANDS,    /* it was not changed, or not put back: what was on record before stands again */
        LEDGER_CONFIRMED, /* it was changed */
        LEDGER_PUT_BACK,  /* changed, found to be no good, and taken back by setrad itself: as ledger_put_back() */
        LEDGER_RELEASED,  /* its original value was put back, or need not be: the entry stays, as reverted */
        LEDGER_REMOVED,   /* the same, or it is gone: the entry goes */
};

struct ledger_end {
        const struct device_identity *device;
        enum ledger_outcome outcome;
        uint64_t back_to_sectors;         /* of what is put back */
        const struct probe_result *probe; /* of what is confirmed or put back; may be NULL */
};

/* After them, and where there was nothing to be done to a device, without that. */
int ledger_record_end(
                const char *directory, unsigned wait_msec, const struct ledger_end *ends, size_t n, bool *ret_damaged);

struct ledger_stack {
        struct device_identity device;
        uint64_t stack;
};

/* As ledger_note_stack(). */
int ledger_record_stacks(const char *directory, unsigned wait_msec, const struct ledger_stack *stacks, size_t n,
                bool *ret_damaged);

/*
 * Values that a device has for moments only, each on record before it is given, under the lock from first to last. If this
 * process is killed meanwhile, the entry says what the device may have, and what it is to have again: see ledger-mend.h.
 * -EBUSY: another process is changing the device, or was killed while it did.
 */
struct ledger_section;

int ledger_section_begin(const char *directory, unsigned wait_msec, const struct device_identity *device,
                struct ledger_section **ret, bool *ret_damaged);

/* CHANGE, a trial, is about to be made; the device has its FROM_SECTORS, and that is what it is to have again. */
int ledger_section_note(struct ledger_section *section, const struct ledger_change *change);

/* The device has what it had at first: what stood on record then stands again. */
int ledger_section_end(struct ledger_section *section);

/* Gives the lock back. Without ledger_section_end() what was noted last stays on record, as pending. */
void ledger_section_free(struct ledger_section *section);
DEFINE_CLEANUP(struct ledger_section *, ledger_section_free);

/* As ledger_settle(). Takes the lock and writes only where there is something to settle; JUDGE may be asked twice. */
int ledger_record_settle(const char *directory, unsigned wait_msec, ledger_fate_handler judge, void *userdata,
                bool *ret_damaged);
