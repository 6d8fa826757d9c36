/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "common/probe-private.h"

/* In the first the window grows, the second is the first full one. */
#define RAMP_WINDOWS 2

/*
 * Two windows are under way at any time: the one that is waited for, and the next, asked for when the first was begun.
 * They may arrive together or by turns, so that only pairs of them tell the rate.
 */
#define WINDOWS_COUNTED 2

int probe_read_next(struct probe_reading *reading) {
        const struct probe_setup *setup = reading->probing->setup;
        const struct probe_ops *ops = setup->ops;
        uint64_t left = reading->end_bytes - reading->position_bytes;
        ssize_t n;

        n = ops->read(ops->userdata, reading->run->fd, reading->buffer,
                        left < reading->probing->block_bytes ? (size_t)left : reading->probing->block_bytes,
                        reading->position_bytes);
        if (n < 0)
                return (int)n;
        if (n == 0)
                return -ENODATA;
        reading->position_bytes += (uint64_t)n;
        if (setup->progress)
                setup->progress->bytes_read += (uint64_t)n;
        return 0;
}

uint64_t probe_ramp_bytes(const struct probe_run *run) {
        if (run->workload != PROBE_SEQUENTIAL || run->bytes / run->window_bytes < PROBE_WINDOWS_LEAST)
                return 0;
        return run->window_bytes * RAMP_WINDOWS;
}

uint64_t probe_unit_bytes(const struct probe_reading *reading) {
        uint64_t unit = reading->run->window_bytes * WINDOWS_COUNTED;

        if (reading->run->workload != PROBE_SEQUENTIAL || reading->end_bytes - reading->position_bytes < unit)
                return reading->probing->block_bytes;
        return unit;
}

int probe_reading_done(struct probing *probing, const struct probe_reading *reading) {
        const struct probe_run *run = reading->run;
        uint64_t bytes = reading->position_bytes - run->offset_bytes, room = run->window_bytes * PROBE_WINDOWS_AHEAD;

        probing->bytes_read += bytes;
        if (bytes == 0)
                return 0;
        bytes = bytes + room < run->room_bytes ? bytes + room : run->room_bytes;
        return probe_cache_drop(probing->setup->ops, run->fd, run->offset_bytes, bytes, &run->held, probing->end_usec);
}

static int ramp_up(struct probe_reading *reading) {
        uint64_t bytes = probe_ramp_bytes(reading->run);
        int r;

        while (reading->position_bytes - reading->run->offset_bytes < bytes && !probing_is_over(reading->probing)) {
                r = probe_read_next(reading);
                if (r < 0)
                        return r;
        }
        return 0;
}

/*
 * Reads until it should be over and on to a whole number of units, but never beyond the end of the place or the
 * deadline.
 */
static int measure(struct probe_reading *reading, double *ret_mbps) {
        const struct probe_run *run = reading->run;
        uint64_t first = reading->position_bytes, start, now, units = 0, unit = probe_unit_bytes(reading);
        int r;

        if (reading->end_bytes - first >= unit)
                /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a window is a block at least */
                reading->end_bytes -= (reading->end_bytes - first) % unit;
        start = now = probing_now(reading->probing);
        while (reading->position_bytes < reading->end_bytes && now < reading->probing->deadline_usec) {
                uint64_t units_before = units;

                r = probe_read_next(reading);
                if (r < 0)
                        return r;
                now = probing_now(reading->probing);
                units = (reading->position_bytes - first) / unit;
                if (now >= run->soft_usec && units > units_before)
                        break;
        }
        *ret_mbps = now > start ? (double)(reading->position_bytes - first) / (double)(now - start) : 0;
        return 0;
}

int probe_run_sequential(struct probing *probing, const struct probe_run *run, double *ret_mbps) {
        struct probe_reading reading = {.probing = probing,
                        .run = run,
                        .buffer = probing->buffer,
                        .position_bytes = run->offset_bytes,
                        .end_bytes = run->offset_bytes + run->bytes};
        int r, dropped;

        r = ramp_up(&reading);
        if (r == 0)
                r = measure(&reading, ret_mbps);
        dropped = probe_reading_done(probing, &reading);
        return r < 0 ? r : dropped;
}
