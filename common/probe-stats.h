/* SPDX-License-Identifier: MIT */
#pragma once

/* What two series of positive figures show of each other, whatever their distribution. All of it is pure. */

#include <stdbool.h>
#include <stddef.h>

/*
 * When to ask figures that still come in for an answer, and how sure it must be. Whoever looks after every run, and stops
 * at the first answer that suits, is wrong more often than each look by itself. So each must be surer (Pocock 1977): at
 * its level, PROBE_CHANCE_MAX is the chance of any wrong "faster" or "slower" of all looks together. A look with so few
 * runs that no order of them reaches the level is none.
 */
#define PROBE_CHANCE_MAX 0.02

struct probe_looks {
        unsigned first; /* runs in each series at the first look; the last is at all of them. 0: too few, even then */
        double level;   /* of each look, two-sided */
        double z;       /* the same in standard deviations */
};

/* Of a measurement of at most RUNS in each series. */
struct probe_looks probe_looks_plan(unsigned runs);

/* So many runs in each series are the fewest that can show a difference. */
unsigned probe_runs_least(void);

/* Figures of the runs of a series; PROBE_RUNS_MAX at most. */
struct probe_figures {
        const double *values; /* all > 0 */
        unsigned n;
};

/*
 * Interval for the factor from A to B that holds it with a chance of 1 - LEVEL: that of Hodges and Lehmann, between two of
 * the ordered ratios of each of B to each of A, as many from either end as the exact rank-sum test allows. So it leaves
 * out 1 just when that test tells the series apart. False: there are too few figures for one; nothing is set then.
 */
bool probe_ratio_interval(const struct probe_figures *a, const struct probe_figures *b, double level, double *ret_low,
                double *ret_high);

/*
 * How many runs in each series would show a difference by FACTOR, in 9 of 10 measurements of as many; 0: it can't be told.
 *
 * For means of n normal logs of deviation s each, n = 2 s² (z_level + z_power)² / log² FACTOR; the rank-sum test needs π/3
 * as many. s is 1.4826 times the median distance of all logs from their series' median, corrected for so few of them.
 */
unsigned probe_runs_needed(const struct probe_figures *a, const struct probe_figures *b, double factor);
