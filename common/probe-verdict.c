/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/probe-compare.h"
#include "common/probe-stats.h"

static const char *const verdict_names[] = {
                [PROBE_NONE] = "",
                [PROBE_FASTER] = "faster",
                [PROBE_SLOWER] = "slower",
                [PROBE_NO_DIFFERENCE] = "no difference",
};

const char *probe_workload_name(enum probe_workload workload) {
        switch (workload) {
        case PROBE_SEQUENTIAL: return "sequential";
        case PROBE_SEQUENTIAL_COLD: return "sequential-cold";
        case PROBE_RANDOM_READ: return "random-read";
        case PROBE_RANDOM_MAPPED: return "random";
        case _PROBE_WORKLOAD_MAX: break;
        }
        return "";
}

const char *probe_verdict_name(enum probe_verdict verdict) {
        return verdict_names[verdict];
}

int probe_verdict_from_name(const char *name, enum probe_verdict *ret) {
        for (size_t i = 0; i < ARRAY_SIZE(verdict_names); i++)
                if (strcmp(name, verdict_names[i]) == 0) {
                        *ret = (enum probe_verdict)i;
                        return 0;
                }
        return -EINVAL;
}

double probe_amplification(const struct probe_series *series) {
        return series->bytes_asked > 0 ? (double)series->bytes_fetched / (double)series->bytes_asked : 0;
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

static bool all_positive(const struct probe_series *series) {
        for (unsigned i = 0; i < series->n_runs; i++)
                if (series->mbps[i] <= 0)
                        return false;
        return series->n_runs > 0;
}

unsigned probe_result_runs(const struct probe_result *result) {
        unsigned before = result->series[PROBE_BEFORE].n_runs, after = result->series[PROBE_AFTER].n_runs;

        return before < after ? before : after;
}

static bool is_of_effect(double gain) {
        return gain >= 1 + PROBE_EFFECT_MIN || gain <= 1 - PROBE_EFFECT_MIN;
}

/*
 * The gain lies within the interval: a quarter of all ratios at least is on either side of that of the medians, and fewer
 * are cut off at any number of runs.
 */
static void judge_gain(struct probe_result *result, const struct probe_figures figures[static 2], double level) {
        result->gain = result->series[PROBE_AFTER].median_mbps / result->series[PROBE_BEFORE].median_mbps;
        (void)probe_ratio_interval(
                        &figures[PROBE_BEFORE], &figures[PROBE_AFTER], level, &result->gain_low, &result->gain_high);
}

static enum probe_verdict verdict_of(const struct probe_result *result) {
        if (result->gain_low > 1 && result->gain >= 1 + PROBE_EFFECT_MIN)
                return PROBE_FASTER;
        if (result->gain_high > 0 && result->gain_high < 1 && result->gain <= 1 - PROBE_EFFECT_MIN)
                return PROBE_SLOWER;
        return PROBE_NO_DIFFERENCE;
}

/* As the size that was seen was not shown, it takes more than these runs. */
static unsigned runs_needed(const struct probe_result *result, const struct probe_figures figures[static 2]) {
        bool seen = is_of_effect(result->gain);
        double factor = seen ? result->gain : 1 + PROBE_EFFECT_MIN;
        unsigned runs = probe_result_runs(result);
        unsigned needed = probe_runs_needed(&figures[PROBE_BEFORE], &figures[PROBE_AFTER], factor);

        return seen && needed > 0 && needed <= runs ? runs + 1 : needed;
}

void probe_judge(struct probe_result *result, unsigned runs) {
        struct probe_figures figures[2];

        for (size_t i = 0; i < _PROBE_ROLE_MAX; i++)
                probe_series_judge(&result->series[i]);
        result->verdict = PROBE_NONE;
        result->gain = result->gain_low = result->gain_high = 0;
        result->runs_needed = 0;
        if (!all_positive(&result->series[PROBE_BEFORE]) || !all_positive(&result->series[PROBE_AFTER]))
                return;
        for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
                figures[i] = (struct probe_figures){.values = result->series[i].mbps, .n = result->series[i].n_runs};
        judge_gain(result, figures, probe_looks_plan(runs).level);
        result->verdict = verdict_of(result);
        if (result->verdict == PROBE_NO_DIFFERENCE)
                result->runs_needed = runs_needed(result, figures);
}

bool probe_shows_none(const struct probe_result *result) {
        return result->gain_low > 1 - PROBE_EFFECT_MIN && result->gain_high < 1 + PROBE_EFFECT_MIN;
}

bool probe_effect_is_seen(const struct probe_result *result) {
        return is_of_effect(result->gain);
}
