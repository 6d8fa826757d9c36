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

/* Before a change: an original value that is not on record could not be put back. */
int ledger_record_begin(const char *directory, unsigned wait_msec, const struct device_identity *device,
                const struct ledger_change *change, bool *ret_damaged);

/* After it: MADE or not. PROBE may be NULL. */
int ledger_record_end(const char *directory, unsigned wait_msec, const struct device_identity *device, bool made,
                const struct probe_result *probe, bool *ret_damaged);

/*
 * After a change that was made, found to be no good, and taken back by setrad itself to BACK_TO_SECTORS: as
 * ledger_put_back(). It is not tried again before rule or stack change.
 */
int ledger_record_put_back(const char *directory, unsigned wait_msec, const struct device_identity *device,
                uint64_t back_to_sectors, const struct probe_result *probe, bool *ret_damaged);

/* As ledger_note_stack(). */
int ledger_record_stack(const char *directory, unsigned wait_msec, const struct device_identity *device, uint64_t stack,
                bool *ret_damaged);

/* Before an original value is put back: as ledger_begin_revert(). */
int ledger_record_revert_begin(const char *directory, unsigned wait_msec, const struct device_identity *device,
                const struct ledger_revert *revert, bool *ret_damaged);

enum ledger_outcome {
        LEDGER_STANDS,   /* it was not put back: what was on record before stands again */
        LEDGER_RELEASED, /* it was, or need not be: the entry stays, as reverted */
        LEDGER_REMOVED,  /* the entry goes */
};

/* After it, and where there is nothing to be done, without it. */
int ledger_record_revert_end(const char *directory, unsigned wait_msec, const struct device_identity *device,
                enum ledger_outcome outcome, bool *ret_damaged);

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
