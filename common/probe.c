/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/probe-private.h"
#include "common/probe-range.h"

/* How the runs of a measurement go on. */
struct rounds {
        struct probing probing;
        struct probe_layout layout;
        struct probe_series *series;
        size_t present[PROBE_SOURCES_MAX]; /* indices of the sources that are there */
        unsigned n_present;
        unsigned n_runs;    /* in each series */
        unsigned runs_left; /* of all series, for their share of the time */
};

static bool source_is_present(const struct probe_source *source) {
        return source->fds;
}

static const struct probe_source *source_at(const struct rounds *rounds, size_t i) {
        return &rounds->probing.setup->sources[rounds->present[i]];
}

/* In whole blocks, as it is compared with what has been read. */
static uint64_t source_window(const struct probe_source *source, unsigned block_bytes) {
        uint64_t blocks = source->readahead_bytes / block_bytes + (source->readahead_bytes % block_bytes != 0), bytes;

        if (__builtin_mul_overflow(blocks > 0 ? blocks : 1, block_bytes, &bytes))
                return source->readahead_bytes;
        return bytes;
}

/* The share of the next run in the time that is left. */
static uint64_t soft_deadline(const struct rounds *rounds) {
        uint64_t now = probing_now(&rounds->probing), deadline = rounds->probing.deadline_usec;

        return now < deadline ? now + (deadline - now) / rounds->runs_left : now;
}

static bool budget_is_spent(const struct rounds *rounds) {
        uint64_t bytes = rounds->probing.setup->limits.bytes;

        return probing_is_over(&rounds->probing) || (bytes > 0 && rounds->probing.bytes_read >= bytes);
}

/* What is left of the budget bounds the run. */
static uint64_t run_bytes(const struct rounds *rounds) {
        uint64_t bytes = rounds->probing.setup->limits.bytes;

        if (bytes == 0 || bytes - rounds->probing.bytes_read >= rounds->layout.run_bytes)
                return rounds->layout.run_bytes;
        return bytes - rounds->probing.bytes_read;
}

static void show_progress(const struct rounds *rounds) {
        struct probe_progress *progress = rounds->probing.setup->progress;

        if (!progress)
                return;
        progress->bytes_read = rounds->probing.bytes_read;
        progress->runs_done++;
}

/* The run of the series present as number I in a round. */
static int one_run(struct rounds *rounds, unsigned round, unsigned i) {
        const struct probe_source *source = source_at(rounds, i);
        struct probe_series *series = &rounds->series[rounds->present[i]];
        struct probing *probing = &rounds->probing;
        struct probe_run run;
        uint64_t bytes_before = probing->bytes_read;
        double mbps = 0;
        int r;

        if (budget_is_spent(rounds))
                return 0;
        run = (struct probe_run){
                        .fd = source->fds[round],
                        .workload = source->workload,
                        .offset = probe_layout_offset(&rounds->layout, round, i),
                        .bytes = run_bytes(rounds),
                        .window_bytes = source_window(source, probing->block_bytes),
                        .soft_usec = soft_deadline(rounds),
        };
        r = probe_run_sequential(probing, &run, &mbps);
        if (r < 0)
                return r;
        rounds->runs_left--;
        series->bytes_read += probing->bytes_read - bytes_before;
        if (mbps > 0 && round < rounds->n_runs)
                series->mbps[series->n_runs++] = mbps;
        show_progress(rounds);
        return 0;
}

/* All series once, forward in even rounds and backward in odd ones, so that drift cancels out. */
static int one_round(struct rounds *rounds, unsigned round) {
        int r;

        for (unsigned i = 0; i < rounds->n_present; i++) {
                r = one_run(rounds, round, round % 2 == 0 ? i : rounds->n_present - 1 - i);
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
                r = one_run(rounds, rounds->n_runs, rounds->n_present > 1);
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

/* The smallest of the sources, and the largest of their windows. */
static void find_extent(const struct rounds *rounds, struct probe_extent *extent) {
        for (size_t i = 0; i < rounds->n_present; i++) {
                const struct probe_source *source = source_at(rounds, i);
                uint64_t window = source_window(source, rounds->probing.block_bytes);

                if (i == 0 || source->size_bytes < extent->size_bytes)
                        extent->size_bytes = source->size_bytes;
                if (window > extent->window_bytes)
                        extent->window_bytes = window;
        }
}

/* Sets layout and number of runs; false, with the reason, if there is nothing to measure. */
static bool prepare(struct rounds *rounds, char skipped[static PROBE_SKIPPED_MAX]) {
        const struct probe_setup *setup = rounds->probing.setup;
        struct probe_extent extent = {
                        .bytes_per_run = setup->limits.bytes_per_run, .block_bytes = rounds->probing.block_bytes};
        unsigned n_rounds = rounds->n_runs + !setup->limits.no_warm_up;

        find_present(rounds);
        find_extent(rounds, &extent);
        rounds->runs_left = rounds->n_present * rounds->n_runs + !setup->limits.no_warm_up;
        if (setup->progress)
                setup->progress->runs_planned = rounds->runs_left;
        if (rounds->n_present == 0)
                snprintf(skipped, PROBE_SKIPPED_MAX, "there is nothing to read");
        else if (probe_layout_compute(&extent, n_rounds, rounds->n_present, &rounds->layout))
                return true;
        else if (extent.size_bytes > extent.bytes_per_run)
                snprintf(skipped, PROBE_SKIPPED_MAX, "%" PRIu64 " bytes a run are too few", extent.bytes_per_run);
        else
                snprintf(skipped, PROBE_SKIPPED_MAX, "it is too small (%" PRIu64 " bytes)", extent.size_bytes);
        return false;
}

/* Every series that was asked for must have a run. */
static void check_runs(const struct rounds *rounds, char skipped[static PROBE_SKIPPED_MAX]) {
        for (size_t i = 0; i < rounds->n_present; i++)
                if (rounds->series[rounds->present[i]].n_runs == 0)
                        snprintf(skipped, PROBE_SKIPPED_MAX,
                                        "%" PRIu64 " ms were not enough for one run in each series",
                                        rounds->probing.setup->limits.time_msec);
}

static uint64_t deadline_usec(const struct probing *probing) {
        uint64_t deadline;

        if (__builtin_mul_overflow(probing->setup->limits.time_msec, 1000, &deadline) ||
                        __builtin_add_overflow(deadline, probing_now(probing), &deadline))
                return UINT64_MAX;
        return deadline;
}

static unsigned clamp(unsigned value, unsigned low, unsigned high) {
        return value < low ? low : value > high ? high : value;
}

static unsigned block_bytes(const struct probe_limits *limits) {
        return limits->block_bytes == 0 ? PROBE_BLOCK_BYTES : clamp(limits->block_bytes, 4096, PROBE_BLOCK_MAX);
}

int probe_measure(
                const struct probe_setup *setup, struct probe_series *series, char skipped[static PROBE_SKIPPED_MAX]) {
        struct rounds rounds = {
                        .probing = {.setup = setup, .block_bytes = block_bytes(&setup->limits)},
                        .series = series,
                        .n_runs = clamp(setup->limits.runs, 1, PROBE_RUNS_MAX),
        };
        _cleanup_(freep) void *buffer = NULL;
        int r;

        if (setup->n_sources > PROBE_SOURCES_MAX)
                return -E2BIG;
        memset(series, 0, setup->n_sources * sizeof(*series));
        skipped[0] = '\0';
        if (!prepare(&rounds, skipped))
                return 0;
        buffer = malloc(rounds.probing.block_bytes);
        if (!buffer)
                return -ENOMEM;
        rounds.probing.buffer = buffer;
        rounds.probing.deadline_usec = deadline_usec(&rounds.probing);
        r = all_rounds(&rounds);
        if (r < 0)
                return r;
        check_runs(&rounds, skipped);
        return 0;
}
