/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "common/cleanup.h"
#include "common/probe-compare.h"
#include "common/probe-stats.h"

static void assert_near(double value, double wanted, double tolerance) {
        assert_true(fabs(value - wanted) <= tolerance);
}

/* Levels of Pocock's test for a chance of 2 % in all; what 5 and 6 runs can reach is 2 in 252 and 2 in 924. */
static void test_looks(void **state) {
        static const struct {
                unsigned runs, first;
                double level;
        } cases[] = {
                        {0, 0, 0.02},
                        {1, 0, 0.02},
                        {4, 0, 0.02},
                        {5, 5, 0.02},
                        {6, 5, 0.01137},
                        {7, 5, 0.00838},
                        {8, 6, 0.00838},
                        {9, 6, 0.00684},
                        {16, 6, 0.00367},
                        {1000, 6, 0.00367},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct probe_looks looks = probe_looks_plan(cases[i].runs);

                assert_int_equal(looks.first, cases[i].first);
                assert_near(looks.level, cases[i].level, 0.00001);
                assert_near(erfc(looks.z / sqrt(2)), looks.level, 1e-12);
        }
        assert_int_equal(probe_runs_least(), 5);
}

/*
 * What the tables of the Mann-Whitney test give as the largest U that is significant, two-sided: seen from where the
 * interval begins among ratios that are 1, e, e², …
 */
static void test_interval_agrees_with_tables(void **state) {
        static const struct {
                unsigned m, n;
                double level;
                int u;
        } cases[] = {
                        {3, 3, 0.05, -1},
                        {4, 4, 0.05, 0},
                        {5, 5, 0.05, 2},
                        {5, 5, 0.01, 0},
                        {5, 8, 0.05, 6},
                        {8, 5, 0.05, 6},
                        {8, 8, 0.05, 13},
                        {8, 8, 0.01, 7},
                        {10, 10, 0.05, 23},
                        {10, 10, 0.01, 16},
                        {12, 15, 0.05, 49},
                        {16, 16, 0.05, 75},
                        {16, 16, 0.01, 60},
                        {5, 5, 0.02, 1},
                        {6, 6, 0.02, 3},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                double a[PROBE_RUNS_MAX], b[PROBE_RUNS_MAX], low, high;
                const struct probe_figures x = {a, cases[i].m}, y = {b, cases[i].n};
                double last = (double)(cases[i].m * cases[i].n - 1);

                for (unsigned j = 0; j < cases[i].m; j++)
                        a[j] = exp(-(double)(j * cases[i].n));
                for (unsigned j = 0; j < cases[i].n; j++)
                        b[j] = exp(j);
                assert_int_equal(probe_ratio_interval(&x, &y, cases[i].level, &low, &high), cases[i].u >= 0);
                if (cases[i].u < 0)
                        continue;
                assert_near(log(low), cases[i].u, 1e-9);
                assert_near(log(high), last - cases[i].u, 1e-9);
        }
}

static void test_interval_of_figures(void **state) {
        const double a[] = {10, 13, 11, 14, 12}, b[] = {28, 20, 26, 22, 24};
        const struct probe_figures x = {a, 5}, y = {b, 5};
        double low, high;

        /* The smallest ratios are 20/14 and 20/13, the largest 28/10 and 26/10; one is cut off at either end. */
        assert_true(probe_ratio_interval(&x, &y, 0.02, &low, &high));
        assert_near(low, 20.0 / 13, 1e-12);
        assert_near(high, 2.6, 1e-12);
        assert_true(probe_ratio_interval(&x, &y, 0.008, &low, &high));
        assert_near(low, 20.0 / 14, 1e-12);
        assert_near(high, 2.8, 1e-12);
        assert_false(probe_ratio_interval(&x, &y, 0.0079, &low, &high));
}

static void test_runs_needed(void **state) {
        /* Distances of the logs: 0, 0.1, 0.2 in each; their median is 0.1, and 0.1 × 1.4826 × 3 / 2 the deviation. */
        const double a[] = {100, 100 * exp(0.1), 100 * exp(-0.2)}, one[] = {100, 100, 100, 100};
        const double most[] = {100, 100, 100, 100 * exp(0.2)};
        const struct probe_figures x = {a, 3}, few = {a, 2}, same = {one, 4}, mostly = {most, 4};
        double s = 0.22239, z = 2.9051 + 1.2816;

        assert_int_equal(probe_runs_needed(&x, &x, 1.1),
                        (unsigned)ceil(2 * s * s * z * z / (log(1.1) * log(1.1)) * 1.0471976));
        assert_int_equal(probe_runs_needed(&x, &x, 1 / 1.1), probe_runs_needed(&x, &x, 1.1));
        /* 12 runs have 7 looks, with a level of their own. */
        z = 2.8223 + 1.2816;
        assert_int_equal(probe_runs_needed(&x, &x, exp(s * z * sqrt(2 * 1.0471976 / 11.9))), 12);
        assert_int_equal(probe_runs_needed(&x, &x, 10), 5);
        assert_int_equal(probe_runs_needed(&same, &same, 1.03), 5);
        /* Most are one: their mean distance is 0.05, and 0.05 × 1.2533 × 4 / 3 the deviation. */
        s = 0.083553;
        z = 2.9051 + 1.2816;
        assert_int_equal(probe_runs_needed(&mostly, &mostly, 1.1),
                        (unsigned)ceil(2 * s * s * z * z / (log(1.1) * log(1.1)) * 1.0471976));
        assert_int_equal(probe_runs_needed(&x, &few, 1.1), 0);
        assert_int_equal(probe_runs_needed(&few, &x, 1.1), 0);
        assert_int_equal(probe_runs_needed(&x, &x, 1.000001), 0);
        assert_int_equal(probe_runs_needed(&x, &x, 1), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_looks),
                        cmocka_unit_test(test_interval_agrees_with_tables),
                        cmocka_unit_test(test_interval_of_figures),
                        cmocka_unit_test(test_runs_needed),
        };

        return cmocka_run_group_tests_name("probe-stats", tests, NULL, NULL);
}
