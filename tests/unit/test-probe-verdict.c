/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
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
        probe_judge(&result, runs);
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
                                assert_true(count_verdicts(noises[i], spreads[j], 1, runs, PROBE_NO_DIFFERENCE) >= 95);
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
        unsigned runs, n_before, n_after;
        double before[PROBE_RUNS_MAX], after[PROBE_RUNS_MAX];
        enum probe_verdict verdict;
        double gain, low, high;
        unsigned needed;
};

static void judge(const struct judge_case *c, struct probe_result *ret) {
        *ret = (struct probe_result){.gain = 7, .gain_low = 7, .gain_high = 7, .runs_needed = 7};
        ret->series[PROBE_BEFORE].n_runs = c->n_before;
        ret->series[PROBE_AFTER].n_runs = c->n_after;
        for (unsigned j = 0; j < PROBE_RUNS_MAX; j++) {
                ret->series[PROBE_BEFORE].mbps[j] = c->before[j];
                ret->series[PROBE_AFTER].mbps[j] = c->after[j];
        }
        probe_judge(ret, c->runs);
}

static void check_judge_cases(const struct judge_case *cases, size_t n) {
        for (size_t i = 0; i < n; i++) {
                struct probe_result result;

                judge(&cases[i], &result);
                assert_string_equal(probe_verdict_name(result.verdict), probe_verdict_name(cases[i].verdict));
                assert_true(fabs(result.gain - cases[i].gain) < 1e-9);
                assert_true(fabs(result.gain_low - cases[i].low) < 1e-9);
                assert_true(fabs(result.gain_high - cases[i].high) < 1e-9);
                assert_int_equal(result.runs_needed, cases[i].needed);
        }
}

static void test_judge_few_runs(void **state) {
        static const struct judge_case cases[] = {
                        {5, 0, 0, {}, {}, PROBE_NONE, 0, 0, 0, 0},
                        {5, 0, 5, {}, {1, 2, 3, 4, 5}, PROBE_NONE, 0, 0, 0, 0},
                        {5, 5, 0, {1, 2, 3, 4, 5}, {}, PROBE_NONE, 0, 0, 0, 0},
                        {3, 3, 3, {0, 0, 0}, {1, 1, 1}, PROBE_NONE, 0, 0, 0, 0},
                        {1, 1, 1, {10}, {100}, PROBE_NO_DIFFERENCE, 10, 0, 0, 0},
                        {2, 2, 2, {10, 11}, {105, 105}, PROBE_NO_DIFFERENCE, 10, 0, 0, 0},
                        /* Chance 1 in 10, and 1 in 35: too large, but five runs could show that much. */
                        {3, 3, 3, {10, 11, 12}, {100, 110, 120}, PROBE_NO_DIFFERENCE, 10, 0, 0, 5},
                        {4, 4, 4, {10, 11, 12, 13}, {20, 22, 24, 26}, PROBE_NO_DIFFERENCE, 2, 0, 0, 5},
                        /* 1 in 63: the time was over before the last run. */
                        {5, 5, 4, {5, 4, 3, 2, 1}, {9, 9, 9, 9}, PROBE_FASTER, 3, 1.8, 9, 0},
                        /* 1 in 126 is enough where five is all, not where the runs are looked at twelve times. */
                        {5, 5, 5, {5, 5, 5, 5, 5}, {9, 9, 9, 9, 9}, PROBE_FASTER, 1.8, 1.8, 1.8, 0},
                        {16, 5, 5, {5, 5, 5, 5, 5}, {9, 9, 9, 9, 9}, PROBE_NO_DIFFERENCE, 1.8, 0, 0, 6},
                        {16, 6, 6, {5, 5, 5, 5, 5, 5}, {9, 9, 9, 9, 9, 9}, PROBE_FASTER, 1.8, 1.8, 1.8, 0},
        };

        check_judge_cases(cases, ARRAY_SIZE(cases));
}

static void test_judge_table(void **state) {
        static const struct judge_case cases[] = {
                        {5, 5, 5, {9, 9, 9, 9, 9}, {9, 9, 9, 9, 9}, PROBE_NO_DIFFERENCE, 1, 1, 1, 5}, /* ties */
                        {5, 5, 5, {50, 50, 50, 50, 50}, {25, 25, 25, 25, 25}, PROBE_SLOWER, 0.5, 0.5, 0.5, 0},
                        /* Runs in wrong order: one pair of 25 is 1 in 63, two are 1 in 31. Ties are in wrong order. */
                        {5, 5, 5, {10, 10, 10, 10, 21}, {20, 22, 22, 22, 22}, PROBE_FASTER, 2.2, 22.0 / 21, 2.2, 0},
                        {5, 5, 5, {10, 10, 10, 10, 20}, {20, 22, 22, 22, 22}, PROBE_FASTER, 2.2, 1.1, 2.2, 0},
                        {5, 5, 5, {10, 10, 10, 10, 21}, {20, 20, 22, 22, 22}, PROBE_NO_DIFFERENCE, 2.2, 20.0 / 21, 2.2,
                                        6},
                        {5, 5, 5, {22, 22, 22, 22, 20}, {21, 10, 10, 10, 10}, PROBE_SLOWER, 10.0 / 22, 10.0 / 22,
                                        21.0 / 22, 0},
                        /* In two heaps. */
                        {5, 5, 5, {10, 10, 20, 20, 20}, {20, 20, 20, 40, 40}, PROBE_NO_DIFFERENCE, 1, 1, 4, 7928},
                        /* A run that was disturbed hides the difference from five, not from eight. */
                        {5, 5, 5, {50, 51, 49, 50, 50}, {146, 147, 45, 146, 148}, PROBE_NO_DIFFERENCE, 2.92, 0.9, 3, 6},
                        {10, 10, 10, {50, 51, 49, 50, 50, 50, 50, 50, 50, 50},
                                        {146, 147, 45, 146, 148, 146, 146, 146, 146, 146}, PROBE_FASTER, 2.92,
                                        146.0 / 51, 148.0 / 50, 0},
        };

        check_judge_cases(cases, ARRAY_SIZE(cases));
}

/* Interval and verdict never tell different things. */
static void test_interval_agrees_with_verdict(void **state) {
        uint64_t random = 1;

        for (unsigned i = 0; i < 20000; i++) {
                enum noise noise = next_random(&random) % (NOISE_DIPS + 1);
                struct judge_case c = {.runs = 1 + next_random(&random) % PROBE_RUNS_MAX};
                double gain = 0.8 + 0.4 * uniform(&random);
                struct probe_result r;

                c.n_before = 1 + next_random(&random) % c.runs;
                c.n_after = 1 + next_random(&random) % c.runs;
                for (unsigned j = 0; j < c.runs; j++) {
                        /* In steps, for ties. */
                        c.before[j] = 10 * round(10 * noisy(noise, 0.1, &random));
                        c.after[j] = 10 * round(10 * gain * noisy(noise, 0.1, &random));
                }
                judge(&c, &r);
                assert_int_equal(r.gain_low > 0, r.gain_high > 0);
                if (r.gain_low > 0)
                        assert_true(r.gain_low <= r.gain && r.gain <= r.gain_high);
                assert_int_equal(r.verdict == PROBE_FASTER, r.gain_low > 1 && r.gain >= 1 + PROBE_EFFECT_MIN);
                assert_int_equal(r.verdict == PROBE_SLOWER,
                                r.gain_high > 0 && r.gain_high < 1 && r.gain <= 1 - PROBE_EFFECT_MIN);
                if (probe_shows_none(&r))
                        assert_int_equal(r.verdict, PROBE_NO_DIFFERENCE);
                if (r.runs_needed > 0 && probe_effect_is_seen(&r))
                        assert_true(r.runs_needed > probe_result_runs(&r) && r.verdict == PROBE_NO_DIFFERENCE);
        }
}

static void test_verdict_names(void **state) {
        for (enum probe_verdict verdict = PROBE_NONE; verdict <= PROBE_NO_DIFFERENCE; verdict++) {
                enum probe_verdict again;

                assert_int_equal(probe_verdict_from_name(probe_verdict_name(verdict), &again), 0);
                assert_int_equal(again, verdict);
        }
        assert_int_equal(probe_verdict_from_name("quicker", &(enum probe_verdict){0}), -EINVAL);
}

static void test_series(void **state) {
        struct probe_result result = {};

        result.series[PROBE_ARRAY] = (struct probe_series){.n_runs = 5, .mbps = {5, 1, 3, 100, 4}};
        probe_judge(&result, 5);
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
                        cmocka_unit_test(test_judge_few_runs),
                        cmocka_unit_test(test_judge_table),
                        cmocka_unit_test(test_interval_agrees_with_verdict),
                        cmocka_unit_test(test_verdict_names),
                        cmocka_unit_test(test_series),
                        cmocka_unit_test(test_median),
                        cmocka_unit_test(test_keep_condition),
        };

        return cmocka_run_group_tests_name("probe-verdict", tests, NULL, NULL);
}
