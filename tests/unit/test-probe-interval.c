/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/cleanup.h"
#include "common/probe-interval.h"

/* Runs of 10, 20, 30 … in an order of their own. */
static struct probe_series series_of(unsigned n) {
        struct probe_series series = {.n_runs = n};

        for (unsigned i = 0; i < n; i++)
                series.mbps[i] = 10.0 * (1 + (i * 7 + 3) % n);
        probe_series_judge(&series);
        return series;
}

/* As tables of the sign test's interval have it. */
static void test_interval(void **state) {
        static const struct {
                unsigned n;
                bool enough;
                unsigned low, high;
        } cases[] = {
                        {1, false, 10, 10}, {4, false, 10, 40}, {5, true, 10, 50}, /* 0.9375 */
                        {6, true, 10, 60},                                         /* 0.969 */
                        {8, true, 20, 70},                                         /* 0.930 */
                        {10, true, 20, 90},                                        /* 0.979 */
                        {11, true, 30, 90},                                        /* 0.935 */
                        {13, true, 40, 100},                                       /* 0.908 */
                        {15, true, 40, 120},                                       /* 0.965 */
                        {16, true, 50, 120},                                       /* 0.923 */
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct probe_series series = series_of(cases[i].n);
                double low, high;

                print_message("%u runs\n", cases[i].n);
                assert_int_equal(probe_median_interval(&series, &low, &high), cases[i].enough);
                assert_int_equal((int)low, cases[i].low);
                assert_int_equal((int)high, cases[i].high);
        }
}

static void test_none(void **state) {
        struct probe_series series = {};
        double low = 1, high = 1;

        assert_false(probe_median_interval(&series, &low, &high));
        assert_true(low == 0 && high == 0);
        assert_false(probe_median_is_certain(&series, 0.02));
}

static void test_certain(void **state) {
        static const struct {
                bool certain;
                unsigned n;
                double mbps[8];
        } cases[] = {
                        {true, 5, {100, 98.1, 101.9, 100, 99}},
                        {false, 5, {100, 97.9, 101, 100, 99}},
                        {false, 5, {100, 99, 102.1, 100, 99}},
                        {false, 4, {100, 100, 100, 100}},
                        {true, 8, {100, 50, 101, 100, 100, 99, 100, 200}},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct probe_series series = {.n_runs = cases[i].n};

                for (unsigned j = 0; j < cases[i].n; j++)
                        series.mbps[j] = cases[i].mbps[j];
                probe_series_judge(&series);
                assert_int_equal(probe_median_is_certain(&series, 0.02), cases[i].certain);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_interval),
                        cmocka_unit_test(test_none),
                        cmocka_unit_test(test_certain),
        };

        return cmocka_run_group_tests_name("probe-interval", tests, NULL, NULL);
}
