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
#include "common/probe-compare.h"
#include "tests/support/probe-model.h"

#define KIB   (UINT64_C(1) << 10)
#define MIB   (UINT64_C(1) << 20)
#define GIB   (UINT64_C(1) << 30)
#define N_FDS (_PROBE_ROLE_MAX * PROBE_FDS_MAX)

struct setup {
        struct probe_model model;
        int fds[_PROBE_ROLE_MAX][PROBE_FDS_MAX];
        struct probe_source sources[_PROBE_ROLE_MAX];
        struct probe_ops ops;
};

static void set_up(struct setup *s, uint64_t size, const uint64_t readahead[_PROBE_ROLE_MAX]) {
        *s = (struct setup){};
        probe_model_init(&s->model, size);
        s->ops = probe_model_ops(&s->model);
        for (unsigned i = 0; i < _PROBE_ROLE_MAX; i++) {
                for (unsigned j = 0; j < PROBE_FDS_MAX; j++) {
                        s->fds[i][j] = (int)(i * PROBE_FDS_MAX + j);
                        s->model.readers[s->fds[i][j]].readahead_bytes =
                                        readahead[i] > PROBE_BLOCK_BYTES ? readahead[i] : PROBE_BLOCK_BYTES;
                }
                if (readahead[i] > 0)
                        s->sources[i] = (struct probe_source){
                                        .fds = s->fds[i], .size_bytes = size, .readahead_bytes = readahead[i]};
        }
}

/* MB/s of a window in each latency, and the copying of its blocks. */
static double steady_rate(uint64_t readahead, uint64_t latency_usec) {
        double copying = (double)(readahead / PROBE_BLOCK_BYTES * MODEL_COPY_USEC);

        return (double)readahead / ((double)latency_usec + copying);
}

static void assert_close(double value, double wanted, double tolerance) {
        assert_true(fabs(value - wanted) <= wanted * tolerance);
}

static const struct probe_limits usual = {.time_msec = 3000, .bytes_per_run = 64 * MIB, .runs = 5};

static void test_steady_rates(void **state) {
        static const uint64_t readahead[][_PROBE_ROLE_MAX] = {
                        {128 * KIB, 1536 * KIB, 1536 * KIB},
                        {128 * KIB, 3584 * KIB, 3584 * KIB},
                        {128 * KIB, 512 * KIB, 0},
                        {4 * MIB, 128 * KIB, 4 * MIB},
        };

        for (size_t i = 0; i < ARRAY_SIZE(readahead); i++) {
                struct setup s;
                struct probe_result result;

                set_up(&s, 100 * GIB, readahead[i]);
                assert_int_equal(probe_compare(&s.ops, &usual, s.sources, NULL, &result), 0);
                assert_string_equal(result.skipped, "");
                for (unsigned j = 0; j < _PROBE_ROLE_MAX; j++) {
                        if (readahead[i][j] == 0) {
                                assert_int_equal(result.series[j].n_runs, 0);
                                continue;
                        }
                        assert_int_equal(result.series[j].n_runs, usual.runs);
                        assert_close(result.series[j].median_mbps, steady_rate(readahead[i][j], 10000), 0.02);
                        assert_close(result.series[j].mbps[0], steady_rate(readahead[i][j], 10000), 0.02);
                }
                assert_int_equal(result.verdict, readahead[i][1] > readahead[i][0] ? PROBE_FASTER : PROBE_SLOWER);
                assert_int_equal(result.bytes_read, s.model.bytes);
        }
}

static void test_limits_are_kept(void **state) {
        static const struct probe_limits limits[] = {
                        {.time_msec = 3000, .bytes_per_run = 64 * MIB, .runs = 5},
                        {.time_msec = 500, .bytes_per_run = 64 * MIB, .runs = 16},
                        {.time_msec = 60000, .bytes_per_run = 4 * MIB, .runs = 3},
                        {.time_msec = 1000, .bytes_per_run = 8 * MIB, .runs = 100},
        };
        static const uint64_t readahead[] = {128 * KIB, 1536 * KIB, 1536 * KIB};

        for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
                struct setup s;
                struct probe_result result;
                uint64_t taken;

                set_up(&s, 100 * GIB, readahead);
                assert_int_equal(probe_compare(&s.ops, &limits[i], s.sources, NULL, &result), 0);
                /* One read may be on its way when the time is up. */
                taken = s.model.now_usec - 1000000;
                assert_true(taken <= limits[i].time_msec * 1000 + s.model.latency_usec + MODEL_COPY_USEC);
                for (size_t j = 0; j < N_FDS; j++)
                        assert_true(s.model.readers[j].position - s.model.readers[j].start <= limits[i].bytes_per_run);
                assert_true(result.series[PROBE_AFTER].n_runs <= PROBE_RUNS_MAX);
        }
}

static void test_interleaved(void **state) {
        static const uint64_t readahead[] = {128 * KIB, 1536 * KIB, 1536 * KIB};
        static const int wanted[] = {
                        PROBE_AFTER * PROBE_FDS_MAX + 4, /* warm-up */
                        PROBE_BEFORE * PROBE_FDS_MAX + 0,
                        PROBE_AFTER * PROBE_FDS_MAX + 0,
                        PROBE_ARRAY * PROBE_FDS_MAX + 0,
                        PROBE_ARRAY * PROBE_FDS_MAX + 1,
                        PROBE_AFTER * PROBE_FDS_MAX + 1,
                        PROBE_BEFORE * PROBE_FDS_MAX + 1,
                        PROBE_BEFORE * PROBE_FDS_MAX + 2,
                        PROBE_AFTER * PROBE_FDS_MAX + 2,
                        PROBE_ARRAY * PROBE_FDS_MAX + 2,
                        PROBE_ARRAY * PROBE_FDS_MAX + 3,
                        PROBE_AFTER * PROBE_FDS_MAX + 3,
                        PROBE_BEFORE * PROBE_FDS_MAX + 3,
        };
        struct probe_limits limits = usual;
        struct probe_result result;
        struct setup s;

        limits.runs = 4;
        set_up(&s, 100 * GIB, readahead);
        assert_int_equal(probe_compare(&s.ops, &limits, s.sources, NULL, &result), 0);
        assert_int_equal(s.model.n_order, ARRAY_SIZE(wanted));
        assert_memory_equal(s.model.order, wanted, sizeof(wanted));
        /* Rounds are spread over the device. */
        assert_true(s.model.readers[PROBE_BEFORE * PROBE_FDS_MAX + 3].start > 50 * GIB);
}

/* A machine that becomes slower and slower makes no difference between like series. */
static void test_drift_cancels(void **state) {
        static const uint64_t readahead[] = {MIB, MIB, 0};
        struct probe_limits limits = usual;
        struct probe_result result;
        struct setup s;

        limits.runs = 6;
        set_up(&s, 100 * GIB, readahead);
        s.model.slowdown_per_run = 0.05;
        assert_int_equal(probe_compare(&s.ops, &limits, s.sources, NULL, &result), 0);
        assert_int_equal(result.verdict, PROBE_NO_DIFFERENCE);
        assert_true(result.gain > 0.95 && result.gain < 1.05);
}

static void test_one_series(void **state) {
        static const uint64_t readahead[] = {0, MIB, 0};
        struct probe_result result;
        struct setup s;

        set_up(&s, GIB, readahead);
        assert_int_equal(probe_compare(&s.ops, &usual, s.sources, NULL, &result), 0);
        assert_int_equal(result.verdict, PROBE_NONE);
        assert_string_equal(result.skipped, "");
        assert_int_equal(result.series[PROBE_AFTER].n_runs, 5);
        assert_close(result.series[PROBE_AFTER].median_mbps, steady_rate(MIB, 10000), 0.02);
}

static void test_skipped(void **state) {
        static const uint64_t readahead[] = {128 * KIB, MIB, 0}, none[] = {0, 0, 0};
        static const struct {
                uint64_t size, time_msec, bytes;
                const uint64_t *readahead;
                const char *text;
        } cases[] = {
                        {MIB, 3000, 64 * MIB, readahead, "it is too small (1048576 bytes)"},
                        {GIB, 3000, 1000, readahead, "1000 bytes a run are too few"},
                        {GIB, 0, 64 * MIB, readahead, "0 ms were not enough for one run in each series"},
                        {GIB, 30, 64 * MIB, readahead, "30 ms were not enough for one run in each series"},
                        {GIB, 3000, 64 * MIB, none, "there is nothing to read"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct probe_limits limits = {
                                .time_msec = cases[i].time_msec, .bytes_per_run = cases[i].bytes, .runs = 5};
                struct probe_result result;
                struct setup s;

                set_up(&s, cases[i].size, cases[i].readahead);
                s.model.latency_usec = 20000;
                assert_int_equal(probe_compare(&s.ops, &limits, s.sources, NULL, &result), 0);
                assert_string_equal(result.skipped, cases[i].text);
                assert_int_equal(result.verdict, PROBE_NONE);
                assert_true(result.gain == 0);
        }
}

static void test_errors(void **state) {
        static const uint64_t readahead[] = {128 * KIB, MIB, 0};
        struct probe_result result = {.gain = 42};
        struct setup s;

        set_up(&s, GIB, readahead);
        s.model.fail_after_bytes = 10 * MIB;
        assert_int_equal(probe_compare(&s.ops, &usual, s.sources, NULL, &result), -EIO);
        set_up(&s, GIB, readahead);
        s.model.ends = true;
        assert_int_equal(probe_compare(&s.ops, &usual, s.sources, NULL, &result), -ENODATA);
        assert_true(result.gain == 42);
}

/* Also where the bytes, not the time, end a run: it ends at a whole window. */
static void test_runs_of_whole_windows(void **state) {
        static const uint64_t readahead[] = {MIB, 1536 * KIB, 0};
        struct probe_limits limits = {.time_msec = 600000, .bytes_per_run = 11 * MIB + 128 * KIB, .runs = 3};
        struct probe_result result;
        struct setup s;

        set_up(&s, 100 * GIB, readahead);
        assert_int_equal(probe_compare(&s.ops, &limits, s.sources, NULL, &result), 0);
        assert_close(result.series[PROBE_BEFORE].median_mbps, steady_rate(MIB, 10000), 0.005);
        assert_close(result.series[PROBE_AFTER].median_mbps, steady_rate(1536 * KIB, 10000), 0.005);
}

/* A readahead that is larger than what a run may read: slower than it is, never faster. */
static void test_window_beyond_run(void **state) {
        static const uint64_t readahead[] = {64 * MIB, 128 * KIB, 0};
        struct probe_result result;
        struct setup s;

        set_up(&s, 100 * GIB, readahead);
        assert_int_equal(probe_compare(&s.ops, &usual, s.sources, NULL, &result), 0);
        assert_true(result.series[PROBE_BEFORE].median_mbps < steady_rate(64 * MIB, 10000));
        assert_int_equal(result.verdict, PROBE_SLOWER);
}

static void test_block_size(void **state) {
        static const uint64_t readahead[] = {MIB, 4 * MIB, 0};
        struct probe_limits limits = usual;
        struct probe_result result;
        struct setup s;

        limits.block_bytes = MIB;
        set_up(&s, 100 * GIB, readahead);
        assert_int_equal(probe_compare(&s.ops, &limits, s.sources, NULL, &result), 0);
        assert_int_equal(result.bytes_read % MIB, 0);
        assert_close(result.series[PROBE_BEFORE].median_mbps, (double)MIB / 10005, 0.02);
        assert_close(result.series[PROBE_AFTER].median_mbps, (double)(4 * MIB) / 10020, 0.02);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_steady_rates),
                        cmocka_unit_test(test_limits_are_kept),
                        cmocka_unit_test(test_interleaved),
                        cmocka_unit_test(test_drift_cancels),
                        cmocka_unit_test(test_one_series),
                        cmocka_unit_test(test_skipped),
                        cmocka_unit_test(test_errors),
                        cmocka_unit_test(test_runs_of_whole_windows),
                        cmocka_unit_test(test_window_beyond_run),
                        cmocka_unit_test(test_block_size),
        };

        return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
