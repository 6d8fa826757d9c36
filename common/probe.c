/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/probe-range.h"
#include "common/probe.h"

/* Windows that are read before the clock is started: in the first the window grows, the second is the first full one. */
#define RAMP_WINDOWS 2

/*
 * A run with fewer windows in all is measured from its start: else most of what is measured would have been read ahead
 * before, and a device would seem faster than it is.
 */
#define RUN_WINDOWS_LEAST (2 * RAMP_WINDOWS)

/* Rounds are as many as runs, and one that warms up: what is read first on a machine is slower for reasons of its own. */
#define WARM_UP_SERIES PROBE_AFTER

struct probing {
        const struct probe_ops *ops;
        const struct probe_source *sources;
        unsigned n_runs;
        struct probe_layout layout;
        uint64_t deadline_usec;
        unsigned runs_left; /* of all series, for their share of the time */
        unsigned block_bytes;
        void *buffer;
        struct probe_result *result;
};

/* One run: what it is to read, and how far it is. */
struct run {
        int fd;
        uint64_t offset, end, position;
        uint64_t window_bytes; /* readahead in whole blocks */
};

static uint64_t now_usec(void *userdata) {
        struct timespec ts;

        clock_gettime(CLOCK_MONOTONIC, &ts);
        return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

/* Any other advice would change the descriptor's readahead. */
static int drop_range(void *userdata, int fd, uint64_t offset, uint64_t bytes) {
        return -posix_fadvise(fd, (off_t)offset, (off_t)bytes, POSIX_FADV_DONTNEED);
}

static ssize_t read_block(void *userdata, int fd, void *buffer, size_t size, uint64_t offset) {
        ssize_t n;

        do
                n = pread(fd, buffer, size, (off_t)offset);
        while (n < 0 && errno == EINTR);
        return n < 0 ? -errno : n;
}

const struct probe_ops probe_ops_real = {.now_usec = now_usec, .drop = drop_range, .read = read_block};

static bool source_is_present(const struct probe_source *source) {
        return source->fds;
}

/* In whole blocks, as it is compared with what has been read. */
static uint64_t source_window(const struct probe_source *source, unsigned block_bytes) {
        uint64_t blocks = source->readahead_bytes / block_bytes + (source->readahead_bytes % block_bytes != 0), bytes;

        if (__builtin_mul_overflow(blocks > 0 ? blocks : 1, block_bytes, &bytes))
                return source->readahead_bytes;
        return bytes;
}

static uint64_t clock_now(const struct probing *probing) {
        return probing->ops->now_usec(probing->ops->userdata);
}

static bool out_of_time(const struct probing *probing) {
        return clock_now(probing) >= probing->deadline_usec;
}

static int read_next(struct probing *probing, struct run *run) {
        uint64_t left = run->end - run->position;
        ssize_t n;

        n = probing->ops->read(probing->ops->userdata, run->fd, probing->buffer,
                        left < probing->block_bytes ? (size_t)left : probing->block_bytes, run->position);
        if (n < 0)
                return (int)n;
        if (n == 0)
                return -ENODATA;
        run->position += (uint64_t)n;
        probing->result->bytes_read += (uint64_t)n;
        return 0;
}

static int ramp_up(struct probing *probing, struct run *run) {
        uint64_t bytes = 0;
        int r;

        if ((run->end - run->offset) / run->window_bytes >= RUN_WINDOWS_LEAST)
                bytes = run->window_bytes * RAMP_WINDOWS;
        while (run->position - run->offset < bytes && !out_of_time(probing)) {
                r = read_next(probing, run);
                if (r < 0)
                        return r;
        }
        return 0;
}

/*
 * Two windows are under way at any time: the one that is waited for, and the next, asked for when the first was begun.
 * They may arrive together or by turns, so that only pairs of them tell the rate.
 */
#define WINDOWS_COUNTED 2

/*
 * Reads until SOFT_USEC and on to a whole number of pairs of windows, but never beyond the end of the range or the
 * deadline. *ret_mbps is 0 if there was no time for anything.
 */
static int measure(struct probing *probing, struct run *run, uint64_t soft_usec, double *ret_mbps) {
        uint64_t first = run->position, end = run->end, unit = run->window_bytes * WINDOWS_COUNTED, start, now;
        uint64_t units = 0;
        int r;

        if (end - first >= unit)
                end -= (end - first) % unit;
        start = now = clock_now(probing);
        while (run->position < end && now < probing->deadline_usec) {
                uint64_t units_before = units;

                r = read_next(probing, run);
                if (r < 0)
                        return r;
                now = clock_now(probing);
                units = (run->position - first) / unit;
                if (now >= soft_usec && units > units_before)
                        break;
        }
        *ret_mbps = now > start ? (double)(run->position - first) / (double)(now - start) : 0;
        return 0;
}

/* The share of this run in the time that is left. */
static uint64_t soft_deadline(const struct probing *probing) {
        uint64_t now = clock_now(probing);

        return now < probing->deadline_usec ? now + (probing->deadline_usec - now) / probing->runs_left : now;
}

static int one_run(struct probing *probing, int fd, uint64_t offset, uint64_t window_bytes, double *ret_mbps) {
        struct run run = {
                        .fd = fd,
                        .offset = offset,
                        .end = offset + probing->layout.run_bytes,
                        .position = offset,
                        .window_bytes = window_bytes,
        };
        uint64_t soft_usec = soft_deadline(probing);
        int r;

        r = probing->ops->drop(probing->ops->userdata, fd, offset, probing->layout.run_bytes);
        if (r < 0)
                return r;
        r = ramp_up(probing, &run);
        if (r < 0)
                return r;
        r = measure(probing, &run, soft_usec, ret_mbps);
        if (r < 0)
                return r;
        probing->runs_left--;
        /* What was read is of no use to anybody. */
        return probing->ops->drop(probing->ops->userdata, fd, offset, run.position - offset);
}

/* The run of a series in a round; INDEX counts the series that are present. */
static int series_run(struct probing *probing, unsigned round, enum probe_series series, unsigned index) {
        const struct probe_source *source = &probing->sources[series];
        struct probe_series_result *result = &probing->result->series[series];
        uint64_t bytes_before = probing->result->bytes_read;
        double mbps;
        int r;

        if (out_of_time(probing))
                return 0;
        r = one_run(probing, source->fds[round], probe_layout_offset(&probing->layout, round, index),
                        source_window(source, probing->block_bytes), &mbps);
        if (r < 0)
                return r;
        result->bytes_read += probing->result->bytes_read - bytes_before;
        if (mbps > 0 && round < probing->n_runs)
                result->mbps[result->n_runs++] = mbps;
        return 0;
}

/* All series once, forward in even rounds and backward in odd ones, so that drift cancels out. */
static int one_round(struct probing *probing, unsigned round) {
        unsigned n = 0;
        enum probe_series present[_PROBE_SERIES_MAX];
        int r;

        for (unsigned i = 0; i < _PROBE_SERIES_MAX; i++)
                if (source_is_present(&probing->sources[i]))
                        present[n++] = (enum probe_series)i;
        for (unsigned i = 0; i < n; i++) {
                unsigned index = round % 2 == 0 ? i : n - 1 - i;

                r = series_run(probing, round, present[index], index);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int all_rounds(struct probing *probing) {
        int r;

        if (source_is_present(&probing->sources[WARM_UP_SERIES])) {
                r = series_run(probing, probing->n_runs, WARM_UP_SERIES, 0);
                if (r < 0)
                        return r;
        }
        for (unsigned round = 0; round < probing->n_runs; round++) {
                r = one_round(probing, round);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* The smallest of the sources, the largest of their windows, and how many there are. */
static unsigned survey_sources(const struct probing *probing, struct probe_extent *extent) {
        unsigned n = 0;

        for (unsigned i = 0; i < _PROBE_SERIES_MAX; i++) {
                const struct probe_source *source = &probing->sources[i];
                uint64_t window;

                if (!source_is_present(source))
                        continue;
                window = source_window(source, probing->block_bytes);
                if (n == 0 || source->size_bytes < extent->size_bytes)
                        extent->size_bytes = source->size_bytes;
                if (window > extent->window_bytes)
                        extent->window_bytes = window;
                n++;
        }
        return n;
}

/* Sets layout and number of runs; false, with the reason in the result, if there is nothing to measure. */
static bool prepare(struct probing *probing, const struct probe_limits *limits) {
        struct probe_extent extent = {.bytes_per_run = limits->bytes_per_run, .block_bytes = probing->block_bytes};
        unsigned n = survey_sources(probing, &extent);
        char *reason = probing->result->skipped;
        size_t size = sizeof(probing->result->skipped);

        probing->runs_left = n * probing->n_runs + source_is_present(&probing->sources[WARM_UP_SERIES]);
        if (n == 0)
                snprintf(reason, size, "there is nothing to read");
        else if (probe_layout_compute(&extent, probing->n_runs + 1, n, &probing->layout))
                return true;
        else if (extent.size_bytes > limits->bytes_per_run)
                snprintf(reason, size, "%" PRIu64 " bytes a run are too few", limits->bytes_per_run);
        else
                snprintf(reason, size, "it is too small (%" PRIu64 " bytes)", extent.size_bytes);
        return false;
}

/* Every series that was asked for must have a run. */
static void check_runs(const struct probing *probing, const struct probe_limits *limits) {
        struct probe_result *result = probing->result;

        for (unsigned i = 0; i < _PROBE_SERIES_MAX; i++)
                if (source_is_present(&probing->sources[i]) && result->series[i].n_runs == 0)
                        snprintf(result->skipped, sizeof(result->skipped),
                                        "%" PRIu64 " ms were not enough for one run in each series", limits->time_msec);
}

static uint64_t deadline_usec(const struct probing *probing, const struct probe_limits *limits) {
        uint64_t deadline;

        if (__builtin_mul_overflow(limits->time_msec, 1000, &deadline) ||
                        __builtin_add_overflow(deadline, clock_now(probing), &deadline))
                return UINT64_MAX;
        return deadline;
}

static unsigned clamp(unsigned value, unsigned low, unsigned high) {
        return value < low ? low : value > high ? high : value;
}

int probe_run(const struct probe_ops *ops, const struct probe_limits *limits,
                const struct probe_source sources[static _PROBE_SERIES_MAX], struct probe_result *ret) {
        struct probe_result result = {};
        struct probing probing = {
                        .ops = ops,
                        .sources = sources,
                        .result = &result,
                        .n_runs = clamp(limits->runs, 1, PROBE_RUNS_MAX),
                        .block_bytes = limits->block_bytes == 0 ? PROBE_BLOCK_BYTES
                                                                : clamp(limits->block_bytes, 4096, PROBE_BLOCK_MAX),
        };
        _cleanup_(freep) void *buffer = NULL;
        int r;

        if (prepare(&probing, limits)) {
                buffer = malloc(probing.block_bytes);
                if (!buffer)
                        return -ENOMEM;
                probing.buffer = buffer;
                probing.deadline_usec = deadline_usec(&probing, limits);
                r = all_rounds(&probing);
                if (r < 0)
                        return r;
                check_runs(&probing, limits);
        }
        if (result.skipped[0] == '\0')
                probe_judge(&result);
        *ret = result;
        return 0;
}
