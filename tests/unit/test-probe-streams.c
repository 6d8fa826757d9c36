/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/probe.h"
#include "tests/support/probe-model.h"

#define KIB       (UINT64_C(1) << 10)
#define MIB       (UINT64_C(1) << 20)
#define GIB       (UINT64_C(1) << 30)
#define READAHEAD MIB

struct measured {
        struct probe_model model;
        struct probe_series series;
        char skipped[PROBE_SKIPPED_MAX];
        int error;
};

static const struct probe_limits usual = {.time_msec = 1500, .bytes_per_run = 256 * MIB, .runs = 3, .no_warm_up = true};

static void set_up(struct measured *m, uint64_t size, unsigned n_streams) {
        *m = (struct measured){};
        probe_model_init(&m->model, size);
        m->model.n_streams = n_streams;
        for (unsigned i = 0; i < MODEL_READERS; i++)
                m->model.readers[i].readahead_bytes = READAHEAD;
}

static void measure(struct measured *m, const struct probe_limits *limits, enum probe_workload workload) {
        int fds[MODEL_READERS];
        const struct probe_source source = {.fds = fds,
                        .size_bytes = m->model.size_bytes,
                        .readahead_bytes = READAHEAD,
                        .workload = workload,
                        .streams = m->model.n_streams};
        struct probe_ops ops = probe_model_ops(&m->model);
        const struct probe_setup setup = {.ops = &ops, .limits = *limits, .sources = &source, .n_sources = 1};

        for (unsigned i = 0; i < MODEL_READERS; i++)
                fds[i] = (int)i;
        m->error = probe_measure(&setup, &m->series, m->skipped);
        /* In less time than that, what is still being read at the end is not waited for but by its reader. */
        if (limits->time_msec >= 500) {
                assert_int_equal(probe_model_own(&m->model), 0);
                assert_true(m->model.now_usec <= 1000000 + limits->time_msec * 1000);
        }
        assert_true(m->model.now_usec <= 1000000 + limits->time_msec * 1000 + m->model.latency_usec);
        assert_int_equal(m->series.bytes_read, m->error < 0 ? 0 : m->model.bytes);
        probe_model_done(&m->model);
}

/* MB/s of one reader that takes a window in each latency. */
static double rate(uint64_t latency_usec) {
        return (double)READAHEAD / (double)(latency_usec + READAHEAD / PROBE_BLOCK_BYTES * MODEL_COPY_USEC);
}

static void assert_rates(const struct measured *m, unsigned runs, double wanted, double tolerance) {
        assert_int_equal(m->error, 0);
        assert_string_equal(m->skipped, "");
        assert_int_equal(m->series.n_runs, runs);
        for (unsigned i = 0; i < runs; i++)
                assert_true(fabs(m->series.mbps[i] - wanted) <= wanted * tolerance);
}

/* All that a run has read: each stream a place of its own, far from the others. */
static void assert_apart(const struct measured *m, unsigned run) {
        unsigned n = m->model.n_streams;

        for (unsigned i = 0; i < n; i++)
                for (unsigned j = 0; j < i; j++) {
                        const struct model_reader *a = &m->model.readers[run * n + i],
                                                  *b = &m->model.readers[run * n + j];
                        uint64_t distance = a->start > b->start ? a->start - b->start : b->start - a->start;

                        assert_true(distance >= m->model.size_bytes / n - MIB);
                }
}

static void test_sum_of_all(void **state) {
        static const unsigned n[] = {2, 3, 8};

        for (size_t i = 0; i < ARRAY_SIZE(n); i++) {
                struct measured m;

                set_up(&m, 100 * GIB, n[i]);
                measure(&m, &usual, PROBE_SEQUENTIAL);
                assert_rates(&m, 3, n[i] * rate(10000), 0.01);
                for (unsigned run = 0; run < 3; run++)
                        assert_apart(&m, run);
                assert_true(m.model.readers[0].start != m.model.readers[n[i]].start);
                assert_int_equal(m.model.n_order, 3 * n[i]);
        }
}

/* Some places are slower: each counts what it does while all are reading. */
static void test_unequal(void **state) {
        struct measured m;

        set_up(&m, 100 * GIB, 3);
        for (unsigned i = 0; i < 9; i++)
                m.model.readers[i].latency_usec = 5000 + i % 3 * 5000;
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_rates(&m, 3, rate(5000) + rate(10000) + rate(15000), 0.01);
}

/* So short that the whole windows of each are all that tells its rate; or not even those, or nothing. */
static void test_short(void **state) {
        struct probe_limits limits = usual;
        struct measured m;

        limits.runs = 1;
        limits.bytes_per_run = 2 * 10 * MIB;
        set_up(&m, 100 * GIB, 2);
        m.model.readers[1].latency_usec = 11000;
        measure(&m, &limits, PROBE_SEQUENTIAL);
        assert_rates(&m, 1, rate(10000) + rate(11000), 0.01);
        assert_true(m.model.bytes <= limits.bytes_per_run);
        limits.time_msec = 30;
        set_up(&m, 100 * GIB, 2);
        measure(&m, &limits, PROBE_SEQUENTIAL);
        assert_string_equal(m.skipped, "30 ms were not enough for one run in each series");
}

/* Windows that are larger than half a place: from the start of all, in blocks. */
static void test_large_windows(void **state) {
        struct probe_limits limits = usual;
        struct measured m;

        limits.bytes_per_run = 2 * 3 * MIB;
        set_up(&m, 100 * GIB, 2);
        measure(&m, &limits, PROBE_SEQUENTIAL);
        assert_int_equal(m.error, 0);
        assert_int_equal(m.series.n_runs, 3);
        assert_true(m.series.mbps[0] < 2 * rate(10000) && m.series.mbps[0] > rate(10000));
}

static void test_budget(void **state) {
        struct probe_limits limits = usual;
        struct measured m;

        limits.bytes = 150 * MIB + 1;
        set_up(&m, 100 * GIB, 4);
        measure(&m, &limits, PROBE_SEQUENTIAL);
        assert_int_equal(m.error, 0);
        assert_true(m.model.bytes <= limits.bytes);
        assert_true(m.model.bytes > 120 * MIB);
}

static void test_held(void **state) {
        struct measured m;

        set_up(&m, 4 * GIB, 4);
        probe_model_hold(&m.model, 0, 128 * MIB);
        probe_model_hold(&m.model, 2 * GIB + 16 * MIB, 100 * KIB);
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_rates(&m, 3, 4 * rate(10000), 0.01);
        assert_int_equal(probe_model_held(&m.model), 128 * MIB + 100 * KIB);
        set_up(&m, 4 * GIB, 4);
        /* One of four parts is in use: then there are no four streams. */
        probe_model_hold(&m.model, GIB, GIB);
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_non_null(strstr(m.skipped, "its pages are in use"));
        assert_int_equal(m.model.bytes, 0);
}

static void test_errors(void **state) {
        struct measured m;

        set_up(&m, 100 * GIB, 4);
        m.model.fail_after_bytes = 20 * MIB;
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_int_equal(m.error, -EIO);
        /* One that fails ends them all. */
        set_up(&m, 100 * GIB, 4);
        m.model.fail_after_bytes = 20 * MIB;
        m.model.only_fails = 2;
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_int_equal(m.error, -EIO);
        assert_true(m.model.bytes < 22 * MIB);
        set_up(&m, 100 * GIB, 4);
        m.model.ends = true;
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_int_equal(m.error, -ENODATA);
        set_up(&m, 100 * GIB, PROBE_STREAMS_MAX + 1);
        measure(&m, &usual, PROBE_SEQUENTIAL);
        assert_int_equal(m.error, -E2BIG);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_sum_of_all),
                        cmocka_unit_test(test_unequal),
                        cmocka_unit_test(test_short),
                        cmocka_unit_test(test_large_windows),
                        cmocka_unit_test(test_budget),
                        cmocka_unit_test(test_held),
                        cmocka_unit_test(test_errors),
        };

        return cmocka_run_group_tests_name("probe-streams", tests, NULL, NULL);
}
