/* SPDX-License-Identifier: MIT */
#pragma once

/* Whether reading became faster: series before and after a change, and what their difference shows. */

#include "probe.h"

/* Series: which descriptors a run reads. */
enum probe_role {
        PROBE_BEFORE,
        PROBE_AFTER,
        PROBE_ARRAY, /* the array beneath, for comparison; may be absent */
        _PROBE_ROLE_MAX,
};

enum probe_verdict {
        PROBE_NONE, /* not measured: see skipped */
        PROBE_FASTER,
        PROBE_SLOWER,
        PROBE_NO_DIFFERENCE, /* none that these runs can show */
};

/* "gain >= 0.97" or "gain > 1.05": a change stays if reading became that much faster, or no slower than that. */
struct keep_condition {
        bool given;      /* else it stays, whatever the gain */
        bool or_equal;   /* >=, not > */
        double min_gain; /* median after ÷ median before */
};

/* Plain data: it comes back from a worker through a pipe. */
struct probe_result {
        enum probe_verdict verdict;
        enum probe_workload workload;
        struct probe_series series[_PROBE_ROLE_MAX];
        double gain;                /* median after ÷ median before; 0 if not measured */
        double gain_low, gain_high; /* interval for it; both 0 if there are too few runs for one */
        unsigned runs_needed; /* PROBE_NO_DIFFERENCE: in each series, to show one of the size seen; 0: can't be told */
        uint64_t bytes_read;  /* by all series */
        char skipped[PROBE_SKIPPED_MAX]; /* why it was not measured; "" otherwise */
};

/*
 * Whether a change may stay: always if nothing was measured. "gain >= 0.97" asks for no loss, so only one that the runs
 * show is against it; with a factor above 1 it asks for a gain, which the runs must then show. Pure.
 */
bool keep_condition_is_met(const struct keep_condition *condition, const struct probe_result *result);

/* Bytes fetched from the device for each that was asked for; 0 where that is not known. Pure. */
double probe_amplification(const struct probe_series *series);

/* "sequential", "sequential-cold", "random-read", "random": the last as rules say it, of faults on a mapping. */
const char *probe_workload_name(enum probe_workload workload);

/* "faster", "slower", "no difference"; "" for PROBE_NONE */
const char *probe_verdict_name(enum probe_verdict verdict);

/* -EINVAL for any other text. "" is PROBE_NONE. */
int probe_verdict_from_name(const char *name, enum probe_verdict *ret);

/* In each of the series before and after; the smaller number, where the time ended between the two. */
unsigned probe_result_runs(const struct probe_result *result);

/* Differences that are smaller are not worth a word. */
#define PROBE_EFFECT_MIN 0.03

/*
 * probe_measure() of these series, with PROGRESS (may be NULL), and verdict. Ends as soon as the runs show it, that is at a look (probe-stats.h) at
 * which it is faster or slower, or probe_shows_none(). *ret is set if 0 is returned.
 *
 * So a clear answer does not take all runs, and looking for it more than once does not make a false one more likely. That
 * a clear one is wrong is to happen in 2 of 100 measurements at most, not in 5: five runs against five still show a
 * difference (all in order but one neighbouring pair: 4 in 252), and by the runs' own rate "no difference" is then right
 * in well over 95 of 100. There is no look with which a measurement is given up as hopeless: that more runs would show
 * nothing is not known before they are made.
 */
int probe_compare(const struct probe_ops *ops, const struct probe_limits *limits,
                const struct probe_source sources[static _PROBE_ROLE_MAX], struct probe_progress *progress,
                struct probe_result *ret);

/*
 * Medians, spread, gain with its interval, and verdict from the runs that are in RESULT, of a measurement that was to be of
 * at most RUNS in each series. Pure.
 *
 * Faster is said if the whole interval is above 1, as it is just when the rank-sum test tells the series apart at the
 * level of such a measurement, and the gain is 1 + PROBE_EFFECT_MIN at least; slower likewise. A threshold in units of
 * the MAD would need more runs for the same certainty: over five runs the MAD itself is off by a factor of two too often.
 * Four runs against four show nothing by this rule, five do.
 */
void probe_judge(struct probe_result *result, unsigned runs);

/* Whether the interval leaves no room for a difference of PROBE_EFFECT_MIN. Pure. */
bool probe_shows_none(const struct probe_result *result);

/* Whether the gain is one of PROBE_EFFECT_MIN at least, or such a loss, shown or not. Pure. */
bool probe_effect_is_seen(const struct probe_result *result);
