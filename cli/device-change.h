/* SPDX-License-Identifier: MIT */
#pragma once

/* What the commands that change devices have in common. */

#include <stdbool.h>

/* For the ioctls alone; what a probe may take is added to it. */
#define CHANGE_DEADLINE_MSEC 10000U

/* Whether a device's readahead may be set; says on stderr that VERB needs that if not, and INSTEAD what can be done. */
bool change_is_permitted(const char *verb, const char *instead);

/* Says on stderr what is wrong with the ledger, if anything, R being what a function of ledger-record.h has returned. */
int change_check_ledger(int r, bool damaged);

/*
 * Puts back what a 'setractl tune' that was killed has left (common/ledger-mend.h), and says so. Returns 0, or a negative
 * errno after saying on stderr what is wrong.
 */
int change_mend_trials(void);

/* Says on stderr what became of the worker that was to change the device, ERROR being what worker_run() has returned. */
void change_report_lost(const char *label, int error);

/* Whether the device may have been changed although worker_run() has failed: its entry in the ledger stays, as pending. */
bool change_may_be_made(int error);
