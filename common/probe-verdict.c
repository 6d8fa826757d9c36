/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/probe-compare.h"

#define U_MAX (PROBE_RUNS_MAX * PROBE_RUNS_MAX)

const char *probe_verdict_name(enum probe_verdict verdict) {
        switch (verdict) {
        case PROBE_FASTER: return "faster";
        case PROBE_SLOWER: return "slower";
        case PROBE_NO_DIFFERENCE: return "no difference";
        case PROBE_NONE: break;
        }
        return "";
}

bool keep_condition_is_met(const struct keep_condition *condition, const struct probe_result *result) {
        double least = condition->min_gain;
        bool asks_for_gain = least > 1 || (least >= 1 && !condition->or_equal), reached;

        if (!condition->given || result->verdict == PROBE_NONE)
                return true;
        reached = condition->or_equal ? result->gain >= least : result->gain > least;
        if (asks_for_gain)
                return result->verdict == PROBE_FASTER && reached;
        return result->verdict != PROBE_SLOWER || reached;
}

static int compare_double(const void *a, const void *b) {
        double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
}

double probe_median(double *values, size_t n) {
        qsort(values, n, sizeof(*values), compare_double);
        return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

void probe_series_judge(struct probe_series *series) {
        double values[PROBE_RUNS_MAX];

        series->median_mbps = series->mad_mbps = 0;
        if (series->n_runs == 0)
                return;
        memcpy(values, series->mbps, series->n_runs * sizeof(*values));
        series->median_mbps = probe_median(values, series->n_runs);
        for (unsigned i = 0; i < series->n_runs; i++)
                values[i] = fabs(series->mbps[i] - series->median_mbps);
        series->mad_mbps = probe_median(values, series->n_runs);
}

/* Pairs in which X is not below Y: 0 if all of X are below all of Y. Ties count against a difference. */
static unsigned rank_statistic(const struct probe_series *x, const struct probe_series *y) {
        unsigned u = 0;

        for (unsigned i = 0; i < x->n_runs; i++)
                for (unsigned j = 0; j < y->n_runs; j++)
                        u += x->mbps[i] >= y->mbps[j];
        return u;
}

/*
 * Chance that two like series of M and N give a statistic of at most U. The number of orders with each statistic are
 * the coefficients of the Gaussian binomial (M+N over M), a product of (1 - q^(N+i)) / (1 - q^i); all are whole and far
 * below 2^53.
 */
static double rank_chance(unsigned m, unsigned n, unsigned u) {
        double orders[U_MAX + 1] = {1}, all = 0, up_to_u = 0;
        unsigned degree = m * n;

        for (unsigned i = 1; i <= m; i++) {
                for (unsigned k = degree; k >= n + i; k--)
                        orders[k] -= orders[k - n - i];
                for (unsigned k = i; k <= degree; k++)
                        orders[k] += orders[k - i];
        }
        for (unsigned k = 0; k <= degree; k++) {
                all += orders[k];
                if (k <= u)
                        up_to_u += orders[k];
        }
        return up_to_u / all;
}

/* Whether X is below Y by more than chance; two-sided, so half of it is for this side. */
static bool is_below(const struct probe_series *x, const struct probe_series *y) {
        return rank_chance(x->n_runs, y->n_runs, rank_statistic(x, y)) <= PROBE_CHANCE_MAX / 2;
}

void probe_judge(struct probe_result *result) {
        const struct probe_series *before = &result->series[PROBE_BEFORE], *after = &result->series[PROBE_AFTER];

        for (size_t i = 0; i < _PROBE_ROLE_MAX; i++)
                probe_series_judge(&result->series[i]);
        result->verdict = PROBE_NONE;
        result->gain = 0;
        if (before->n_runs == 0 || after->n_runs == 0 || before->median_mbps <= 0)
                return;
        result->gain = after->median_mbps / before->median_mbps;
        result->verdict = PROBE_NO_DIFFERENCE;
        if (result->gain >= 1 + PROBE_EFFECT_MIN && is_below(before, after))
                result->verdict = PROBE_FASTER;
        else if (result->gain <= 1 - PROBE_EFFECT_MIN && is_below(after, before))
                result->verdict = PROBE_SLOWER;
}
