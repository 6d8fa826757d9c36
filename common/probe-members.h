/* SPDX-License-Identifier: MIT */
#pragma once

/* Which member of an array is slower than the others: by what was measured of each. Pure. */

#include "finding.h"
#include "probe.h"

/* A member is slow whose median is under this part of the median of the faster half. */
#define PROBE_MEMBER_SLOW 0.8

/* With fewer runs of each, chance alone keeps runs of like members apart too often. */
#define PROBE_MEMBER_RUNS 3U

struct probe_member {
        const struct layer *layer;
        const struct probe_series *series;
};

/*
 * Adds FINDING_MEMBER_SLOW to *findings for each of the N ITEMS, members of ARRAY, that is slow, and all of whose runs are below
 * all runs of those that are not. Several may be. FINDINGS (by layer->index) is reallocated in ARENA. Returns 0 or
 * -ENOMEM.
 */
int probe_members_find(const struct layer *array, const struct probe_member *items, size_t n, struct arena *arena,
                struct findings *findings);
