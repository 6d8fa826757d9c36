/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The whole way from machine to plan in one call, for the two programs: discover → topology → geometry → findings →
 * policy → plan. The one file in common/ that knows config/.
 */

#include "config/policy.h"
#include "finding.h"
#include "geometry.h"
#include "plan.h"
#include "sysroot.h"
#include "topology.h"

struct survey {
        struct topology *topology;
        struct geometry *geometry; /* by layer->index */
        struct findings findings;
        struct plan plan;
        struct arena *arena;
};

/*
 * POLICY may be NULL: no rule matches, nothing is changed. The survey does not refer to it afterwards.
 * Returns 0 or a negative errno as discover().
 */
int survey_run(const struct sysroot *root, const struct policy *policy, struct survey **ret);

/* The same over a topology that is there already, which it takes over (also on failure). Pure. */
int survey_topology(struct topology *topology, const struct policy *policy, struct survey **ret);

void survey_free(struct survey *survey);
DEFINE_CLEANUP(struct survey *, survey_free);
