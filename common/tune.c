/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/probe.h"
#include "common/target.h"
#include "common/tune.h"

/* The first values are so far apart; all that may be measured, no farther than the root of two. */
#define COARSE_FACTOR 4.0
#define FINE_FACTOR   M_SQRT2

/* Two values that are closer than this are one. */
#define NEAR_FACTOR 1.15

/* Between values that are this close nothing is looked for: below the chosen one, and on either side of the best. */
#define KNEE_FACTOR 1.5
#define PEAK_FACTOR 2.1

/* So many windows are wanted in a run, which reads a quarter of what it may at least. */
#define RUN_WINDOWS 10
#define RUN_PART    4

/*
 * What matters is measured so often; what is slower than this part of the best, twice: one run that something else has
 * slowed down must not put a value out.
 */
#define HARDLY         0.9
#define RUNS_HARDLY    2
#define RUNS_CONFIRMED 3

/* Half of all normal deviates are smaller than this. */
#define NORMAL_MEDIAN 0.6745

/* By how many standard errors the border must be missed before nothing more is asked for. */
#define ERRORS_APART 1.5

/* So many standard errors better than its figures a value may be. */
#define ERRORS_OF_RIVAL 2.0

/* --- the values */

static bool is_near(uint64_t a, uint64_t b) {
        double low = a < b ? (double)a : (double)b, high = a < b ? (double)b : (double)a;

        return a == b || (low > 0 && high / low < NEAR_FACTOR);
}

size_t tune_find(const struct tune *tune, uint64_t sectors) {
        for (size_t i = 0; i < tune->n_values; i++)
                if (tune->values[i].sectors == sectors)
                        return i;
        return TUNE_VALUES_MAX;
}

static void insert(struct tune *tune, uint64_t sectors, bool coarse) {
        size_t i = 0;

        if (tune->n_values == TUNE_VALUES_MAX)
                return;
        while (i < tune->n_values && tune->values[i].sectors < sectors)
                i++;
        memmove(&tune->values[i + 1], &tune->values[i], (tune->n_values - i) * sizeof(*tune->values));
        tune->values[i] = (struct tune_value){.sectors = sectors, .coarse = coarse};
        tune->n_values++;
}

/* What is near a value that is there already stands for this one. */
static void insert_apart(struct tune *tune, const struct tune_bounds *bounds, double sectors) {
        uint64_t rounded = readahead_round((uint64_t)sectors, bounds->page_bytes);

        if (rounded < READAHEAD_FLOOR_SECTORS || rounded > bounds->max_sectors)
                return;
        for (size_t i = 0; i < tune->n_values; i++)
                if (is_near(tune->values[i].sectors, rounded))
                        return;
        insert(tune, rounded, false);
}

/* These must be among them, whatever else is. */
static void insert_given(struct tune *tune, struct opt_int sectors) {
        if (sectors.known && sectors.value >= 0 && (uint64_t)sectors.value <= TUNE_SECTORS_MAX &&
                        tune_find(tune, (uint64_t)sectors.value) == TUNE_VALUES_MAX)
                insert(tune, (uint64_t)sectors.value, true);
}

/* 1, 2, 3, 4, 6, 8, 12, … stripes: with those all members are read at once, and each as often. */
static void insert_stripes(struct tune *tune, const struct tune_bounds *bounds) {
        if (bounds->stripe_sectors == 0)
                return;
        /* Never above TUNE_SECTORS_MAX, so that twice as much is a number. */
        for (uint64_t sectors = bounds->stripe_sectors; sectors <= bounds->max_sectors; sectors *= 2) {
                insert_apart(tune, bounds, (double)sectors);
                insert_apart(tune, bounds, (double)sectors * 1.5);
        }
}

static void mark_coarse(struct tune *tune, double sectors) {
        struct tune_value *nearest = NULL;
        double least = INFINITY;

        for (size_t i = 0; i < tune->n_values; i++) {
                double distance = fabs(log((double)tune->values[i].sectors / sectors));

                if (tune->values[i].sectors > 0 && distance < least) {
                        least = distance;
                        nearest = &tune->values[i];
                }
        }
        if (nearest)
                nearest->coarse = true;
}

uint64_t tune_shown_max(uint64_t bytes_per_run) {
        uint64_t sectors = bytes_per_run / SECTOR_BYTES / TUNE_WINDOWS_LEAST;

        return sectors < TUNE_SECTORS_MAX ? sectors : TUNE_SECTORS_MAX;
}

void tune_begin(struct tune *tune, const struct tune_bounds *bounds) {
        struct tune_bounds in = *bounds;
        double max;

        if (in.max_sectors > tune_shown_max(in.bytes_per_run))
                in.max_sectors = tune_shown_max(in.bytes_per_run);
        if (in.max_sectors < READAHEAD_FLOOR_SECTORS)
                in.max_sectors = READAHEAD_FLOOR_SECTORS;
        max = (double)in.max_sectors;

        *tune = (struct tune){.bytes_per_run = in.bytes_per_run, .stripe_bytes = in.stripe_sectors * SECTOR_BYTES};
        insert_given(tune, in.now_sectors);
        insert_given(tune, in.plan_sectors);
        insert_apart(tune, &in, (double)READAHEAD_FLOOR_SECTORS);
        insert_apart(tune, &in, max);
        insert_stripes(tune, &in);
        /* NOLINTNEXTLINE(cert-flp30-c,clang-analyzer-security.FloatLoopCounter): steps are a factor above 1 */
        for (double sectors = READAHEAD_FLOOR_SECTORS; sectors <= max; sectors *= FINE_FACTOR)
                insert_apart(tune, &in, round(sectors));
        /* NOLINTNEXTLINE(cert-flp30-c,clang-analyzer-security.FloatLoopCounter): steps are a factor above 1 */
        for (double sectors = READAHEAD_FLOOR_SECTORS; sectors <= max; sectors *= COARSE_FACTOR)
                mark_coarse(tune, sectors);
        mark_coarse(tune, max);
}

/* --- what is known of them */

void tune_add(struct tune *tune, size_t i, double mbps, uint64_t bytes_read) {
        struct tune_value *value = &tune->values[i];
        double sorted[TUNE_RUNS_MAX];

        tune->bytes_read += bytes_read;
        value->bytes_read += bytes_read;
        if (value->n_runs == TUNE_RUNS_MAX)
                return;
        value->mbps[value->n_runs] = mbps;
        memcpy(sorted, value->mbps, sizeof(sorted));
        value->median_mbps = probe_median(sorted, value->n_runs + 1);
        for (unsigned run = 0; run <= value->n_runs; run++)
                sorted[run] = fabs(value->mbps[run] - value->median_mbps);
        value->mad_mbps = probe_median(sorted, value->n_runs + 1);
        value->n_runs++;
}

uint64_t tune_run_bytes(const struct tune *tune, size_t i) {
        uint64_t windows = tune->values[i].sectors * SECTOR_BYTES * RUN_WINDOWS, least = tune->bytes_per_run / RUN_PART;

        if (windows < least)
                return least;
        return windows < tune->bytes_per_run ? windows : tune->bytes_per_run;
}

/* A part of the median: what one run says of a value is less certain, the more so if it is the largest of many. */
static double credible_mbps(const struct tune_value *value) {
        return value->n_runs == 0 ? 0 : value->median_mbps * (1 - TUNE_SLACK / value->n_runs);
}

/* The standard deviation of a run, as a part of its figure, over all values with several; negative: not known. */
static double noise(const struct tune *tune) {
        double sum = 0;
        unsigned freedom = 0;

        for (size_t i = 0; i < tune->n_values; i++) {
                const struct tune_value *value = &tune->values[i];
                double mean = 0;

                for (unsigned run = 0; run < value->n_runs; run++)
                        mean += value->mbps[run] / value->n_runs;
                for (unsigned run = 0; run < value->n_runs && mean > 0; run++)
                        sum += pow(value->mbps[run] / mean - 1, 2);
                freedom += value->n_runs > 1 ? value->n_runs - 1 : 0;
        }
        return freedom > 0 ? sqrt(sum / freedom) : -1;
}

/*
 * The same by the median difference between one run and the next of a value: one that something else has slowed down
 * says nothing of the others.
 */
static double usual_noise(const struct tune *tune) {
        double differences[TUNE_VALUES_MAX * (TUNE_RUNS_MAX - 1)];
        size_t n = 0;

        for (size_t i = 0; i < tune->n_values; i++) {
                const struct tune_value *value = &tune->values[i];

                for (unsigned run = 1; run < value->n_runs && value->median_mbps > 0; run++)
                        differences[n++] = fabs(value->mbps[run] - value->mbps[run - 1]) / value->median_mbps;
        }
        return n > 0 ? probe_median(differences, n) / (M_SQRT2 * NORMAL_MEDIAN) : 0;
}

/* Of the ratio of two values, as a part of it. */
static double standard_error(double noise_of_run, const struct tune_value *a, const struct tune_value *b) {
        return noise_of_run * sqrt(1.0 / a->n_runs + 1.0 / b->n_runs);
}

/*
 * What the best is worth: the mean over all that its runs can't tell from it. The largest of many figures is most often
 * too large, and what is 3 % below it not slow.
 */
static double level_mbps(const struct tune *tune, size_t best) {
        const struct tune_value *top = &tune->values[best];
        double deviation = fmin(usual_noise(tune), fmax(noise(tune), 0)), sum = 0;
        unsigned n = 0;

        for (size_t i = 0; i < tune->n_values; i++) {
                const struct tune_value *value = &tune->values[i];

                if (value->n_runs == 0 ||
                                value->median_mbps < top->median_mbps * (1 - standard_error(deviation, value, top)))
                        continue;
                sum += value->median_mbps * value->n_runs;
                n += value->n_runs;
        }
        return fmin(sum / n, top->median_mbps);
}

struct standing {
        size_t best, chosen;
        size_t below; /* the next smaller one that was measured; TUNE_VALUES_MAX: none */
        double level_mbps, limit_mbps;
};

static bool find_standing(const struct tune *tune, struct standing *ret) {
        struct standing standing = {.below = TUNE_VALUES_MAX};

        for (size_t i = 1; i < tune->n_values; i++)
                if (credible_mbps(&tune->values[i]) > credible_mbps(&tune->values[standing.best]))
                        standing.best = i;
        if (tune->n_values == 0 || tune->values[standing.best].n_runs == 0)
                return false;
        standing.level_mbps = level_mbps(tune, standing.best);
        standing.limit_mbps = standing.level_mbps * (1 - TUNE_SLACK);
        while (tune->values[standing.chosen].n_runs == 0 ||
                        tune->values[standing.chosen].median_mbps < standing.limit_mbps) {
                if (tune->values[standing.chosen].n_runs > 0)
                        standing.below = standing.chosen;
                standing.chosen++;
        }
        *ret = standing;
        return true;
}

/*
 * Whether the figures of a value can't tell on which side of the border it is; of the two that are compared with it, also
 * if they can't tell as little as the slack.
 */
static bool is_unclear(const struct tune *tune, const struct standing *standing, size_t i) {
        const struct tune_value *value = &tune->values[i], *best = &tune->values[standing->best];
        double apart = fabs(value->median_mbps / standing->level_mbps - (1 - TUNE_SLACK)), deviation = noise(tune);

        if (deviation < 0)
                return false;
        if (i != standing->below && ERRORS_APART * deviation / sqrt(value->n_runs) > TUNE_SLACK)
                return true;
        return i != standing->best && apart < ERRORS_APART * standard_error(deviation, value, best);
}

/* --- what to measure next */

/* The value that has not been measured and is nearest the middle between two; TUNE_VALUES_MAX if there is none. */
static size_t middle(const struct tune *tune, size_t low, size_t high) {
        double centre = sqrt((double)tune->values[low].sectors * (double)tune->values[high].sectors), least = INFINITY;
        size_t found = TUNE_VALUES_MAX;

        for (size_t i = low + 1; i < high; i++) {
                double distance = fabs(log((double)tune->values[i].sectors / centre));

                if (tune->values[i].n_runs == 0 && distance < least) {
                        least = distance;
                        found = i;
                }
        }
        return found;
}

static size_t look_between(const struct tune *tune, size_t low, size_t high, double factor) {
        double a = (double)tune->values[low].sectors, b = (double)tune->values[high].sectors;

        return a <= 0 || b / a > factor ? middle(tune, low, high) : TUNE_VALUES_MAX;
}

static size_t next_coarse(const struct tune *tune) {
        for (size_t i = 0; i < tune->n_values; i++)
                if (tune->values[i].coarse && tune->values[i].n_runs == 0)
                        return i;
        return TUNE_VALUES_MAX;
}

/* The best that was measured may be the shoulder of a hump, also where its neighbour is no worse. */
static size_t next_at_peak(const struct tune *tune, const struct standing *standing) {
        size_t low = standing->best, high = standing->best, found = TUNE_VALUES_MAX;

        while (low > 0 && (low == standing->best || tune->values[low].n_runs == 0))
                low--;
        while (high + 1 < tune->n_values && (high == standing->best || tune->values[high].n_runs == 0))
                high++;
        if (tune->values[low].n_runs > 0)
                found = look_between(tune, low, standing->best, PEAK_FACTOR);
        if (found == TUNE_VALUES_MAX && tune->values[high].n_runs > 0)
                found = look_between(tune, standing->best, high, PEAK_FACTOR);
        return found;
}

static unsigned runs_wanted(const struct tune *tune, const struct standing *standing, size_t i) {
        const struct tune_value *value = &tune->values[i];
        double part = value->median_mbps / standing->level_mbps;
        unsigned wanted = part < HARDLY ? RUNS_HARDLY : RUNS_CONFIRMED;

        if (value->n_runs >= wanted && is_unclear(tune, standing, i))
                wanted = value->n_runs + 1;
        return wanted < TUNE_RUNS_MAX ? wanted : TUNE_RUNS_MAX;
}

/* Whether it could be better than the best by more than the slack: one unlucky run must not put it out. */
static bool is_rival(const struct tune *tune, const struct standing *standing, size_t i) {
        const struct tune_value *value = &tune->values[i];
        double deviation = fmax(noise(tune), 0);

        return value->n_runs > 0 && value->n_runs < RUNS_CONFIRMED &&
               value->median_mbps * (1 + ERRORS_OF_RIVAL * deviation / sqrt(value->n_runs)) >
                               standing->level_mbps * (1 + TUNE_SLACK);
}

/* Whether it is the next larger one than the best of those that were measured: the best perhaps, were it measured again. */
static bool is_next_to_best(const struct tune *tune, const struct standing *standing, size_t i) {
        size_t next = standing->best + 1;

        while (next < i && tune->values[next].n_runs == 0)
                next++;
        return next == i;
}

/* How many runs a value is to have: those that decide, and rivals of the best. What is compared with the best is no more
 * certain than that. */
static unsigned runs_due(const struct tune *tune, const struct standing *standing, size_t i) {
        unsigned due = 0;

        if (i == standing->best || i == standing->chosen || i == standing->below)
                due = runs_wanted(tune, standing, i);
        if (i == standing->best) {
                unsigned chosen = runs_wanted(tune, standing, standing->chosen);

                due = chosen > due ? chosen : due;
        }
        if (i == standing->best && standing->below != TUNE_VALUES_MAX) {
                unsigned below = runs_wanted(tune, standing, standing->below);

                due = below > due ? below : due;
        }
        if (due < RUNS_HARDLY && is_next_to_best(tune, standing, i))
                due = RUNS_HARDLY;
        return due < RUNS_CONFIRMED && is_rival(tune, standing, i) ? RUNS_CONFIRMED : due;
}

/* Of these, that which was measured least; by turns up and down, so that drift cancels out. */
static size_t next_confirming(const struct tune *tune, const struct standing *standing) {
        size_t found = TUNE_VALUES_MAX;

        for (size_t i = 0; i < tune->n_values; i++) {
                const struct tune_value *value = &tune->values[i];

                if (value->n_runs == 0 || value->n_runs >= runs_due(tune, standing, i))
                        continue;
                if (found == TUNE_VALUES_MAX || value->n_runs < tune->values[found].n_runs ||
                                (value->n_runs == tune->values[found].n_runs && value->n_runs % 2 != 0))
                        found = i;
        }
        return found;
}

static size_t next_value(const struct tune *tune) {
        struct standing standing;
        size_t next;

        next = next_coarse(tune);
        if (next != TUNE_VALUES_MAX || !find_standing(tune, &standing))
                return next;
        if (standing.below != TUNE_VALUES_MAX)
                next = look_between(tune, standing.below, standing.chosen, KNEE_FACTOR);
        if (next == TUNE_VALUES_MAX)
                next = next_at_peak(tune, &standing);
        if (next == TUNE_VALUES_MAX)
                next = next_confirming(tune, &standing);
        return next;
}

bool tune_next(const struct tune *tune, size_t *ret) {
        size_t next = next_value(tune);

        if (next == TUNE_VALUES_MAX ||
                        tune->bytes_read + tune_run_bytes(tune, next) > tune->bytes_per_run * TUNE_RUNS_OF_BYTES)
                return false;
        *ret = next;
        return true;
}

bool tune_choose(const struct tune *tune, struct tune_choice *ret) {
        struct standing standing;

        if (!find_standing(tune, &standing))
                return false;
        *ret = (struct tune_choice){
                        .chosen = standing.chosen,
                        .best = standing.best,
                        .finished = next_value(tune) == TUNE_VALUES_MAX,
                        .is_certain = (standing.below == TUNE_VALUES_MAX ||
                                                      !is_unclear(tune, &standing, standing.below)) &&
                                      !is_unclear(tune, &standing, standing.chosen) &&
                                      !is_unclear(tune, &standing, standing.best),
                        .could_be_more = standing.best == tune->n_values - 1 && standing.chosen == standing.best,
        };
        return true;
}

double tune_amplification(const struct tune_value *value) {
        return value->bytes_asked > 0 ? (double)value->bytes_fetched / (double)value->bytes_asked : 0;
}
