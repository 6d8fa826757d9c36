/* SPDX-License-Identifier: MIT */
#pragma once

/* Something about a layer that is worth telling. Pure. Codes are fixed; each has its section in docs/findings.md. */

#include <stddef.h>

#include "geometry.h"
#include "topology.h"

enum finding_severity { SEVERITY_INFO, SEVERITY_NOTICE, SEVERITY_WARNING };

enum finding_code {
        FINDING_READAHEAD_BELOW_ARRAY,
        FINDING_READAHEAD_ABOVE_ARRAY,
        FINDING_READAHEAD_OFF,
        FINDING_READAHEAD_CAPPED,
        FINDING_READAHEAD_ON_WRONG_LAYER,
        FINDING_READAHEAD_IMPLAUSIBLE, /* the kernel derived it from an implausible io_opt */
        FINDING_GEOMETRY_STALE,
        FINDING_IO_OPT_IMPLAUSIBLE,
        FINDING_MISALIGNED_START,
        FINDING_ALIGNMENT_INCONSISTENT,
        FINDING_STRIPE_TINY,
        FINDING_ARRAY_DEGRADED,
        FINDING_ARRAY_RESYNCING,
        FINDING_ARRAY_RESHAPING,
        FINDING_ARRAY_INACTIVE,
        FINDING_SUSPENDED,
        FINDING_FILESYSTEM_OWN_READAHEAD,
        FINDING_CHANGED_BY_OTHER,
        FINDING_UNKNOWN_TARGET,
        FINDING_CYCLE,
        FINDING_MEMBER_SLOW, /* measured: probe-members.h */
        _FINDING_CODE_MAX,
};

struct finding {
        enum finding_code code;
        enum finding_severity severity;
        const struct layer *layer; /* the one that is wrong */
        const char *text;          /* one sentence with the numbers; ARENA's */
};

struct plan;

struct findings {
        struct finding *items; /* by layer->index, then by code */
        size_t n_items;
};

const char *finding_code_name(enum finding_code code);
/* -EINVAL if NAME is no code. */
int finding_code_from_name(const char *name, enum finding_code *ret);
/* Those that only measuring finds (bits of codes): a scan never has them. */
#define FINDINGS_MEASURED (UINT64_C(1) << FINDING_MEMBER_SLOW)
bool finding_is_measured(enum finding_code code);

const char *finding_severity_name(enum finding_severity severity);

/* Returns 0 or -ENOMEM. */
int findings_compute(const struct topology *topology, const struct geometry *geometry, struct arena *arena,
                struct findings *ret);

/*
 * FINDINGS as they are with PLAN: where a rule gives a layer a target, readahead-capped is there if and only if that one
 * is capped, by the limits of the rule. Else it says what the default limits would do. Returns 0 or -ENOMEM.
 */
int findings_settle(
                const struct findings *findings, const struct plan *plan, struct arena *arena, struct findings *ret);

/* Whether LAYER has a finding of CODE. */
bool findings_have(const struct findings *findings, const struct layer *layer, enum finding_code code);

/* The findings of LAYER: *ret_n of them from the returned one on; NULL if there are none. */
const struct finding *findings_of(const struct findings *findings, const struct layer *layer, size_t *ret_n);
