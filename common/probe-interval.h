/* SPDX-License-Identifier: MIT */
#pragma once

/* How certain the median of a series is. Pure. */

#include <stdbool.h>

#include "probe.h"

/* With fewer runs no two of them enclose the median with that chance. */
#define PROBE_INTERVAL_CHANCE 0.9
#define PROBE_INTERVAL_RUNS   5U

/*
 * The interval between two of the runs that holds the median of all such runs with a chance of PROBE_INTERVAL_CHANCE at
 * least, whatever their distribution: the runs that are as many from either end as the binomial distribution allows; of
 * five runs the least and the greatest (0.9375). False, and from the least to the greatest, where there are too few for
 * one; both 0 without any.
 */
bool probe_median_interval(const struct probe_series *series, double *ret_low, double *ret_high);

/* Whether that interval is within SHARE of the median, to either side. */
bool probe_median_is_certain(const struct probe_series *series, double share);
