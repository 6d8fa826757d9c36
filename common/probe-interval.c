/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "common/probe-interval.h"

/*
 * How many runs may be left out at either end: each of N is below the median by even chance, so that the one with K
 * before it is above the median with that of at most K heads in N tosses. N + 1: none is enough.
 */
static unsigned runs_left_out(unsigned n) {
        double ways = 1, all = 1, tail = 0;
        unsigned k = 0;

        for (unsigned i = 0; i < n; i++)
                all *= 2;
        while (k <= n) {
                tail += ways;
                if (1 - 2 * tail / all < PROBE_INTERVAL_CHANCE)
                        break;
                ways = ways * (n - k) / (k + 1);
                k++;
        }
        return k > 0 ? k - 1 : n + 1;
}

bool probe_median_interval(const struct probe_series *series, double *ret_low, double *ret_high) {
        unsigned n = series->n_runs, left_out = runs_left_out(n);
        double values[PROBE_RUNS_MAX];
        bool enough = left_out <= n;

        *ret_low = *ret_high = 0;
        if (n == 0)
                return false;
        memcpy(values, series->mbps, n * sizeof(*values));
        (void)probe_median(values, n);
        if (!enough)
                left_out = 0;
        *ret_low = values[left_out];
        *ret_high = values[n - 1 - left_out];
        return enough;
}

bool probe_median_is_certain(const struct probe_series *series, double share) {
        double low, high;

        return probe_median_interval(series, &low, &high) && low >= series->median_mbps * (1 - share) &&
               high <= series->median_mbps * (1 + share);
}
