/* SPDX-License-Identifier: MIT */
#pragma once

/* Runs a job that measures in a worker (common/worker.h), and shows on a terminal how far it is. */

#include <signal.h>

#include "common/cleanup.h"
#include "common/probe.h"
#include "common/worker.h"

/* So long a worker that is to end may go on with what it must not be interrupted in. */
#define MEASURE_GRACE_MSEC 3000U

/* Zeroed memory that a worker shares with its parent. NULL without memory. */
void *measure_shared_new(size_t size);
void measure_shared_free(void *memory, size_t size);

/* What a worker shows of itself; shared with it. NULL without memory. */
struct probe_progress *measure_progress_new(void);
void measure_progress_free(struct probe_progress *progress);
DEFINE_CLEANUP(struct probe_progress *, measure_progress_free);

struct measure {
        const char *title;       /* "vg0/lv0 (dm-3)"; NULL where there is no progress */
        struct worker_jobs jobs; /* an input has the progress, if its job shows it; prepare is measure's own */
        void *result;
        unsigned deadline_msec;                /* for each of the jobs */
        const struct probe_progress *progress; /* may be NULL: no bar */
        void (*handler)(void *userdata);       /* after each of them, when RESULT is filled; may be NULL */
        void *userdata;
        size_t *ret_n_begun; /* how many of them were begun, those that are done among them; may be NULL */
};

/*
 * As worker_run(), with a progress bar on stderr where that is a terminal and the job takes longer than a moment. Of
 * several jobs the rest is not done when one comes to no end: how many are done the handler knows.
 * SIGINT, SIGQUIT, SIGTERM and SIGHUP (but those that are ignored) end the worker, which itself ignores all but SIGTERM: by
 * that, which it may block while it must not be interrupted, and by SIGKILL where that is of no use; then *ret_signal
 * is the signal, else 0, and -EINTR is returned. A job that blocks SIGTERM to its end still hands over its RESULT then;
 * else that is untouched. At the deadline, and where it can't be heard of any more, a worker is ended in the same way, and
 * -ETIMEDOUT, or why, is returned.
 */
int measure_run(const struct measure *measure, int *ret_signal);

/*
 * The signals that measure_run() takes wait from here on, also for it; *RET_BEFORE is to be given back. So what belongs
 * to a job, before it and after it, is not left undone.
 */
void measure_hold_signals(sigset_t *ret_before);
void measure_release_signals(const sigset_t *before);

/* Ends this process by SIGNAL, as if it had not been caught, so that whoever started it sees that: $? is 128 + SIGNAL. */
_Noreturn void measure_end_by(int signal_number);
