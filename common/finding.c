/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "common/finding.h"

static const char *const code_names[_FINDING_CODE_MAX] = {
                [FINDING_READAHEAD_BELOW_ARRAY] = "readahead-below-array",
                [FINDING_READAHEAD_ABOVE_ARRAY] = "readahead-above-array",
                [FINDING_READAHEAD_OFF] = "readahead-off",
                [FINDING_READAHEAD_CAPPED] = "readahead-capped",
                [FINDING_READAHEAD_ON_WRONG_LAYER] = "readahead-on-wrong-layer",
                [FINDING_READAHEAD_IMPLAUSIBLE] = "readahead-implausible",
                [FINDING_GEOMETRY_STALE] = "geometry-stale",
                [FINDING_IO_OPT_IMPLAUSIBLE] = "io-opt-implausible",
                [FINDING_MISALIGNED_START] = "misaligned-start",
                [FINDING_ALIGNMENT_INCONSISTENT] = "alignment-inconsistent",
                [FINDING_STRIPE_TINY] = "stripe-tiny",
                [FINDING_ARRAY_DEGRADED] = "array-degraded",
                [FINDING_ARRAY_RESYNCING] = "array-resyncing",
                [FINDING_ARRAY_RESHAPING] = "array-reshaping",
                [FINDING_ARRAY_INACTIVE] = "array-inactive",
                [FINDING_SUSPENDED] = "suspended",
                [FINDING_FILESYSTEM_OWN_READAHEAD] = "filesystem-own-readahead",
                [FINDING_CHANGED_BY_OTHER] = "changed-by-other",
                [FINDING_UNKNOWN_TARGET] = "unknown-target",
                [FINDING_CYCLE] = "cycle",
                [FINDING_MEMBER_SLOW] = "member-slow",
};

const char *finding_code_name(enum finding_code code) {
        return code_names[code];
}

int finding_code_from_name(const char *name, enum finding_code *ret) {
        for (enum finding_code code = 0; code < _FINDING_CODE_MAX; code++)
                if (strcmp(code_names[code], name) == 0) {
                        *ret = code;
                        return 0;
                }
        return -EINVAL;
}

bool finding_is_measured(enum finding_code code) {
        return FINDINGS_MEASURED >> code & 1;
}

const char *finding_severity_name(enum finding_severity severity) {
        static const char *const names[] = {
                        [SEVERITY_INFO] = "info",
                        [SEVERITY_NOTICE] = "notice",
                        [SEVERITY_WARNING] = "warning",
        };

        return names[severity];
}

const struct finding *findings_of(const struct findings *findings, const struct layer *layer, size_t *ret_n) {
        size_t low = 0, high = findings->n_items, n = 0;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (findings->items[middle].layer->index < layer->index)
                        low = middle + 1;
                else
                        high = middle;
        }
        while (low + n < findings->n_items && findings->items[low + n].layer == layer)
                n++;
        *ret_n = n;
        return n > 0 ? &findings->items[low] : NULL;
}

bool findings_have(const struct findings *findings, const struct layer *layer, enum finding_code code) {
        size_t n;
        const struct finding *items = findings_of(findings, layer, &n);

        for (size_t i = 0; i < n; i++)
                if (items[i].code == code)
                        return true;
        return false;
}
