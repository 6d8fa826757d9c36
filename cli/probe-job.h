/* SPDX-License-Identifier: MIT */
#pragma once

/* The part of setractl probe that reads: it may block for ever, and is run in a worker (cli/measure.h). */

#include "cli/probe-report.h"
#include "common/device.h"
#include "common/probe-device.h"

enum probe_step {
        PROBE_STEP_LOOK, /* whether others use a device */
        PROBE_STEP_OPEN,
        PROBE_STEP_READ,
        PROBE_STEP_DONE,
};

/* What a worker hands over of one series. */
struct probe_take {
        uint64_t readahead_sectors;
        struct probe_series series;
        uint64_t run_bytes[PROBE_RUNS_MAX]; /* where a pass is one run of it */
};

/* In memory that the worker shares, so that what is measured is there even if the worker is ended before its time. */
struct probe_desk {
        enum probe_step step;
        int error;     /* of that step; 0: none */
        size_t failed; /* the series that it is about */
        char skipped[PROBE_SKIPPED_MAX];
        bool disturbed;
        _Atomic bool in_writing; /* a worker that is ended meanwhile leaves it so */
        struct probe_progress progress;
        struct probe_take takes[];
};

struct probe_job {
        const struct probe_report *report;     /* as planned */
        const struct device_identity *devices; /* of its items */
        const struct device_identity *watched; /* of those */
        struct probe_desk *desk;
        const struct probe_device_ops *device_ops;
        const struct probe_ops *probe_ops;
};

size_t probe_desk_size(const struct probe_report *report);

/* A worker_job: INPUT is a struct probe_job; there is no RESULT but the desk. */
int probe_job_run(const void *input, void *result);

/* What is on the desk, into the report. False if nothing was measured, or it is half written. */
bool probe_desk_take(const struct probe_desk *desk, struct probe_report *report);
