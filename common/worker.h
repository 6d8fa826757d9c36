/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A child process that does jobs that may block, one after the other, and returns plain data of each through a pipe. The
 * parent waits with a deadline, in its event loop or here; a child that can't even be killed (D state) is left behind and
 * told of.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cleanup.h"

struct worker;

/*
 * Runs in the child: INPUT is one of those given to worker_start(), RESULT zeroed. RESULT is handed over whatever is
 * returned; a negative errno of the last one becomes the exit status, for those who trace processes.
 */
typedef int (*worker_job)(const void *input, void *result);

/* The same job for each of N inputs, from the first on. */
struct worker_jobs {
        worker_job job;
        void (*prepare)(void); /* in the child, before all of them; may be NULL */
        const void *inputs;    /* N in a row, of INPUT_SIZE */
        size_t n, input_size;
        size_t result_size; /* of one */
};

/*
 * Forks and runs JOBS. The child dies with its parent (PR_SET_PDEATHSIG), has default signal handling, no descriptors but
 * 0–2 and the pipe, and (where that is allowed) idle I/O class. The inputs are copied by the fork. Returns 0 or a negative
 * errno.
 */
int worker_start(const struct worker_jobs *jobs, struct worker **ret);

/* Readable when (part of) a result is there or the child has ended; for the parent's event loop. The worker's. */
int worker_fd(const struct worker *worker);

pid_t worker_pid(const struct worker *worker);

/*
 * Takes the next result, as far as it is there, without waiting for more (only, once the child has closed the pipe, the
 * moment until it is gone): 0 when RESULT (of the size given at start) is filled, and, with the last one, the child reaped;
 * -EAGAIN if it isn't done; -EPIPE if the child ended without it (killed, crashed); -ENODATA if all have been taken.
 */
int worker_collect(struct worker *worker, void *result);

/*
 * It ends when it is done with the job that it is at. Returns how many it has begun until now, those that are done among
 * them: the others it will never touch.
 */
size_t worker_cut(struct worker *worker);

/*
 * Kills the child. 0 if it is gone, -EBUSY if it does not die (D state) within GRACE_MSEC.
 */
int worker_kill(struct worker *worker, unsigned grace_msec);

/*
 * Kills if need be and closes. Waits only the moment that a process takes to die; one that doesn't (D state) is left
 * behind, and becomes a zombie when it ends at last: keep the worker and try worker_kill() again to avoid that.
 */
void worker_free(struct worker *worker);
DEFINE_CLEANUP(struct worker *, worker_free);

/*
 * Of one job: start, wait at most DEADLINE_MSEC, collect. RESULT is filled only if 0 is returned. -ETIMEDOUT: killed; -EBUSY:
 * killed, and does not die; -EPIPE as worker_collect().
 */
int worker_run(worker_job job, const void *input, void *result, size_t result_size, unsigned deadline_msec);
