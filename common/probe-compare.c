/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "common/probe-compare.h"
#include "common/probe-stats.h"

/* Whether more runs would change the answer so rarely that they are not worth their time. */
static bool is_clear(const struct probe_series *series, size_t n_series, void *userdata) {
        const unsigned *runs = userdata;
        const struct probe_looks looks = probe_looks_plan(*runs);
        struct probe_result so_far = {};

        memcpy(so_far.series, series, n_series * sizeof(*series));
        if (looks.first == 0 || probe_result_runs(&so_far) < looks.first)
                return false;
        probe_judge(&so_far, *runs);
        return so_far.verdict == PROBE_FASTER || so_far.verdict == PROBE_SLOWER || probe_shows_none(&so_far);
}

int probe_compare(const struct probe_ops *ops, const struct probe_limits *limits,
                const struct probe_source sources[static _PROBE_ROLE_MAX], struct probe_progress *progress,
                struct probe_result *ret) {
        unsigned runs = limits->runs;
        const struct probe_setup setup = {
                        .ops = ops,
                        .limits = *limits,
                        .sources = sources,
                        .n_sources = _PROBE_ROLE_MAX,
                        .enough = is_clear,
                        .userdata = &runs,
                        .progress = progress,
        };
        struct probe_result result = {.workload = sources[PROBE_AFTER].workload};
        int r;

        r = probe_measure(&setup, result.series, result.skipped);
        if (r < 0)
                return r;
        for (unsigned i = 0; i < _PROBE_ROLE_MAX; i++)
                result.bytes_read += result.series[i].bytes_read;
        if (result.skipped[0] == '\0')
                probe_judge(&result, runs);
        *ret = result;
        return 0;
}
