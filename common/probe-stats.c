/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/probe-stats.h"
#include "common/probe.h"

#define PAIRS_MAX (PROBE_RUNS_MAX * PROBE_RUNS_MAX)

/* What 9 of 10 is in standard deviations. */
#define Z_POWER 1.2816

/* With fewer in a series nothing is known of their spread. */
#define SPREAD_RUNS_MIN 3U

/* More is "can't be told". */
#define NEEDED_MAX 1000000.0

/*
 * Standard deviations that each of so many equidistant looks must reach, for a chance of 2 % of any (PROBE_CHANCE_MAX).
 * Pocock, Group sequential methods in the design and analysis of clinical trials, Biometrika 64 (1977), gives the method,
 * and figures for 5 % and 1 %; these were computed in the same way, by the recursion of Armitage, McPherson and Rowe
 * (1969). Looks that begin late, as here, depend more on each other: the chance is smaller then.
 */
static const double z_of_looks[] = {
                2.3264, 2.5311, 2.6362, 2.7043, 2.7536, 2.7916, 2.8223, 2.8479, 2.8696, 2.8885, 2.9051, 2.9199};

/*
 * How many of the M·N ordered ratios may be cut off at either end: the largest number u so that two like series have less
 * than u pairs in the wrong order with a chance of at most LEVEL / 2. The numbers of orders with each number of such pairs
 * are the coefficients of the Gaussian binomial (M+N over M), a product of (1 - q^(N+i)) / (1 - q^i); all are whole and
 * far below 2^53.
 */
static unsigned rank_cut(unsigned m, unsigned n, double level) {
        double orders[PAIRS_MAX + 1] = {1}, all = 0, below = 0;
        unsigned degree = m * n, u = 0;

        for (unsigned i = 1; i <= m; i++) {
                for (unsigned k = degree; k >= n + i; k--)
                        orders[k] -= orders[k - n - i];
                for (unsigned k = i; k <= degree; k++)
                        orders[k] += orders[k - i];
        }
        for (unsigned k = 0; k <= degree; k++)
                all += orders[k];
        while (u <= degree && below + orders[u] <= all * level / 2)
                below += orders[u++];
        return u;
}

static struct probe_looks looks_from(unsigned first, unsigned n_looks) {
        double z = z_of_looks[n_looks - 1];

        return (struct probe_looks){.first = first, .level = erfc(z / sqrt(2)), .z = z};
}

struct probe_looks probe_looks_plan(unsigned runs) {
        unsigned most = runs < PROBE_RUNS_MAX ? runs : PROBE_RUNS_MAX;

        for (unsigned first = 1; first <= most; first++) {
                unsigned n_looks = most - first + 1;
                struct probe_looks looks;

                if (n_looks > ARRAY_SIZE(z_of_looks))
                        continue;
                looks = looks_from(first, n_looks);
                if (rank_cut(first, first, looks.level) > 0)
                        return looks;
        }
        return looks_from(0, 1);
}

unsigned probe_runs_least(void) {
        unsigned runs = 1;

        while (probe_looks_plan(runs).first == 0)
                runs++;
        return runs;
}

static int compare_double(const void *a, const void *b) {
        double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
}

bool probe_ratio_interval(const struct probe_figures *a, const struct probe_figures *b, double level, double *ret_low,
                double *ret_high) {
        double ratios[PAIRS_MAX];
        unsigned cut = rank_cut(a->n, b->n, level), n = 0;

        if (cut == 0)
                return false;
        for (unsigned i = 0; i < a->n; i++)
                for (unsigned j = 0; j < b->n; j++)
                        ratios[n++] = b->values[j] / a->values[i];
        qsort(ratios, n, sizeof(*ratios), compare_double);
        *ret_low = ratios[cut - 1];
        *ret_high = ratios[n - cut];
        return true;
}

/* Distances of the logs from their median. */
static void log_distances(const struct probe_figures *figures, double distances[static PROBE_RUNS_MAX]) {
        double logs[PROBE_RUNS_MAX], median;

        for (unsigned i = 0; i < figures->n; i++)
                logs[i] = distances[i] = log(figures->values[i]);
        median = probe_median(logs, figures->n);
        for (unsigned i = 0; i < figures->n; i++)
                distances[i] = fabs(distances[i] - median);
}

static double mean(const double *values, size_t n) {
        double sum = 0;

        for (size_t i = 0; i < n; i++)
                sum += values[i];
        return sum / (double)n;
}

/*
 * Standard deviation of the logs within a series; by their mean distance if most of them are one and the same. By the N of a
 * series, both are (N - 1) / N of it on average, as the distance is from its own median.
 */
static double log_spread(const struct probe_figures *a, const struct probe_figures *b) {
        double distances[2 * PROBE_RUNS_MAX], least = a->n < b->n ? a->n : b->n, median;

        log_distances(a, distances);
        log_distances(b, distances + a->n);
        median = probe_median(distances, a->n + b->n);
        return (median > 0 ? 1.4826 * median : 1.2533 * mean(distances, a->n + b->n)) * least / (least - 1);
}

unsigned probe_runs_needed(const struct probe_figures *a, const struct probe_figures *b, double factor) {
        const double pi = 3.14159265358979323846;
        double spread, needed = 0;
        unsigned runs = probe_runs_least();

        if (a->n < SPREAD_RUNS_MIN || b->n < SPREAD_RUNS_MIN)
                return 0;
        spread = log_spread(a, b) / fabs(log(factor));
        /* More looks, which more runs bring, make the level stricter; no more than PROBE_RUNS_MAX can be asked for. */
        for (;; runs++) {
                double z = probe_looks_plan(runs).z + Z_POWER;

                needed = 2 * spread * spread * z * z * pi / 3;
                if (needed <= runs)
                        return runs;
                if (runs == PROBE_RUNS_MAX)
                        break;
        }
        return needed <= NEEDED_MAX ? (unsigned)ceil(needed) : 0;
}
