/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The whole way from machine to plan in one call, for the two programs: discover → topology → geometry → findings →
 * policy → plan. The one file in common/ that knows config/.
 */

#include "config/policy.h"
#include "finding.h"
#include "geometry.h"
#include "inventory.h"
#include "plan.h"
#include "sysroot.h"
#include "topology.h"

struct survey {
        struct topology *topology;
        struct geometry *geometry; /* by layer->index */
        struct findings matched;   /* what rules were matched with: there is no target yet */
        struct findings findings;  /* what is told: findings_settle() */
        struct plan plan;
        struct arena *arena;
        unsigned n_refs;
};

/* What to read. All zero: everything. */
struct survey_scope {
        struct inventory *inventory; /* what was seen before; NULL: nothing */
        bool news_only;              /* as discover_news(): what is touched, and what lies over it; else all is read */
        char *const *touched;        /* kernel names as sysfs has them, NULL-terminated; NULL: none */
        char *const *reloaded;       /* maps that a change event came of since then, or just before; likewise */
        bool all_reloaded;
};

/*
 * POLICY may be NULL: no rule matches, nothing is changed. The survey does not refer to it afterwards.
 * Returns 0 or a negative errno as discover().
 */
int survey_run(const struct sysroot *root, const struct policy *policy, struct survey **ret);

/* The same over a topology that is there already, which it takes over (also on failure). Pure. */
int survey_topology(struct topology *topology, const struct policy *policy, struct survey **ret);

/*
 * As survey_run(), of what SCOPE says. Of a survey of news only, decisions and findings count of layers that are not carried;
 * those that are, are there for what lies over them. The inventory is left as it was but for its
 * mounts and ledger: inventory_update().
 */
int survey_look(const struct sysroot *root, const struct survey_scope *scope, const struct policy *policy,
                struct survey **ret);

/* Surveys are kept by the one who scans and by each change that is under way. Both take NULL. */
struct survey *survey_ref(struct survey *survey);
void survey_unref(struct survey *survey);
DEFINE_CLEANUP(struct survey *, survey_unref);
