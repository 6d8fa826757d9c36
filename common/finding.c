/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "common/finding.h"

const char *finding_code_name(enum finding_code code) {
        switch (code) {
        case FINDING_READAHEAD_BELOW_ARRAY: return "readahead-below-array";
        case FINDING_READAHEAD_ABOVE_ARRAY: return "readahead-above-array";
        case FINDING_READAHEAD_OFF: return "readahead-off";
        case FINDING_READAHEAD_CAPPED: return "readahead-capped";
        case FINDING_READAHEAD_ON_WRONG_LAYER: return "readahead-on-wrong-layer";
        case FINDING_READAHEAD_IMPLAUSIBLE: return "readahead-implausible";
        case FINDING_GEOMETRY_STALE: return "geometry-stale";
        case FINDING_IO_OPT_IMPLAUSIBLE: return "io-opt-implausible";
        case FINDING_MISALIGNED_START: return "misaligned-start";
        case FINDING_ALIGNMENT_INCONSISTENT: return "alignment-inconsistent";
        case FINDING_STRIPE_TINY: return "stripe-tiny";
        case FINDING_ARRAY_DEGRADED: return "array-degraded";
        case FINDING_ARRAY_RESYNCING: return "array-resyncing";
        case FINDING_ARRAY_RESHAPING: return "array-reshaping";
        case FINDING_ARRAY_INACTIVE: return "array-inactive";
        case FINDING_SUSPENDED: return "suspended";
        case FINDING_FILESYSTEM_OWN_READAHEAD: return "filesystem-own-readahead";
        case FINDING_CHANGED_BY_OTHER: return "changed-by-other";
        case FINDING_UNKNOWN_TARGET: return "unknown-target";
        case FINDING_CYCLE: return "cycle";
        case FINDING_MEMBER_SLOW: return "member-slow";
        case _FINDING_CODE_MAX: break;
        }
        return "unknown";
}

int finding_code_from_name(const char *name, enum finding_code *ret) {
        for (enum finding_code code = 0; code < _FINDING_CODE_MAX; code++)
                if (strcmp(finding_code_name(code), name) == 0) {
                        *ret = code;
                        return 0;
                }
        return -EINVAL;
}

bool finding_is_measured(enum finding_code code) {
        return FINDINGS_MEASURED >> code & 1;
}

const char *finding_severity_name(enum finding_severity severity) {
        switch (severity) {
        case SEVERITY_INFO: return "info";
        case SEVERITY_NOTICE: return "notice";
        case SEVERITY_WARNING: return "warning";
        }
        return "unknown";
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
