/* SPDX-License-Identifier: MIT */

#include "common/probe-compare.h"

int probe_compare(const struct probe_ops *ops, const struct probe_limits *limits,
                const struct probe_source sources[static _PROBE_ROLE_MAX], struct probe_result *ret) {
        const struct probe_setup setup = {
                        .ops = ops, .limits = *limits, .sources = sources, .n_sources = _PROBE_ROLE_MAX};
        struct probe_result result = {.workload = sources[PROBE_AFTER].workload};
        int r;

        r = probe_measure(&setup, result.series, result.skipped);
        if (r < 0)
                return r;
        for (unsigned i = 0; i < _PROBE_ROLE_MAX; i++)
                result.bytes_read += result.series[i].bytes_read;
        if (result.skipped[0] == '\0')
                probe_judge(&result);
        *ret = result;
        return 0;
}
