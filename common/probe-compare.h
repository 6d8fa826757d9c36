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

/* "faster", "slower", "no difference"; "" for PROBE_NONE */
const char *probe_verdict_name(enum probe_verdict verdict);

/* probe_measure() of these series, and verdict. Ends as soon as the runs show it. *ret is set if 0 is returned. */
int probe_compare(const struct probe_ops *ops, const struct probe_limits *limits,
                const struct probe_source sources[static _PROBE_ROLE_MAX], struct probe_result *ret);

/*
 * Medians, spread, gain and verdict from the runs that are in RESULT. Pure.
 *
 * Faster or slower is said if both hold: the medians differ by PROBE_EFFECT_MIN at least, and the order of the runs'
 * figures has a chance of at most PROBE_CHANCE_MAX if before and after were alike (exact two-sided rank-sum test). A
 * threshold in units of the MAD would need more runs for the same certainty: over five runs the MAD itself is off by a
 * factor of two too often. Three runs against three show nothing by this rule, five do.
 */
#define PROBE_EFFECT_MIN 0.03
#define PROBE_CHANCE_MAX 0.05
void probe_judge(struct probe_result *result);
