/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Changes under way in one worker: put on record together, made one after the other, each with a deadline, put on record
 * and told of in the journal. A worker that hangs in the kernel stays until it is gone, and keeps its device held that long.
 */

#include <systemd/sd-event.h>

#include "common/apply.h"
#include "common/cleanup.h"
#include "common/survey.h"
#include "common/sysroot.h"

struct job;

struct job_change {
        const struct decision *decision; /* of the survey's plan */
        struct apply_request request;

        /* The job's own. */
        struct apply_result
                        result; /* what is known to have come of it: zero until it is over, or if nothing was changed */
        int lost;               /* why its worker has given no result; 0: it has, or it has not come to it */
        bool stays_pending;     /* lost, and nobody knows whether it was made: so it stays on record */
};

enum job_news {
        /* Of a change, which is over: */
        JOB_DONE,    /* changed, if not measured, or the device is gone: no more to do */
        JOB_STALE,   /* the device has not the readahead any more that it was planned with */
        JOB_FAILED,  /* not changed */
        JOB_REFUSED, /* not begun, as it can't be put on record, or no worker be had */
        JOB_FREED,   /* it was stuck, and its worker is gone */
        /* Of a change, which is not over: */
        JOB_STUCK, /* not changed, and the worker does not die */
        /* Of the job: */
        JOB_STALLED, /* one takes long, and others wait for it: see job_split() */
        JOB_OVER,    /* the worker is gone; the handler frees the job, and may split it before */
};

/* CHANGE is NULL in what is of the job. Called by job_start(), too, for what is refused. */
typedef void (*job_handler)(struct job *job, const struct job_change *change, enum job_news news, void *userdata);

struct job_setup {
        sd_event *event;                  /* borrowed */
        const struct sysroot *root;       /* borrowed */
        unsigned deadline_msec;           /* of each, for the ioctls alone; the probe's time comes on top */
        struct survey *survey;            /* a reference of the job's own is taken */
        const struct job_change *changes; /* copied; of one that is measured, only that */
        size_t n;
        job_handler handler;
        void *userdata;
};

/*
 * Puts the changes on record and starts their worker. Returns 0; -ETIMEDOUT if another program has the ledger; or another
 * negative errno. None of them is made then.
 */
int job_start(const struct job_setup *setup, struct job **ret);

/*
 * Those that the worker has not begun go to a job of their own, with USERDATA (NULL: there can be none). Returns 0, with
 * *ret NULL if there are none, or a negative errno: they are refused then.
 */
int job_split(struct job *job, void *userdata, struct job **ret);

/* Kills a worker that is at it, without waiting for that. */
void job_kill(struct job *job);

/* Kills a worker that is at it; how far it came goes to journal and ledger. */
void job_free(struct job *job);
DEFINE_CLEANUP(struct job *, job_free);

/* The only one of a job that measures. */
const struct job_change *job_first(const struct job *job);
