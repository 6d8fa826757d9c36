/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "common/cleanup.h"
#include "common/probe.h"
#include "tests/support/probe-model.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

struct measured {
        struct probe_model model;
        struct probe_progress progress;
        struct probe_series series[2];
        char skipped[PROBE_SKIPPED_MAX];
        int error;
};

static const struct probe_limits usual = {.time_msec = 3000, .bytes_per_run = 64 * MIB, .runs = 5};

static void set_up(struct measured *m, uint64_t size) {
        *m = (struct measured){};
        probe_model_init(&m->model, size);
        m->model.counts = true;
}

/* Two series, with readahead of 128 KiB and 1 MiB; of the second alone if it is cold. */
static void measure(struct measured *m, const struct probe_limits *limits, enum probe_workload workload) {
        int fds[2][PROBE_FDS_MAX];
        struct probe_source sources[2];
        struct probe_ops ops = probe_model_ops(&m->model);
        const bool cold = workload == PROBE_SEQUENTIAL_COLD;
        const struct probe_setup setup = {.ops = &ops,
                        .limits = *limits,
                        .sources = sources + cold,
                        .n_sources = 2 - cold,
                        .progress = &m->progress};

        for (unsigned i = 0; i < 2; i++) {
                for (unsigned j = 0; j < PROBE_FDS_MAX; j++) {
                        fds[i][j] = (int)(i * PROBE_FDS_MAX + j);
                        m->model.readers[fds[i][j]].readahead_bytes = i == 0 ? 128 * KIB : MIB;
                }
                sources[i] = (struct probe_source){.fds = fds[i],
                                .size_bytes = m->model.size_bytes,
                                .readahead_bytes = i == 0 ? 128 * KIB : MIB,
                                .workload = workload};
        }
        m->error = probe_measure(&setup, m->series, m->skipped);
        assert_int_equal(probe_model_own(&m->model), 0);
        if (m->error == 0)
                assert_int_equal(m->progress.bytes_read, m->model.bytes);
        probe_model_done(&m->model);
}

static void assert_measured(const struct measured *m, unsigned n_series, unsigned runs) {
        assert_int_equal(m->error, 0);
        assert_string_equal(m->skipped, "");
        for (unsigned i = 0; i < n_series; i++)
                assert_int_equal(m->series[i].n_runs, runs);
}

static uint64_t read_by_runs(const struct measured *m, uint64_t offset, uint64_t bytes) {
        uint64_t sum = 0;

        for (unsigned i = 0; i < MODEL_READERS; i++) {
                const struct model_reader *reader = &m->model.readers[i];
                uint64_t from = reader->start > offset ? reader->start : offset,
                         to = reader->position < offset + bytes ? reader->position : offset + bytes;

                if (from < to)
                        sum += to - from;
        }
        return sum;
}

/* What a file system has everywhere: a few pages, which are read over and stay. */
static void test_a_few_pages_stay(void **state) {
        struct measured m;
        uint64_t held;

        set_up(&m, GIB);
        for (uint64_t at = 0; at < GIB; at += 4 * MIB)
                probe_model_hold(&m.model, at + 8 * KIB, 8 * KIB);
        held = probe_model_held(&m.model);
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_measured(&m, 2, 5);
        assert_int_equal(probe_model_held(&m.model), held);
        assert_true(read_by_runs(&m, 0, GIB) == m.model.bytes);
}

/* What is in use is not read, as long as there is something else. */
static void test_places_in_use_are_left_alone(void **state) {
        static const uint64_t extents[][3] = {
                        /* size, where, how much */
                        {100 * GIB, 0, 40 * GIB},                  /* most zones are in use as a whole */
                        {100 * GIB, 0, 64 * MIB},                  /* a slot's beginning */
                        {100 * GIB, 16 * GIB, 84 * GIB},           /* all zones but one */
                        {GIB, 100 * MIB, 800 * MIB},               /* little is left */
                        {100 * GIB, 64 * MIB + 64 * KIB, 2 * MIB}, /* only behind the end of a run */
                        {300 * MIB, 0, 200 * MIB},
        };

        for (size_t i = 0; i < ARRAY_SIZE(extents); i++) {
                struct measured m;

                set_up(&m, extents[i][0]);
                probe_model_hold(&m.model, extents[i][1], extents[i][2]);
                measure(&m, &usual, PROBE_SEQUENTIAL);
                assert_measured(&m, 2, 5);
                assert_int_equal(probe_model_held(&m.model), extents[i][2]);
                assert_int_equal(read_by_runs(&m, extents[i][1], extents[i][2]), 0);
                for (unsigned j = 0; j < m.model.n_order; j++) {
                        const struct model_reader *reader = &m.model.readers[m.model.order[j]];

                        assert_true(reader->position <= extents[i][1] ||
                                        reader->position >= extents[i][1] + extents[i][2]);
                }
        }
}

/* Where every place has something, the one with the least is taken. */
static void test_least_cached(void **state) {
        struct measured m;
        uint64_t held;

        set_up(&m, 64 * MIB);
        for (uint64_t at = 0; at < 64 * MIB; at += MIB)
                probe_model_hold(&m.model, at, at >= 32 * MIB ? 4 * KIB : 12 * KIB);
        held = probe_model_held(&m.model);
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_measured(&m, 2, 5);
        assert_int_equal(probe_model_held(&m.model), held);
        assert_int_equal(read_by_runs(&m, 0, 28 * MIB), 0);
}

static void test_in_use(void **state) {
        static const struct {
                uint64_t size, step, bytes;
                const char *skipped;
        } cases[] = {
                        {GIB, GIB, GIB, "its pages are in use: 963 of 963 MiB looked at are in the page cache"},
                        /* No room between them. */
                        {GIB, 2 * MIB, MIB, "its pages are in use: 481 of 963 MiB looked at are in the page cache"},
                        /* Little, but in too many parts to keep it. */
                        {16 * MIB, 128 * KIB, 512, "its pages are in use: 0 of 16 MiB looked at are in the page cache"},
                        /* So little that it is read over. */
                        {256 * MIB, 8 * MIB, 36 * KIB, ""},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct measured m;
                uint64_t held;

                set_up(&m, cases[i].size);
                for (uint64_t at = 0; at < cases[i].size; at += cases[i].step)
                        probe_model_hold(&m.model, at, cases[i].bytes);
                held = probe_model_held(&m.model);
                measure(&m, &usual, PROBE_SEQUENTIAL);
                assert_int_equal(m.error, 0);
                assert_string_equal(m.skipped, cases[i].skipped);
                assert_int_equal(probe_model_held(&m.model), held);
                if (cases[i].skipped[0] != '\0')
                        assert_int_equal(m.model.bytes, 0);
        }
}

static void test_blind(void **state) {
        struct measured m;

        set_up(&m, GIB);
        m.model.blind = true;
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_int_equal(m.error, 0);
        assert_string_equal(m.skipped, "which of its pages are in use is told to its owner only");
        assert_int_equal(m.model.bytes, 0);
}

/* Also what a run has read that failed. */
static void test_failed_run_leaves_nothing(void **state) {
        struct measured m;

        set_up(&m, GIB);
        m.model.fail_after_bytes = 10 * MIB;
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_int_equal(m.error, -EIO);
}

static void test_bytes(void **state) {
        static const struct {
                uint64_t bytes;
                const char *skipped;
        } cases[] = {
                        {0, ""},
                        {100 * MIB, ""},
                        {37 * MIB + 5, ""},
                        {3 * MIB, "3145728 bytes were not enough for one run in each series"},
                        {1, "1 bytes were not enough for one run in each series"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct probe_limits limits = {.time_msec = 60000, .bytes_per_run = 12 * MIB, .runs = 5};
                struct measured m;

                set_up(&m, GIB);
                limits.bytes = cases[i].bytes;
                measure(&m, &limits, PROBE_SEQUENTIAL);
                assert_int_equal(m.error, 0);
                assert_string_equal(m.skipped, cases[i].skipped);
                if (cases[i].bytes > 0)
                        assert_true(m.model.bytes <= cases[i].bytes);
                /* What is left is of use for one run more, as long as that shows something. */
                if (cases[i].bytes > 10 * MIB)
                        assert_true(m.model.bytes + 4 * MIB > cases[i].bytes);
                assert_int_equal(m.progress.runs_planned, 11);
                if (cases[i].bytes == 0)
                        assert_int_equal(m.progress.runs_done, 11);
                for (unsigned j = 0; j < m.series[1].n_runs; j++)
                        assert_true(fabs(m.series[1].mbps[j] - 104.4) < 0.5);
        }
}

/* With what is still being read at the end, which takes as long as it takes: one that hangs is not waited for. */
static void test_time(void **state) {
        static const uint64_t latency[] = {1000, 10000, 30000};

        for (size_t i = 0; i < ARRAY_SIZE(latency); i++) {
                struct probe_limits limits = {.time_msec = 2000, .bytes_per_run = 64 * MIB, .runs = 5};
                struct measured m;

                set_up(&m, 100 * GIB);
                m.model.latency_usec = latency[i];
                measure(&m, &limits, PROBE_SEQUENTIAL);
                assert_int_equal(m.error, 0);
                assert_true(m.model.now_usec <= 1000000 + limits.time_msec * 1000);
        }
}

static void test_fetched(void **state) {
        struct measured m;

        set_up(&m, 100 * GIB);
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_measured(&m, 2, 5);
        for (unsigned i = 0; i < 2; i++) {
                uint64_t warm_up = i == 1 ? m.series[i].bytes_read - m.series[i].bytes_asked : 0;

                assert_true(m.series[i].bytes_asked > 0);
                assert_int_equal(m.series[i].bytes_asked + warm_up, m.series[i].bytes_read);
                assert_true(i == 0 || warm_up > 0);
                /* The model fetches whole windows. */
                assert_true(m.series[i].bytes_fetched >= m.series[i].bytes_asked);
                assert_true(m.series[i].bytes_fetched <= m.series[i].bytes_asked + 5 * MIB);
        }
        set_up(&m, 100 * GIB);
        m.model.counts = false;
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_measured(&m, 2, 5);
        assert_int_equal(m.series[1].bytes_asked, 0);
        assert_int_equal(m.series[1].bytes_fetched, 0);
}

/* As hdparm -t and dd: from the beginning, one run, as much as there is time or bytes for. */
static void test_cold(void **state) {
        static const struct {
                uint64_t size, bytes, held, held_bytes; /* what others have */
                uint64_t start, read;
        } cases[] = {
                        {100 * GIB, 2 * GIB, 50 * GIB, MIB, 0, 300 * MIB},
                        {100 * GIB, 64 * MIB, 50 * GIB, MIB, 0, 64 * MIB},
                        {GIB, 2 * GIB, GIB, 0, 0, 300 * MIB},
                        {200 * MIB, 2 * GIB, 0, 0, 0, 200 * MIB},
                        /* A superblock. */
                        {100 * GIB, 64 * MIB, 4 * KIB, 4 * KIB, 0, 64 * MIB},
                        /* Little of it all, but much of what may be all that is read. */
                        {64 * GIB, 64 * MIB, 0, 300 * KIB, 33 * MIB - PROBE_BLOCK_BYTES, 64 * MIB},
                        /* The beginning is in use: elsewhere, where there is most. */
                        {64 * GIB, 64 * MIB, 0, 20 * MIB, 33 * MIB - PROBE_BLOCK_BYTES, 64 * MIB},
                        {64 * MIB, GIB, 0, 20 * MIB + 4 * KIB, 21 * MIB - PROBE_BLOCK_BYTES,
                                        43 * MIB + PROBE_BLOCK_BYTES},
                        {64 * MIB, GIB, 33 * MIB, 31 * MIB, 0, 30 * MIB},
        };
        const struct probe_limits limits = {.time_msec = 3000, .runs = 1, .no_warm_up = true};

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct probe_limits bounded = limits;
                const struct model_reader *reader;
                struct measured m;

                set_up(&m, cases[i].size);
                bounded.bytes_per_run = cases[i].bytes;
                probe_model_hold(&m.model, cases[i].held, cases[i].held_bytes);
                measure(&m, &bounded, PROBE_SEQUENTIAL_COLD);
                assert_measured(&m, 1, 1);
                reader = &m.model.readers[m.model.order[0]];
                assert_int_equal(m.model.n_order, 1);
                assert_int_equal(reader->start, cases[i].start);
                assert_true(fabs((double)m.model.bytes - (double)cases[i].read) <= (double)(cases[i].read / 10));
                assert_true(m.model.bytes <= cases[i].read || cases[i].read == 300 * MIB);
                assert_int_equal(probe_model_held(&m.model), cases[i].held_bytes);
        }
}

/*
 * Elsewhere than at the device's start the kernel reads the first block by itself: the windows behind it are to begin where
 * they would for who reads the device from its start.
 */
static void test_windows_begin_at_whole_ones(void **state) {
        struct measured m;

        set_up(&m, 100 * GIB);
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_measured(&m, 2, 5);
        for (unsigned i = 0; i < m.model.n_order; i++) {
                uint64_t start = m.model.readers[m.model.order[i]].start;

                assert_int_equal(start > 0 ? (start + PROBE_BLOCK_BYTES) % MIB : 0, 0);
        }
        assert_true(m.model.readers[m.model.order[m.model.n_order - 1]].start > 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_a_few_pages_stay),
                        cmocka_unit_test(test_places_in_use_are_left_alone),
                        cmocka_unit_test(test_least_cached),
                        cmocka_unit_test(test_in_use),
                        cmocka_unit_test(test_blind),
                        cmocka_unit_test(test_failed_run_leaves_nothing),
                        cmocka_unit_test(test_bytes),
                        cmocka_unit_test(test_time),
                        cmocka_unit_test(test_fetched),
                        cmocka_unit_test(test_cold),
                        cmocka_unit_test(test_windows_begin_at_whole_ones),
        };

        return cmocka_run_group_tests_name("probe-place", tests, NULL, NULL);
}
