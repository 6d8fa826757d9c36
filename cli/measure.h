/* SPDX-License-Identifier: MIT */
#pragma once

/* Runs a job that measures in a worker (common/worker.h), and shows on a terminal how far it is. */

#include "common/cleanup.h"
#include "common/probe.h"
#include "common/worker.h"

/* What a worker shows of itself; shared with it. NULL without memory. */
struct probe_progress *measure_progress_new(void);
void measure_progress_free(struct probe_progress *progress);
DEFINE_CLEANUP(struct probe_progress *, measure_progress_free);

struct measure {
        const char *title; /* "vg0/lv0 (dm-3)" */
        worker_job job;
        const void *input; /* has the progress, if the job shows it */
        void *result;
        size_t result_size;
        unsigned deadline_msec;
        const struct probe_progress *progress; /* may be NULL */
};

/*
 * As worker_run(), with a progress bar on stderr where that is a terminal and the job takes longer than a moment.
 * SIGINT, SIGTERM and SIGHUP end the worker: by SIGTERM, which it may block while it must not be interrupted, and by
 * SIGKILL where that is of no use; then *ret_signal is the signal, else 0, and -EINTR is returned.
 */
int measure_run(const struct measure *measure, int *ret_signal);
