/* SPDX-License-Identifier: MIT */

/* The search for a readahead, on devices whose throughput is a formula. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/topology.h"
#include "common/tune.h"

#define MIB        (UINT64_C(1) << 20)
#define RUN_BYTES  (256 * MIB)
#define SWEEP_RUNS (UINT64_C(12) * 3)
#define CASES      200
#define KIB(n)     ((double)(n)*2) /* sectors */

/* MB/s at a readahead. */
typedef double (*curve)(double sectors);

/* A window's latency and then the device's own rate. */
static double knee(double sectors) {
        return fmin(400, 400 * sectors / KIB(3000));
}

static double early_knee(double sectors) {
        return fmin(400, 400 * sectors / KIB(200));
}

static double soft_knee(double sectors) {
        return 500 / (1 + KIB(300) / sectors);
}

/* 650, 942 and 380 MB/s at 128, 1024 and 15360 KiB; straight between them on a logarithmic scale. */
static double hump(double sectors) {
        if (sectors <= KIB(1024))
                return 650 + (942 - 650) * log(fmax(sectors, KIB(128)) / KIB(128)) / log(8);
        return fmax(300, 942 - (942 - 380) * log(sectors / KIB(1024)) / log(15));
}

static double narrow_hump(double sectors) {
        return 100 + 300 * exp(-pow(log2(sectors / KIB(1024)), 2));
}

static double flat(double sectors) {
        return 180;
}

static double rising(double sectors) {
        return sectors / 100;
}

static double falling(double sectors) {
        return 400 - 50 * log2(sectors / KIB(64));
}

static const struct tune_bounds usual = {
                .page_bytes = 4096,
                .max_sectors = 32768,
                .now_sectors = {.known = true, .value = 256},
                .bytes_per_run = RUN_BYTES,
};

static double random_normal(void) {
        double sum = 0;

        for (unsigned i = 0; i < 12; i++)
                sum += drand48();
        return sum - 6;
}

/* Measures until nothing more is asked for. */
static struct tune_choice search(struct tune *tune, const struct tune_bounds *bounds, curve mbps, double noise) {
        struct tune_choice choice;
        unsigned n = 0;
        size_t i;

        tune_begin(tune, bounds);
        for (; tune_next(tune, &i); n++) {
                assert_true(n < TUNE_VALUES_MAX * TUNE_RUNS_MAX);
                tune_add(tune, i, mbps((double)tune->values[i].sectors) * (1 + noise * random_normal()),
                                tune_run_bytes(tune, i));
        }
        assert_true(tune_choose(tune, &choice));
        return choice;
}

static double best_of(curve mbps, double max) {
        double best = 0;

        for (double s = 256; s <= max; s *= 1.01)
                best = fmax(best, mbps(s));
        return best;
}

static double smallest_of(curve mbps, double least_mbps) {
        double s = 256;

        while (mbps(s) < least_mbps)
                s *= 1.01;
        return s;
}

static void check_economy(const struct tune *tune) {
        assert_true(tune->bytes_read * 3 <= SWEEP_RUNS * RUN_BYTES);
}

static const curve curves[] = {knee, early_knee, soft_knee, hump, narrow_hump, flat, rising, falling};

static void test_finds_the_smallest_that_is_fast(void **state) {
        for (size_t i = 0; i < ARRAY_SIZE(curves); i++) {
                struct tune tune;
                struct tune_choice choice = search(&tune, &usual, curves[i], 0);
                double chosen = (double)tune.values[choice.chosen].sectors, best = best_of(curves[i], 32768);

                print_message("curve %zu: %.0f sectors, %.3f of the best, %.2f times the smallest; %.0f MiB read\n", i,
                                chosen, curves[i](chosen) / best,
                                chosen / smallest_of(curves[i], best * (1 - TUNE_SLACK)),
                                (double)tune.bytes_read / MIB);
                assert_true(choice.finished);
                check_economy(&tune);
                /* A narrow hump's very top lies between two values. */
                assert_true(curves[i](chosen) >= best * (1 - TUNE_SLACK) * 0.99);
                assert_true(chosen <= smallest_of(curves[i], best * (1 - TUNE_SLACK)) * 1.5 * 1.15);
        }
}

/* How often a choice is slower than it may be, or larger by more than a factor of two than it must be. */
static unsigned count_bad(curve mbps, double noise, double *ret_bytes) {
        double best = best_of(mbps, 32768), largest = 2 * smallest_of(mbps, best * (1 - TUNE_SLACK));
        unsigned bad = 0;

        *ret_bytes = 0;
        for (unsigned i = 0; i < CASES; i++) {
                struct tune tune;
                struct tune_choice choice = search(&tune, &usual, mbps, noise);
                double chosen = (double)tune.values[choice.chosen].sectors;

                check_economy(&tune);
                bad += mbps(chosen) < best * (1 - TUNE_SLACK - 0.02) || chosen > largest;
                *ret_bytes += (double)tune.bytes_read / CASES;
        }
        return bad;
}

static void test_noise(void **state) {
        static const double noises[] = {0.005, 0.02, 0.05};
        static const unsigned allowed[] = {CASES / 100, CASES / 6, CASES * 9 / 20};

        srand48(1);
        for (size_t i = 0; i < ARRAY_SIZE(curves); i++)
                for (size_t j = 0; j < ARRAY_SIZE(noises); j++) {
                        double bytes;
                        unsigned bad = count_bad(curves[i], noises[j], &bytes);

                        print_message("curve %zu, noise %g: %u of %u not as they should be, %.0f MiB read\n", i,
                                        noises[j], bad, CASES, bytes / MIB);
                        assert_true(bad <= allowed[j]);
                }
}

static void test_values(void **state) {
        struct tune_bounds bounds = usual;
        struct tune tune;

        bounds.stripe_sectors = 3584;
        bounds.plan_sectors = opt_some(7168);
        tune_begin(&tune, &bounds);
        assert_true(tune_find(&tune, 3584) < tune.n_values);
        assert_true(tune_find(&tune, 7168) < tune.n_values && tune.values[tune_find(&tune, 7168)].coarse);
        assert_true(tune.values[0].sectors == 256 && tune.values[0].coarse);
        assert_true(tune.values[tune.n_values - 1].sectors == 32768 && tune.values[tune.n_values - 1].coarse);
        for (size_t i = 0; i < tune.n_values; i++) {
                assert_int_equal(tune.values[i].sectors % 8, 0);
                assert_true(i == 0 || (double)tune.values[i].sectors < 1.75 * (double)tune.values[i - 1].sectors);
                assert_true(i == 0 || tune.values[i].sectors > tune.values[i - 1].sectors);
        }
}

/* What the device has and what the plan gives it are measured as they are; what no run can fill is not. */
static void test_given_values(void **state) {
        struct tune_bounds bounds = usual;
        struct tune tune;

        bounds.now_sectors = opt_some(264);
        bounds.plan_sectors = opt_some(65536);
        bounds.max_sectors = 4096;
        tune_begin(&tune, &bounds);
        assert_true(tune.values[0].sectors == 264 && tune.values[0].coarse);
        assert_int_equal(tune.values[tune.n_values - 1].sectors, 65536);
        assert_true(tune.values[tune.n_values - 2].sectors == 4096);

        bounds.now_sectors = opt_some(0);
        bounds.plan_sectors = opt_some(8388608);
        tune_begin(&tune, &bounds);
        assert_int_equal(tune.values[0].sectors, 0);
        assert_int_equal(tune.values[tune.n_values - 1].sectors, 4096);

        bounds.max_sectors = 8;
        tune_begin(&tune, &bounds);
        assert_int_equal(tune.n_values, 2);
        assert_int_equal(tune.values[1].sectors, 256);

        bounds.page_bytes = 65536;
        bounds.max_sectors = 32768;
        tune_begin(&tune, &bounds);
        for (size_t i = 0; i < tune.n_values; i++)
                assert_int_equal(tune.values[i].sectors % 128, 0);
}

/* Off, or a value far below the others, is as good as its figures. */
static void test_readahead_off(void **state) {
        struct tune_bounds bounds = usual;
        struct tune_choice choice;
        struct tune tune;

        bounds.now_sectors = opt_some(0);
        choice = search(&tune, &bounds, flat, 0);
        assert_int_equal(tune.values[choice.chosen].sectors, 0);
        choice = search(&tune, &bounds, knee, 0);
        assert_true(tune.values[choice.chosen].sectors > 4096);
}

static void test_run_bytes(void **state) {
        struct tune tune;

        tune_begin(&tune, &usual);
        assert_int_equal(tune_run_bytes(&tune, 0), RUN_BYTES / 4);
        assert_int_equal(tune_run_bytes(&tune, tune_find(&tune, 16384)), 80 * MIB);
        assert_int_equal(tune_run_bytes(&tune, tune_find(&tune, 32768)), 160 * MIB);
        tune.bytes_per_run = 128 * MIB;
        assert_int_equal(tune_run_bytes(&tune, tune_find(&tune, 32768)), 128 * MIB);
}

/* What a run can't show is not tried, unless the device has it. */
static void test_short_runs(void **state) {
        struct tune_bounds bounds = usual;
        struct tune tune;

        bounds.bytes_per_run = 32 * MIB;
        tune_begin(&tune, &bounds);
        assert_int_equal(tune.values[tune.n_values - 1].sectors, 8192);
        bounds.now_sectors = opt_some(65536);
        tune_begin(&tune, &bounds);
        assert_int_equal(tune.values[tune.n_values - 1].sectors, 65536);
        assert_int_equal(tune.values[tune.n_values - 2].sectors, 8192);
}

static void test_ends_early(void **state) {
        struct tune_choice choice;
        struct tune tune;
        size_t i;

        tune_begin(&tune, &usual);
        assert_false(tune_choose(&tune, &choice));
        assert_true(tune_next(&tune, &i));
        tune_add(&tune, i, 100, MIB);
        assert_true(tune_choose(&tune, &choice));
        assert_int_equal(choice.chosen, i);
        assert_false(choice.finished);
        /* So much has been read that no run of it fits any more. */
        tune_add(&tune, i, 100, SWEEP_RUNS * RUN_BYTES / 3);
        assert_false(tune_next(&tune, &i));
        assert_true(tune_choose(&tune, &choice) && !choice.finished);
}

static unsigned count_certain(curve mbps, double noise) {
        unsigned certain = 0;

        srand48(3);
        for (unsigned i = 0; i < CASES; i++) {
                struct tune tune;
                struct tune_choice choice = search(&tune, &usual, mbps, noise);

                certain += choice.is_certain && choice.finished;
        }
        return certain;
}

static void test_says_what_it_does_not_know(void **state) {
        struct tune_choice choice;
        struct tune tune;

        choice = search(&tune, &usual, rising, 0);
        assert_true(choice.could_be_more);
        choice = search(&tune, &usual, knee, 0);
        assert_false(choice.could_be_more);
        assert_true(choice.is_certain);
        assert_true(count_certain(hump, 0.005) > CASES * 9 / 10);
        for (size_t i = 0; i < ARRAY_SIZE(curves); i++)
                assert_true(count_certain(curves[i], 0.2) < CASES / 10);
}

/* A first run that something else has slowed down does not put the best value out, where others show such noise. */
static void test_unlucky_run(void **state) {
        struct tune_choice choice;
        struct tune tune;
        unsigned n = 0;
        size_t i;

        tune_begin(&tune, &usual);
        while (tune_next(&tune, &i)) {
                double mbps = rising((double)tune.values[i].sectors) * (n++ % 2 ? 1.1 : 0.9);

                if (tune.values[i].sectors == 32768 && tune.values[i].n_runs == 0)
                        mbps *= 0.6;
                tune_add(&tune, i, mbps, tune_run_bytes(&tune, i));
        }
        assert_true(tune_choose(&tune, &choice));
        assert_int_equal(tune.values[choice.best].sectors, 32768);
}

/*
 * Figures of a RAID5 of eight disks on a busy machine: 5376 sectors are 8 % slower than 7168 for certain, though runs of
 * two values were far too slow.
 */
static void test_unlucky_runs_as_measured(void **state) {
        static const struct {
                uint64_t sectors;
                double mbps[3];
        } measured[] = {
                        {256, {24.94}},
                        {1024, {74.76}},
                        {1448, {105.024, 105.203}},
                        {2048, {184.268, 179.589, 102.897}},
                        {2896, {133.118, 128.666}},
                        {3584, {196.786, 176.6, 171.3}},
                        {5376, {185.013, 184.608, 188.753}},
                        {7168, {134.856, 206.452, 203.151}},
                        {14336, {188.278, 181.732, 182.356}},
                        {21504, {200.825, 183.827, 150.79}},
                        {32768, {174.828, 176.359, 201.054}},
        };
        struct tune_bounds bounds = usual;
        struct tune_choice choice;
        struct tune tune;

        bounds.stripe_sectors = 3584;
        bounds.now_sectors = opt_some(7168);
        tune_begin(&tune, &bounds);
        for (size_t i = 0; i < ARRAY_SIZE(measured); i++) {
                size_t value = tune_find(&tune, measured[i].sectors);

                assert_true(value < TUNE_VALUES_MAX);
                for (size_t run = 0; run < 3 && measured[i].mbps[run] > 0; run++)
                        tune_add(&tune, value, measured[i].mbps[run], 1 << 20);
        }
        assert_true(tune_choose(&tune, &choice));
        assert_int_equal(tune.values[choice.chosen].sectors, 7168);
}

/* While the first values are measured the machine is busy with something else: all but the last come out far too slow. */
static void test_slow_beginning(void **state) {
        struct tune tune;
        struct tune_choice choice;
        size_t i;

        tune_begin(&tune, &usual);
        for (unsigned n = 0; tune_next(&tune, &i); n++) {
                double slowed = n < 4 ? 0.6 : 1;

                tune_add(&tune, i, early_knee((double)tune.values[i].sectors) * slowed, tune_run_bytes(&tune, i));
        }
        assert_true(tune_choose(&tune, &choice));
        print_message("chosen after a slow beginning: %llu sectors\n",
                        (unsigned long long)tune.values[choice.chosen].sectors);
        assert_true(tune.values[choice.chosen].sectors < 1024);
        check_economy(&tune);
}

static void test_medians(void **state) {
        struct tune tune;

        tune_begin(&tune, &usual);
        tune_add(&tune, 1, 100, MIB);
        tune_add(&tune, 1, 400, MIB);
        tune_add(&tune, 1, 110, MIB);
        assert_true(tune.values[1].median_mbps == 110 && tune.values[1].mad_mbps == 10);
        assert_int_equal(tune.values[1].bytes_read, 3 * MIB);
        for (unsigned i = 0; i < 2 * TUNE_RUNS_MAX; i++)
                tune_add(&tune, 1, 110, MIB);
        assert_int_equal(tune.values[1].n_runs, TUNE_RUNS_MAX);
}

static void test_amplification(void **state) {
        struct tune_value value = {.bytes_asked = 4096, .bytes_fetched = 131072};

        assert_true(tune_amplification(&value) == 32);
        value.bytes_asked = 0;
        assert_true(tune_amplification(&value) == 0);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_finds_the_smallest_that_is_fast),
                        cmocka_unit_test(test_noise),
                        cmocka_unit_test(test_values),
                        cmocka_unit_test(test_given_values),
                        cmocka_unit_test(test_readahead_off),
                        cmocka_unit_test(test_run_bytes),
                        cmocka_unit_test(test_short_runs),
                        cmocka_unit_test(test_ends_early),
                        cmocka_unit_test(test_says_what_it_does_not_know),
                        cmocka_unit_test(test_unlucky_run),
                        cmocka_unit_test(test_unlucky_runs_as_measured),
                        cmocka_unit_test(test_slow_beginning),
                        cmocka_unit_test(test_medians),
                        cmocka_unit_test(test_amplification),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
