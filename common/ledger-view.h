/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The ledger as those see it who read machines: read again only when it has been written since, and what is on record of
 * single devices. Who looks at a device after each event does not read thousands of entries for it.
 */

#include "ledger.h"
#include "sysroot.h"

/* All zero but for WATCH, which is -1: nothing read yet. */
struct ledger_view {
        int watch;             /* of the file that LEDGER is of, or is to be: ledger_watch() */
        struct ledger *ledger; /* NULL: not read, or not to be read */
        bool pending;          /* it has an entry of a change that is under way or was cut off, or of a trial */
};

#define LEDGER_VIEW_NONE ((struct ledger_view){.watch = -1})

void ledger_view_done(struct ledger_view *view);

/* Before anything is read that is to be as the ledger says: ledger_view_end() tells whether the ledger stood from here on. */
void ledger_view_begin(struct ledger_view *view, const struct sysroot *root);

/*
 * Reads it, if it is not what was read before. *ret_steady is whether it has not been written since ledger_view_begin(), and
 * has nothing pending. A ledger that is damaged or can't be read is none. Returns 0 or -ENOMEM.
 */
int ledger_view_end(struct ledger_view *view, const struct sysroot *root, bool *ret_steady);
