/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/probe-run.h"

/* At most this part of the time is kept for the end. */
#define TIME_KEPT_SHARE 16U

static bool source_is_present(const struct probe_source *source) {
        return source->fds;
}

/* All series once, forward in even rounds and backward in odd ones, so that drift cancels out. */
static int one_round(struct rounds *rounds, unsigned round) {
        int r;

        for (unsigned i = 0; i < rounds->n_present; i++) {
                r = probe_one_run(rounds, round, round % 2 == 0 ? i : rounds->n_present - 1 - i);
                if (r < 0)
                        return r;
        }
        return 0;
}

static bool is_enough(const struct rounds *rounds) {
        const struct probe_setup *setup = rounds->probing.setup;

        for (size_t i = 0; i < setup->n_sources; i++)
                probe_series_judge(&rounds->series[i]);
        return setup->enough && setup->enough(rounds->series, setup->n_sources, setup->userdata);
}

static int all_rounds(struct rounds *rounds) {
        int r;

        /* What is read first on a machine is slower for reasons of its own. */
        if (!rounds->probing.setup->limits.no_warm_up) {
                r = probe_one_run(rounds, rounds->n_runs, rounds->n_present > 1);
                if (r < 0)
                        return r;
        }
        for (unsigned round = 0; round < rounds->n_runs; round++) {
                r = one_round(rounds, round);
                if (r < 0)
                        return r;
                if (is_enough(rounds))
                        break;
        }
        return 0;
}

static void find_present(struct rounds *rounds) {
        const struct probe_setup *setup = rounds->probing.setup;

        for (size_t i = 0; i < setup->n_sources; i++)
                if (source_is_present(&setup->sources[i]))
                        rounds->present[rounds->n_present++] = i;
}

/* Of the sources read in sequence the smallest, the largest of their windows, and the most of their streams. */
static void find_extent(const struct rounds *rounds, struct probe_extent *extent) {
        bool first = true;

        extent->cold = true;
        extent->n_parts = 1;
        for (size_t i = 0; i < rounds->n_present; i++) {
                const struct probe_source *source = source_at(rounds, i);
                uint64_t window = source_window(source, rounds->probing.block_bytes);

                if (probe_workload_is_random(source->workload))
                        continue;
                if (first || source->size_bytes < extent->size_bytes)
                        extent->size_bytes = source->size_bytes;
                first = false;
                if (window > extent->window_bytes)
                        extent->window_bytes = window;
                if (source->streams > extent->n_parts)
                        extent->n_parts = source->streams;
                if (source->workload != PROBE_SEQUENTIAL_COLD)
                        extent->cold = false;
        }
        /* The limit is that of a run, whatever the number of its readers. */
        extent->bytes_per_run = rounds->probing.setup->limits.bytes_per_run / extent->n_parts;
}

/* Sets layout and number of runs; false, with the reason, if there is nothing to measure. */
static bool prepare(struct rounds *rounds, char skipped[static PROBE_SKIPPED_MAX]) {
        const struct probe_limits *limits = &rounds->probing.setup->limits;
        struct probe_progress *progress = rounds->probing.setup->progress;
        struct probe_extent extent = {.block_bytes = rounds->probing.block_bytes};
        unsigned n_rounds = rounds->n_runs + !limits->no_warm_up;

        find_present(rounds);
        find_extent(rounds, &extent);
        rounds->window_bytes = extent.window_bytes;
        rounds->n_readers = extent.n_parts;
        rounds->runs_left = rounds->n_present * rounds->n_runs + !limits->no_warm_up;
        if (progress)
                progress->runs_planned = rounds->runs_left;
        if (rounds->n_present == 0)
                snprintf(skipped, PROBE_SKIPPED_MAX, "there is nothing to read");
        else if (!probe_random_prepare(rounds->probing.setup, &rounds->probing.cells, skipped))
                return false;
        else if (extent.window_bytes == 0 ||
                        probe_layout_compute(&extent, n_rounds, rounds->n_present, &rounds->layout))
                return true;
        else if (extent.size_bytes > limits->bytes_per_run)
                snprintf(skipped, PROBE_SKIPPED_MAX, "%" PRIu64 " bytes a run are too few", limits->bytes_per_run);
        else
                snprintf(skipped, PROBE_SKIPPED_MAX, "it is too small (%" PRIu64 " bytes)", extent.size_bytes);
        return false;
}

static uint64_t mib(uint64_t bytes) {
        return bytes / (1U << 20);
}

static void say_in_use(const struct rounds *rounds, char skipped[static PROBE_SKIPPED_MAX]) {
        errno = -rounds->cached_error;
        if (rounds->cached_error == -EPERM)
                snprintf(skipped, PROBE_SKIPPED_MAX, "which of its pages are in use is told to its owner only");
        else if (rounds->cached_error < 0)
                snprintf(skipped, PROBE_SKIPPED_MAX, "which of its pages are in use can't be seen: %m");
        else
                snprintf(skipped, PROBE_SKIPPED_MAX,
                                "its pages are in use: %" PRIu64 " of %" PRIu64 " MiB looked at are in the page cache",
                                mib(rounds->tally.cached_bytes), mib(rounds->tally.bytes));
}

/* Every series that was asked for must have a run. */
static void check_runs(const struct rounds *rounds, char skipped[static PROBE_SKIPPED_MAX]) {
        const struct probe_limits *limits = &rounds->probing.setup->limits;

        for (size_t i = 0; i < rounds->n_present; i++) {
                if (rounds->series[rounds->present[i]].n_runs > 0)
                        continue;
                if (rounds->in_use[rounds->present[i]])
                        say_in_use(rounds, skipped);
                else if (rounds->out_of_bytes)
                        snprintf(skipped, PROBE_SKIPPED_MAX,
                                        "%" PRIu64 " bytes were not enough for one run in each series", limits->bytes);
                else
                        snprintf(skipped, PROBE_SKIPPED_MAX,
                                        "%" PRIu64 " ms were not enough for one run in each series", limits->time_msec);
                return;
        }
}

/* Some of the time is kept for what is still being read when the last run is over. */
static void set_deadline(struct probing *probing) {
        uint64_t now = probing_now(probing), usec, kept = PROBE_DROP_MSEC * UINT64_C(1000);

        if (__builtin_mul_overflow(probing->setup->limits.time_msec, 1000, &usec) ||
                        __builtin_add_overflow(now, usec, &probing->end_usec)) {
                probing->deadline_usec = probing->end_usec = UINT64_MAX;
                return;
        }
        if (kept > usec / TIME_KEPT_SHARE)
                kept = usec / TIME_KEPT_SHARE;
        probing->deadline_usec = probing->end_usec - kept;
}

static unsigned clamp(unsigned value, unsigned low, unsigned high) {
        return value < low ? low : value > high ? high : value;
}

static unsigned block_bytes(const struct probe_limits *limits) {
        return limits->block_bytes == 0 ? PROBE_BLOCK_BYTES : clamp(limits->block_bytes, 4096, PROBE_BLOCK_MAX);
}

static bool is_too_much(const struct probe_setup *setup) {
        for (size_t i = 0; i < setup->n_sources; i++)
                if (setup->sources[i].streams > PROBE_STREAMS_MAX)
                        return true;
        return setup->n_sources > PROBE_SOURCES_MAX;
}

int probe_measure(
                const struct probe_setup *setup, struct probe_series *series, char skipped[static PROBE_SKIPPED_MAX]) {
        struct rounds rounds = {
                        .probing = {.setup = setup, .block_bytes = block_bytes(&setup->limits)},
                        .series = series,
                        .n_runs = clamp(setup->limits.runs, 1, PROBE_RUNS_MAX),
        };
        _cleanup_(freep) struct probe_run *readers = NULL;
        _cleanup_(freep) void *buffer = NULL;
        int r;

        if (is_too_much(setup))
                return -E2BIG;
        memset(series, 0, setup->n_sources * sizeof(*series));
        skipped[0] = '\0';
        if (!prepare(&rounds, skipped))
                return 0;
        rounds.probing.buffer = buffer = malloc(rounds.probing.block_bytes);
        rounds.readers = readers = calloc(rounds.n_readers, sizeof(*readers));
        if (!buffer || !readers)
                return -ENOMEM;
        set_deadline(&rounds.probing);
        r = all_rounds(&rounds);
        if (r < 0)
                return r;
        check_runs(&rounds, skipped);
        return 0;
}
