/* SPDX-License-Identifier: MIT */
#pragma once

/* Puts back what devices were given for a moment only by a process that was killed in that moment. */

#include "apply.h"
#include "ledger-record.h"
#include "sysroot.h"

/* Told of each such device. RESULT is zeroed where ERROR, of the worker, is negative. */
typedef void (*ledger_mend_handler)(
                const struct ledger_entry *entry, int error, const struct apply_result *result, void *userdata);

/*
 * Of the devices of ROOT, which is this machine. What was on record before the trial stands then again. Each by a worker
 * that has DEADLINE_MSEC. Takes the lock only where there is something to mend. Returns 0 or a negative errno as
 * ledger-record.h; a device that could not be mended is no error.
 */
int ledger_mend(const char *directory, unsigned wait_msec, unsigned deadline_msec, const struct sysroot *root,
                ledger_mend_handler handler, void *userdata, bool *ret_damaged);

/* Whether the value that ENTRY was given for a moment is there still, and whoever gave it is gone. */
bool ledger_needs_mending(const struct ledger_entry *entry, const struct sysroot *root);
