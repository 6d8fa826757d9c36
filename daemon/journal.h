/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the daemon says: one function an event. Each makes a line that a person understands by itself, and fields for
 * programs. Nothing here fails: what can't be sent is lost.
 */

#include <stddef.h>

#include "common/apply.h"
#include "common/finding.h"
#include "common/plan.h"
#include "common/revert.h"
#include "common/survey.h"
#include "config/policy.h"

void journal_started(const char *version);
/* What setrad has changed OUTCOME: "stays". */
void journal_stopped(const char *outcome);
void journal_policy_loaded(const struct policy *policy);

/* One line for each error; KEPT: an earlier policy stays in force. */
void journal_policy_refused(int r, const struct policy_errors *errors, bool kept);

/* The same for the settings; those before stay in force. */
void journal_settings_refused(int r, const struct policy_errors *errors);

/* A scan that somebody asked for; WHY is "start", "reload", "asked for" or "state". N_SCANS counts all since the start. */
void journal_scanned(const struct survey *survey, const char *why, uint64_t n_scans);

/* Something about the machine that limits what setrad can see. */
void journal_note(const char *text);

/* The notes of a topology of which something could not be read; none of one that is whole. */
void journal_incomplete(const struct topology *topology);

/* The kernel had no room for udev's events. */
void journal_overflow(int error);

/* MENDED: a change that mends it is on its way. */
void journal_finding(const struct finding *finding, bool mended);
void journal_held(const struct decision *decision);
/* Its worker can't be killed: held until that is gone. */
void journal_stuck(const struct decision *decision);
void journal_released(const char *label);

/* CODE of the finding that the change mends; NULL if there is none. */
void journal_changed(const struct decision *decision, const struct apply_result *result, const char *code);
void journal_change_failed(const struct decision *decision, const struct apply_result *result);

/* The worker did not come back, and nothing was changed: ERROR is -ETIMEDOUT (killed), -EBUSY (can't be killed), or else. */
void journal_worker_lost(const struct decision *decision, int error);
/* After ATTEMPTS failures: not tried again until somebody asks for a scan, or nothing has been tried for an hour. */
void journal_gave_up(const struct decision *decision, unsigned attempts);

/* Why the layer has not what setrad gave it any more, and whether that is put right now (as decision->action has it). */
void journal_drift(const struct decision *decision);
/* It was put right PER_HOUR times within an hour. */
void journal_drift_gave_up(const struct decision *decision, unsigned per_hour);

/* RESULT of the worker; NULL where there was none. SENTENCE (NULL: without memory) says what became of it. */
void journal_reverted(
                const struct revert *revert, const struct apply_result *result, const char *sentence, bool failed);
void journal_revert_failed(const struct revert *revert, const char *reason);

void journal_vanished(const struct decision *decision);

/* The change can't be put on record, or no worker be had: it is not made. */
void journal_not_started(const struct decision *decision, int error);

/* What became of a change can't be put on record. */
void journal_ledger_failed(const struct decision *decision, int error);
void journal_ledger_damaged(void);

/* All that is known of one layer, on SIGUSR2. */
void journal_state(const struct decision *decision);

/* Anything about the daemon itself: LEVEL is syslog(3)'s. */
void journal_printf(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
