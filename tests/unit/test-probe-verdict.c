/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "common/cleanup.h"
#include "common/probe-compare.h"

/* xorshift64*, so that a seed says it all. */
static uint64_t next_random(uint64_t *state) {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        return *state * UINT64_C(2685821657736338717);
}

static double uniform(uint64_t *state) {
        return (double)(next_random(state) >> 11) / 9007199254740992.0;
}

enum noise { NOISE_NORMAL, NOISE_UNIFORM, NOISE_DIPS };

/* Mean 1 (dips: most are 1, one in seven is half of it). */
static double noisy(enum noise noise, double spread, uint64_t *state) {
        const double pi = 3.14159265358979323846;

        switch (noise) {
        case NOISE_UNIFORM: return 1 + spread * sqrt(3) * (2 * uniform(state) - 1);
        case NOISE_DIPS: return (uniform(state) < 0.15 ? 0.5 : 1) * (1 + spread * (uniform(state) - 0.5));
        case NOISE_NORMAL: break;
        }
        return 1 + spread * sqrt(-2 * log(1 - uniform(state))) * cos(2 * pi * uniform(state));
}

static enum probe_verdict judge_synthetic(enum noise noise, double spread, double gain, unsigned runs, uint64_t seed) {
        struct probe_result result = {};
        uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;

        result.series[PROBE_BEFORE].n_runs = result.series[PROBE_AFTER].n_runs = runs;
        for (unsigned i = 0; i < runs; i++) {
                result.series[PROBE_BEFORE].mbps[i] = 100 * noisy(noise, spread, &state);
                result.series[PROBE_AFTER].mbps[i] = 100 * gain * noisy(noise, spread, &state);
        }
        probe_judge(&result);
        return result.verdict;
}

static unsigned count_verdicts(
                enum noise noise, double spread, double gain, unsigned runs, enum probe_verdict verdict) {
        unsigned n = 0;

        for (uint64_t seed = 1; seed <= 100; seed++)
                n += judge_synthetic(noise, spread, gain, runs, seed) == verdict;
        return n;
}

static void test_equal_is_no_difference(void **state) {
        static const enum noise noises[] = {NOISE_NORMAL, NOISE_UNIFORM, NOISE_DIPS};
        static const double spreads[] = {0.02, 0.1, 0.3};

        for (size_t i = 0; i < ARRAY_SIZE(noises); i++)
                for (size_t j = 0; j < ARRAY_SIZE(spreads); j++)
                        for (unsigned runs = 3; runs <= PROBE_RUNS_MAX; runs++)
                                assert_true(count_verdicts(noises[i], spreads[j], 1, runs, PROBE_NO_DIFFERENCE) >= 90);
        /* The mark that is promised, where it is promised. */
        for (size_t i = 0; i < ARRAY_SIZE(noises); i++)
                assert_true(count_verdicts(noises[i], 0.1, 1, 5, PROBE_NO_DIFFERENCE) >= 95);
}

static void test_gain_is_seen(void **state) {
        assert_true(count_verdicts(NOISE_NORMAL, 0.1, 1.5, 5, PROBE_FASTER) >= 95);
        assert_true(count_verdicts(NOISE_UNIFORM, 0.1, 1.5, 5, PROBE_FASTER) >= 95);
        assert_true(count_verdicts(NOISE_NORMAL, 0.1, 1 / 1.5, 5, PROBE_SLOWER) >= 95);
        assert_true(count_verdicts(NOISE_NORMAL, 0.02, 1.1, 5, PROBE_FASTER) >= 95);
        assert_true(count_verdicts(NOISE_NORMAL, 0.1, 1.5, PROBE_RUNS_MAX, PROBE_FASTER) == 100);
}

static void test_small_effect_is_not_told(void **state) {
        assert_int_equal(count_verdicts(NOISE_NORMAL, 0.0001, 1.02, 9, PROBE_NO_DIFFERENCE), 100);
        assert_int_equal(count_verdicts(NOISE_NORMAL, 0.0001, 1.05, 9, PROBE_FASTER), 100);
        assert_int_equal(count_verdicts(NOISE_NORMAL, 0.0001, 0.98, 9, PROBE_NO_DIFFERENCE), 100);
}

struct judge_case {
        unsigned n_before, n_after;
        double before[PROBE_RUNS_MAX], after[PROBE_RUNS_MAX];
        enum probe_verdict verdict;
        double gain;
};

static void test_judge_table(void **state) {
        static const struct judge_case cases[] = {
                        {0, 0, {}, {}, PROBE_NONE, 0},
                        {0, 5, {}, {1, 2, 3, 4, 5}, PROBE_NONE, 0},
                        {5, 0, {1, 2, 3, 4, 5}, {}, PROBE_NONE, 0},
                        {3, 3, {0, 0, 0}, {1, 1, 1}, PROBE_NONE, 0},
                        {1, 1, {10}, {100}, PROBE_NO_DIFFERENCE, 10},
                        {3, 3, {10, 11, 12}, {100, 110, 120}, PROBE_NO_DIFFERENCE, 10}, /* chance 1 in 10 */
                        {4, 4, {10, 11, 12, 13}, {20, 22, 24, 26}, PROBE_FASTER, 2},    /* 1 in 35 */
                        {5, 4, {5, 4, 3, 2, 1}, {9, 9, 9, 9}, PROBE_FASTER, 3},
                        {5, 5, {9, 9, 9, 9, 9}, {9, 9, 9, 9, 9}, PROBE_NO_DIFFERENCE, 1}, /* ties */
                        {5, 5, {10, 10, 10, 10, 20}, {20, 20, 20, 20, 20}, PROBE_NO_DIFFERENCE, 2},
                        {5, 5, {50, 50, 50, 50, 50}, {25, 25, 25, 25, 25}, PROBE_SLOWER, 0.5},
                        /* U = 2 of 25: 1 in 31; U = 3: 1 in 18 */
                        {5, 5, {10, 10, 10, 10, 21}, {20, 20, 22, 22, 22}, PROBE_FASTER, 2.2},
                        {5, 5, {10, 10, 10, 10, 21}, {20, 20, 20, 22, 22}, PROBE_NO_DIFFERENCE, 2},
                        /* One run that was disturbed hides nothing. */
                        {5, 5, {50, 51, 49, 50, 50}, {146, 147, 45, 146, 148}, PROBE_NO_DIFFERENCE, 2.92},
                        {6, 6, {50, 51, 49, 50, 50, 50}, {146, 147, 60, 146, 148, 146}, PROBE_FASTER, 2.92},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct judge_case *c = &cases[i];
                struct probe_result result = {};

                result.series[PROBE_BEFORE].n_runs = c->n_before;
                result.series[PROBE_AFTER].n_runs = c->n_after;
                for (unsigned j = 0; j < PROBE_RUNS_MAX; j++) {
                        result.series[PROBE_BEFORE].mbps[j] = c->before[j];
                        result.series[PROBE_AFTER].mbps[j] = c->after[j];
                }
                probe_judge(&result);
                assert_string_equal(probe_verdict_name(result.verdict), probe_verdict_name(c->verdict));
                assert_true(fabs(result.gain - c->gain) < 1e-9);
        }
}

static void test_series(void **state) {
        struct probe_result result = {};

        result.series[PROBE_ARRAY] = (struct probe_series){.n_runs = 5, .mbps = {5, 1, 3, 100, 4}};
        probe_judge(&result);
        assert_true(result.series[PROBE_ARRAY].median_mbps == 4);
        assert_true(result.series[PROBE_ARRAY].mad_mbps == 1);
        assert_true(result.series[PROBE_ARRAY].mbps[0] == 5); /* the order of the runs is kept */
}

static void test_median(void **state) {
        double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};

        assert_true(probe_median(odd, 3) == 2);
        assert_true(probe_median(even, 4) == 2.5);
        assert_true(probe_median(one, 1) == 7);
}

static void test_keep_condition(void **state) {
        static const struct {
                struct keep_condition condition;
                enum probe_verdict verdict;
                double gain;
                bool met;
        } cases[] = {
                        {{false, false, 5}, PROBE_SLOWER, 0.5, true},
                        {{true, false, 5}, PROBE_NONE, 0, true},
                        /* No loss is asked for: only one that is shown counts, and only if it is as large. */
                        {{true, true, 0.97}, PROBE_SLOWER, 0.96, false},
                        {{true, true, 0.97}, PROBE_SLOWER, 0.97, true},
                        {{true, false, 0.97}, PROBE_SLOWER, 0.97, false},
                        {{true, true, 0.97}, PROBE_NO_DIFFERENCE, 0.5, true},
                        {{true, true, 0.97}, PROBE_FASTER, 1.1, true},
                        {{true, true, 1}, PROBE_NO_DIFFERENCE, 0.99, true},
                        {{true, true, 1}, PROBE_SLOWER, 0.96, false},
                        /* A gain is asked for: it must be shown. */
                        {{true, false, 1}, PROBE_NO_DIFFERENCE, 1.02, false},
                        {{true, false, 1}, PROBE_FASTER, 1.04, true},
                        {{true, true, 1.05}, PROBE_NO_DIFFERENCE, 1.5, false},
                        {{true, true, 1.05}, PROBE_FASTER, 1.04, false},
                        {{true, true, 1.05}, PROBE_FASTER, 1.05, true},
                        {{true, false, 1.05}, PROBE_FASTER, 1.05, false},
                        {{true, true, 1.05}, PROBE_SLOWER, 0.5, false},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct probe_result result = {.verdict = cases[i].verdict, .gain = cases[i].gain};

                assert_int_equal(keep_condition_is_met(&cases[i].condition, &result), cases[i].met);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_equal_is_no_difference),
                        cmocka_unit_test(test_gain_is_seen),
                        cmocka_unit_test(test_small_effect_is_not_told),
                        cmocka_unit_test(test_judge_table),
                        cmocka_unit_test(test_series),
                        cmocka_unit_test(test_median),
                        cmocka_unit_test(test_keep_condition),
        };

        return cmocka_run_group_tests_name("probe-verdict", tests, NULL, NULL);
}
