/* SPDX-License-Identifier: MIT */

/* How often the verdict is right, over many measurements of devices whose speed is drawn. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "common/cleanup.h"
#include "common/probe-compare.h"
#include "common/probe-stats.h"

#define SEEDS       100U
#define RIGHT_MIN   95U
#define WINDOW      (256U * 1024U)
#define DEVICE_SIZE (UINT64_C(1) << 30)
#define BASE_MBPS   100

#define OUTLIER_SHARE 0.1
#define DRIFT_TOTAL   0.05 /* by which it is slower after all runs */

enum disturbance {
        STEADY,
        OUTLIERS, /* one run of every ten has a third of the speed */
        DRIFT,    /* slower and slower over all the runs */
        _DISTURBANCE_MAX,
};

static const char *const disturbance_names[] = {"steady", "outliers", "drift"};

static const double gains[] = {1, 0.5, 0.8, 0.9, 1.1, 1.25, 1.5, 2, 4};

struct cell {
        double gain, noise; /* noise: standard deviation of the speed's log */
        enum disturbance disturbance;
        unsigned runs;
};

/* A device that gives each run a speed of its own, and a clock. */
struct model {
        const struct cell *cell;
        uint64_t random;
        double now_usec, mbps[2];
        unsigned n_runs, outlier; /* outlier: which of the ten runs that are on */
        int fd;                   /* of the run that is on */
};

/* splitmix64, so that a seed says it all. */
static uint64_t next_random(uint64_t *state) {
        uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        return z ^ z >> 31;
}

static double uniform(uint64_t *state) {
        return (double)(next_random(state) >> 11) / 9007199254740992.0;
}

static double normal(uint64_t *state) {
        const double pi = 3.14159265358979323846;
        double radius = sqrt(-2 * log(1 - uniform(state)));

        return radius * cos(2 * pi * uniform(state));
}

static double square(double x) {
        return x * x;
}

static double draw_speed(struct model *model) {
        const struct cell *cell = model->cell;
        double speed = BASE_MBPS * exp(cell->noise * normal(&model->random));

        if (model->n_runs % 10 == 0)
                model->outlier = next_random(&model->random) % 10;
        switch (cell->disturbance) {
        case OUTLIERS: return model->n_runs % 10 == model->outlier ? speed / 3 : speed;
        case DRIFT: return speed * (1 - DRIFT_TOTAL * model->n_runs / (2 * cell->runs));
        default: return speed;
        }
}

static uint64_t model_now(void *userdata) {
        return (uint64_t)((struct model *)userdata)->now_usec;
}

static int model_drop(void *userdata, int fd, uint64_t offset, uint64_t bytes) {
        return 0;
}

static void model_pause(void *userdata, uint64_t usec) {
        ((struct model *)userdata)->now_usec += (double)usec;
}

/* Nothing is cached, read by others, or counted. */
static int model_cached(void *userdata, int fd, uint64_t offset, uint64_t bytes, uint64_t *ret_bytes) {
        *ret_bytes = 0;
        return 0;
}

static int model_in_flight(void *userdata, int fd, uint64_t *ret) {
        *ret = 0;
        return 0;
}

static int model_fetched(void *userdata, int fd, uint64_t *ret_bytes) {
        return -EOPNOTSUPP;
}

/* Descriptors of the series after have odd numbers. */
static ssize_t model_read(void *userdata, int fd, void *buffer, size_t size, uint64_t offset) {
        struct model *model = userdata;

        if (fd != model->fd) {
                double speed = draw_speed(model);

                model->fd = fd;
                model->n_runs++;
                model->mbps[PROBE_BEFORE] = speed;
                model->mbps[PROBE_AFTER] = speed * model->cell->gain;
        }
        model->now_usec += (double)size / model->mbps[fd % 2];
        return (ssize_t)size;
}

static void measure(const struct cell *cell, unsigned seed, struct probe_result *ret) {
        struct model model = {.cell = cell, .random = seed, .now_usec = 1000000, .fd = -1};
        const struct probe_ops ops = {
                        .now_usec = model_now,
                        .pause = model_pause,
                        .drop = model_drop,
                        .read = model_read,
                        .cached = model_cached,
                        .in_flight = model_in_flight,
                        .fetched = model_fetched,
                        .userdata = &model,
        };
        const struct probe_limits limits = {.time_msec = 600000, .bytes_per_run = 8 * WINDOW, .runs = cell->runs};
        struct probe_source sources[_PROBE_ROLE_MAX] = {};
        int fds[2][PROBE_FDS_MAX];

        for (int i = 0; i < 2; i++) {
                for (int j = 0; j < PROBE_FDS_MAX; j++)
                        fds[i][j] = 2 * j + i;
                sources[i] = (struct probe_source){.fds = fds[i], .size_bytes = DEVICE_SIZE, .readahead_bytes = WINDOW};
        }
        assert_int_equal(probe_compare(&ops, &limits, sources, NULL, ret), 0);
        assert_string_equal(ret->skipped, "");
}

struct counts {
        unsigned right, covered; /* covered: the interval holds the true gain */
        unsigned runs;           /* of all measurements */
};

static enum probe_verdict right_verdict(double gain) {
        return gain > 1 ? PROBE_FASTER : gain < 1 ? PROBE_SLOWER : PROBE_NO_DIFFERENCE;
}

static struct counts count(const struct cell *cell) {
        struct counts counts = {};

        for (unsigned seed = 1; seed <= SEEDS; seed++) {
                struct probe_result result;

                measure(cell, seed, &result);
                counts.right += result.verdict == right_verdict(cell->gain);
                counts.covered += result.gain_low <= cell->gain && cell->gain <= result.gain_high;
                counts.runs += probe_result_runs(&result);
        }
        return counts;
}

static double below_normal(double z) {
        return erfc(-z / sqrt(2)) / 2;
}

/* How often a run of the faster series is the faster one of a pair. */
static double pairs_in_order(const struct cell *cell) {
        double drift = cell->disturbance == DRIFT ? DRIFT_TOTAL * DRIFT_TOTAL / 12 : 0, share = OUTLIER_SHARE;
        double sd = sqrt(2 * (cell->noise * cell->noise + drift)), effect = fabs(log(cell->gain)), third = log(3);

        if (cell->disturbance != OUTLIERS)
                return below_normal(effect / sd);
        return (square(1 - share) + square(share)) * below_normal(effect / sd) +
               share * (1 - share) * (below_normal((effect + third) / sd) + below_normal((effect - third) / sd));
}

/*
 * Whether so many runs can be asked to be right in 95 of 100. With 16, the rank sum is on average (p - 1/2) sqrt(12 n² /
 * (2n + 1)) of its standard deviations off, if p of all pairs are in order (Noether 1987): nearly one more than the level
 * asks for. That is enough, as the deviation of like series, by which is measured here, is too large for series so far
 * apart. That is but a rough guide for five runs: there the effect must be four times the noise, so that hardly a pair of
 * all 25 is in the wrong order, as an outlier's pairs would be.
 */
static bool has_power(const struct cell *cell) {
        double n = cell->runs;

        if (cell->gain == 1)
                return true;
        if (cell->runs < PROBE_RUNS_MAX)
                return cell->disturbance != OUTLIERS && fabs(log(cell->gain)) >= 4 * cell->noise;
        return (pairs_in_order(cell) - 0.5) * sqrt(12 * n * n / (2 * n + 1)) >= probe_looks_plan(cell->runs).z + 0.95;
}

static void check_row(enum disturbance disturbance, double noise, unsigned runs) {
        unsigned covered = SEEDS, all_runs = 0;
        bool good = true;

        print_message("%-8s %2.0f %% noise %2u runs:", disturbance_names[disturbance], noise * 100, runs);
        for (size_t i = 0; i < ARRAY_SIZE(gains); i++) {
                const struct cell cell = {gains[i], noise, disturbance, runs};
                const struct counts counts = count(&cell);
                bool power = has_power(&cell);

                print_message(power ? "  %3u " : " (%3u)", counts.right);
                good = good && (!power || counts.right >= RIGHT_MIN);
                covered = counts.covered < covered ? counts.covered : covered;
                all_runs += counts.runs;
        }
        print_message("  %3u  %4.1f\n", covered, (double)all_runs / (SEEDS * ARRAY_SIZE(gains)));
        assert_true(good);
        assert_true(covered >= RIGHT_MIN);
}

static void check_table(enum disturbance disturbance) {
        static const double noises[] = {0.02, 0.05, 0.10, 0.20};
        static const unsigned runs[] = {5, 8, PROBE_RUNS_MAX};

        print_message("Right of %u, by true gain; (where these runs can't be asked for it); interval holds it; runs "
                      "made\n"
                      "%27s",
                        SEEDS, "");
        for (size_t i = 0; i < ARRAY_SIZE(gains); i++)
                print_message(" ×%-4g", gains[i]);
        print_message("\n");
        for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
                for (size_t j = 0; j < ARRAY_SIZE(noises); j++)
                        check_row(disturbance, noises[j], runs[i]);
}

static void test_steady(void **state) {
        check_table(STEADY);
}

static void test_outliers(void **state) {
        check_table(OUTLIERS);
}

static void test_drift(void **state) {
        check_table(DRIFT);
}

/* That like series are called different, at any of the looks: in 2 of 100 at most. */
static void test_false_answers_are_rare(void **state) {
        for (unsigned runs = 5; runs <= PROBE_RUNS_MAX; runs++) {
                const struct cell cell = {1, 0.2, STEADY, runs};
                unsigned n = 0;

                for (unsigned seed = 1; seed <= 10 * SEEDS; seed++) {
                        struct probe_result result;

                        measure(&cell, seed, &result);
                        n += result.verdict != PROBE_NO_DIFFERENCE;
                }
                print_message("%2u runs at most: %u of %u like series are called different\n", runs, n, 10 * SEEDS);
                assert_true(n <= 10 * SEEDS * PROBE_CHANCE_MAX);
        }
}

/* What the table must not leave out: all but small gains in much noise. */
static void test_power_is_asked_for(void **state) {
        for (enum disturbance disturbance = 0; disturbance < _DISTURBANCE_MAX; disturbance++)
                for (size_t i = 0; i < ARRAY_SIZE(gains); i++) {
                        const struct cell quiet = {gains[i], 0.02, disturbance, PROBE_RUNS_MAX};
                        const struct cell usual = {gains[i], 0.05, disturbance, PROBE_RUNS_MAX};
                        const struct cell loud = {gains[i], 0.10, disturbance, PROBE_RUNS_MAX};
                        bool small = gains[i] == 0.9 || gains[i] == 1.1, middle = gains[i] == 0.8 || gains[i] == 1.25;

                        assert_true(has_power(&quiet));
                        assert_int_equal(has_power(&usual), !small || disturbance != OUTLIERS);
                        assert_int_equal(has_power(&loud), !small && (!middle || disturbance != OUTLIERS));
                }
}

/* A clear answer does not take all runs, also that there is nothing; one that is not clear does. */
static void test_ends_early(void **state) {
        static const struct {
                struct cell cell;
                unsigned least, most;
        } cases[] = {
                        {{2, 0.02, STEADY, 16}, 6, 6},
                        {{0.5, 0.02, STEADY, 16}, 6, 6},
                        {{2, 0.02, STEADY, 8}, 6, 6},
                        {{2, 0.02, STEADY, 7}, 5, 5},
                        {{2, 0.02, STEADY, 5}, 5, 5},
                        {{1, 0.005, STEADY, 16}, 6, 6},
                        {{1, 0.02, STEADY, 16}, 6, 16},
                        {{1, 0.20, STEADY, 16}, 16, 16},
                        {{2, 0.02, STEADY, 4}, 4, 4},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct probe_result result;

                measure(&cases[i].cell, 1, &result);
                assert_in_range(probe_result_runs(&result), cases[i].least, cases[i].most);
        }
}

/* The formula's n, see probe-stats.h, for series whose noise is known. */
static double runs_by_formula(const struct cell *cell, double factor) {
        double z = probe_looks_plan(cell->runs).z + 1.2816, effect = log(factor);

        return 2 * square(cell->noise * z / effect) * 3.14159265 / 3;
}

/* A measurement of as many runs as are needed shows the difference in about 9 of 10. */
static void test_runs_needed_suffice(void **state) {
        static const double factors[] = {1.10, 1 / 1.10, 1.06, 1.20};

        for (size_t i = 0; i < ARRAY_SIZE(factors); i++) {
                struct cell cell = {factors[i], 0.01, STEADY, 12};
                struct counts counts;

                cell.noise *= sqrt(cell.runs / runs_by_formula(&cell, factors[i]));
                counts = count(&cell);
                print_message("×%.3f in %.1f %% noise needs 12 runs: with them %u of %u are right\n", factors[i],
                                100 * cell.noise, counts.right, SEEDS);
                assert_in_range(counts.right, 80, 97);
        }
}

/* What is told after a measurement that shows nothing is what it takes, to within a factor. */
static void test_runs_needed_are_told(void **state) {
        static const struct {
                unsigned runs;
                double noise, within;
        } cases[] = {{16, 0.04, 2}, {8, 0.03, 3}, {5, 0.02, 4}};

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct cell most = {1, cases[i].noise, STEADY, PROBE_RUNS_MAX}, cell = most;
                double wanted = runs_by_formula(&most, 1 + PROBE_EFFECT_MIN);
                unsigned n = 0;

                cell.runs = cases[i].runs;
                for (unsigned seed = 1; seed <= SEEDS; seed++) {
                        struct probe_result result;

                        measure(&cell, seed, &result);
                        n += result.runs_needed >= wanted / cases[i].within &&
                             result.runs_needed <= wanted * cases[i].within;
                }
                print_message("3 %% in %.0f %% noise needs %.0f runs: %u of %u measurements of %u say so, to a factor "
                              "of %g\n",
                                100 * cell.noise, wanted, n, SEEDS, cell.runs, cases[i].within);
                assert_true(n >= 80);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_steady),
                        cmocka_unit_test(test_outliers),
                        cmocka_unit_test(test_drift),
                        cmocka_unit_test(test_false_answers_are_rare),
                        cmocka_unit_test(test_power_is_asked_for),
                        cmocka_unit_test(test_ends_early),
                        cmocka_unit_test(test_runs_needed_suffice),
                        cmocka_unit_test(test_runs_needed_are_told),
        };

        return cmocka_run_group_tests_name("probe-power", tests, NULL, NULL);
}
