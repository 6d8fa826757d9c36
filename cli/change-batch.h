/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Changes of devices, one after the other: put on record together, made by one worker (by another one, from where the first
 * came to no end), put on record together. Each is told of as soon as it is made.
 */

#include "common/apply.h"
#include "common/ledger-record.h"
#include "common/sysroot.h"
#include "common/worker.h"

/* So many are on record as pending at the same time. */
#define CHANGE_BATCH_MAX 1000U

/* What a command knows of its own changes: SUBJECT is as given to change_batch_add(). */
struct change_batch_ops {
        /* Says what came of it; RESULT is NULL where there was nothing to do. Returns 0, or why it has not what it should. */
        int (*report)(const void *subject, const struct apply_result *result);
        /* Says that its worker is gone without an answer. */
        void (*report_lost)(const void *subject, int error);
        /* What is to be put on record then, but for the device. Returns false for nothing. */
        bool (*end)(const void *subject, const struct apply_result *result, struct ledger_end *ret);
};

struct change_item;

struct change_batch {
        const struct change_batch_ops *ops;
        const struct sysroot *root;
        struct change_item *items; /* CHANGE_BATCH_MAX */
        size_t n;
        const char *title;                 /* of a change that is measured, which is the only one; with a progress */
        unsigned lock_msec, deadline_msec; /* to wait for the ledger; for each change */
        const char *directory;             /* of the ledger */
        worker_job job;                    /* apply_change() */
        int signal_number;                 /* has ended it; what was left then is not done */
};

/* Returns 0 or -ENOMEM. OPS and ROOT are borrowed; tests set others of ledger and job afterwards. */
int change_batch_init(struct change_batch *batch, const struct change_batch_ops *ops, const struct sysroot *root);
void change_batch_done(struct change_batch *batch);

/*
 * REQUEST and the strings of INTENT, whose device is the request's, are borrowed until it is run. INTENT is NULL where
 * there is nothing to do to the device, and only its end is to be put on record. The batch is not full.
 */
void change_batch_add(struct change_batch *batch, const void *subject, const struct device_identity *device,
                const struct apply_request *request, const struct ledger_intent *intent);

static inline bool change_batch_is_full(const struct change_batch *batch) {
        return batch->n == CHANGE_BATCH_MAX;
}

/* Makes them, and empties it. Returns 0, or a negative errno after saying on stderr what is wrong. */
int change_batch_run(struct change_batch *batch);
