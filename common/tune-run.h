/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Measures what tune.h asks for. A descriptor keeps the readahead that its device has when it is opened, so the device is
 * given each value for the moment only in which descriptors are opened at it: on record first, under the ledger's lock,
 * and with signals blocked. Then it has what it had, and is read through those. It may block on the device for ever, so
 * it is run in a worker.
 */

#include "device.h"
#include "ledger-record.h"
#include "probe-device.h"
#include "probe.h"
#include "tune.h"

struct tune_request {
        struct device_identity device;
        const char *label;
        uint64_t now_sectors; /* what it must have */
        uint64_t stack;       /* stack_fingerprint(); 0: not known */
        uint64_t time_msec;   /* for all runs */
        bool mixed;           /* measure random reads through a mapping as well */
        const char *ledger_directory;
        struct tune *tune;               /* begun; what is measured goes there at once: it may be shared */
        struct probe_progress *progress; /* may be NULL; likewise */
};

enum tune_step { TUNE_OPEN, TUNE_GET, TUNE_LEDGER, TUNE_SET, TUNE_RESTORE, TUNE_READ, TUNE_DONE };

/* "open", "BLKRAGET", … */
const char *tune_step_name(enum tune_step step);

/* Plain data. */
struct tune_result {
        /*
         * 0, or the negative errno of the step that failed. -EAGAIN: the readahead is not what it was, or was set by
         * somebody meanwhile. -EBUSY of TUNE_LEDGER: a change of the device is under way.
         */
        int error;
        enum tune_step step;
        bool ledger_damaged;
        bool is_left;                    /* the device has LEFT_SECTORS, and could not be given what it had */
        uint64_t left_sectors;           /* of -EAGAIN: what it has */
        bool disturbed;                  /* others were reading it meanwhile */
        bool time_is_over;               /* before the choice was certain */
        char skipped[PROBE_SKIPPED_MAX]; /* why nothing was measured; "" otherwise */
};

struct tune_ops {
        const struct probe_device_ops *device;
        int (*set_readahead)(void *userdata, int fd, uint64_t sectors);
        const struct probe_ops *probe;
        void *userdata;
};

/* Returns ret->error. */
int tune_run(const struct tune_request *request, struct tune_result *ret);

/* The same over OPS. */
int tune_run_with(const struct tune_ops *ops, const struct tune_request *request, struct tune_result *ret);
