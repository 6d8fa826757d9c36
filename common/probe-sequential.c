/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "common/probe-private.h"

/* Windows that are read before the clock is started: in the first the window grows, the second is the first full one. */
#define RAMP_WINDOWS 2

/*
 * A run with fewer windows in all is measured from its start: else most of what is measured would have been read ahead
 * before, and a device would seem faster than it is.
 */
#define RUN_WINDOWS_LEAST (2 * RAMP_WINDOWS)

/*
 * Two windows are under way at any time: the one that is waited for, and the next, asked for when the first was begun.
 * They may arrive together or by turns, so that only pairs of them tell the rate.
 */
#define WINDOWS_COUNTED 2

struct reading {
        struct probing *probing;
        const struct probe_run *run;
        uint64_t position, end;
};

static int read_next(struct reading *reading) {
        struct probing *probing = reading->probing;
        const struct probe_ops *ops = probing->setup->ops;
        uint64_t left = reading->end - reading->position;
        ssize_t n;

        n = ops->read(ops->userdata, reading->run->fd, probing->buffer,
                        left < probing->block_bytes ? (size_t)left : probing->block_bytes, reading->position);
        if (n < 0)
                return (int)n;
        if (n == 0)
                return -ENODATA;
        reading->position += (uint64_t)n;
        probing->bytes_read += (uint64_t)n;
        return 0;
}

static int ramp_up(struct reading *reading) {
        const struct probe_run *run = reading->run;
        uint64_t bytes = 0;
        int r;

        if (run->workload == PROBE_SEQUENTIAL && run->bytes / run->window_bytes >= RUN_WINDOWS_LEAST)
                bytes = run->window_bytes * RAMP_WINDOWS;
        while (reading->position - run->offset < bytes && !probing_is_over(reading->probing)) {
                r = read_next(reading);
                if (r < 0)
                        return r;
        }
        return 0;
}

/*
 * Reads until it should be over and on to a whole number of units, but never beyond the end of the place or the
 * deadline.
 */
static int measure(struct reading *reading, double *ret_mbps) {
        const struct probe_run *run = reading->run;
        uint64_t first = reading->position, start, now, units = 0;
        uint64_t unit = run->workload == PROBE_SEQUENTIAL ? run->window_bytes * WINDOWS_COUNTED : 1;
        int r;

        if (reading->end - first >= unit)
                reading->end -= (reading->end - first) % unit;
        start = now = probing_now(reading->probing);
        while (reading->position < reading->end && now < reading->probing->deadline_usec) {
                uint64_t units_before = units;

                r = read_next(reading);
                if (r < 0)
                        return r;
                now = probing_now(reading->probing);
                units = (reading->position - first) / unit;
                if (now >= run->soft_usec && units > units_before)
                        break;
        }
        *ret_mbps = now > start ? (double)(reading->position - first) / (double)(now - start) : 0;
        return 0;
}

int probe_run_sequential(struct probing *probing, const struct probe_run *run, double *ret_mbps) {
        const struct probe_ops *ops = probing->setup->ops;
        struct reading reading = {
                        .probing = probing, .run = run, .position = run->offset, .end = run->offset + run->bytes};
        int r;

        r = ops->drop(ops->userdata, run->fd, run->offset, run->bytes);
        if (r < 0)
                return r;
        r = ramp_up(&reading);
        if (r < 0)
                return r;
        r = measure(&reading, ret_mbps);
        if (r < 0)
                return r;
        /* What was read is of no use to anybody. */
        return ops->drop(ops->userdata, run->fd, run->offset, reading.position - run->offset);
}
