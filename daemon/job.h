/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One change under way: put on record, made in a worker with a deadline, told of in the journal. A worker that hangs in
 * the kernel stays until it is gone, and keeps its device held that long.
 */

#include <systemd/sd-event.h>

#include "common/apply.h"
#include "common/cleanup.h"
#include "common/survey.h"
#include "common/sysroot.h"

struct job;

enum job_news {
        JOB_DONE,   /* changed, if not measured, or the device is gone: no more to do */
        JOB_STALE,  /* the device has not the readahead any more that it was planned with */
        JOB_FAILED, /* not changed */
        JOB_STUCK,  /* not changed, and the worker does not die: the job is not over */
        JOB_FREED,  /* the worker of a job that was stuck is gone */
};

/* All but JOB_STUCK end the job; the handler may free it. */
typedef void (*job_handler)(struct job *job, enum job_news news, void *userdata);

struct job_setup {
        sd_event *event;                 /* borrowed */
        const struct sysroot *root;      /* borrowed */
        unsigned deadline_msec;          /* for the ioctls alone; the probe's time comes on top */
        struct survey *survey;           /* a reference of the job's own is taken */
        const struct decision *decision; /* of that survey's plan */
        const struct apply_request *request;
        job_handler handler;
        void *userdata;
};

/*
 * Puts the change on record and starts its worker. Returns 0; -ETIMEDOUT if another program has the ledger; or another
 * negative errno. The change is not made then.
 */
int job_start(const struct job_setup *setup, struct job **ret);

/* Kills a worker that is at it, without waiting for that. */
void job_kill(struct job *job);

/* Kills a worker that is at it; how far it came goes to journal and ledger. */
void job_free(struct job *job);
DEFINE_CLEANUP(struct job *, job_free);

const struct decision *job_decision(const struct job *job);
const struct apply_request *job_request(const struct job *job);

/* What is known to have come of it: all zero until the job is over, and if nothing was changed. */
const struct apply_result *job_result(const struct job *job);
