/* SPDX-License-Identifier: MIT */
#pragma once

/* What is to be done about every layer, and why. Pure: topology and what the rules ask for in, decisions out. */

#include <stdbool.h>
#include <stddef.h>

#include "drift.h"
#include "finding.h"
#include "geometry.h"
#include "probe-compare.h"
#include "target.h"
#include "topology.h"

enum direction { DIRECTION_RAISE, DIRECTION_LOWER, DIRECTION_BOTH, DIRECTION_REPORT };
/* What to do about a value that somebody else has set since. */
enum on_drift { DRIFT_RESPECT, DRIFT_REASSERT };

/* When and how much a change is measured. */
struct probe_spec {
        bool on_change;
        enum probe_workload workload; /* PROBE_SEQUENTIAL or PROBE_RANDOM_MAPPED */
        uint64_t time_msec;           /* for all runs together */
        uint64_t bytes;               /* for one run, at most */
        unsigned runs;                /* before, and as many after */
        struct keep_condition keep_if;
};

/* What a change waits for because its rule says so, beside what every change waits for. */
struct hold_spec {
        bool always;     /* until the rule says otherwise */
        uint64_t states; /* as long as the layer or anything beneath has one of these findings: bits of their codes */
};

/* What a rule says that has matched. */
struct rule_action {
        struct readahead_spec readahead;
        struct readahead_limits limits;
        enum direction direction;
        enum on_drift on_drift;
        struct probe_spec probe;
        struct hold_spec hold;
};

/* The rule that has won a layer. */
struct verdict {
        const char *rule;                 /* its name; NULL: none matched */
        const struct rule_action *action; /* NULL: none matched */
        bool names_layer;                 /* it names this layer by device, name, lv or uuid */
};

enum plan_action { ACTION_RAISE, ACTION_LOWER, ACTION_KEEP, ACTION_HOLD, ACTION_IGNORE };

/* "raise", "lower", "keep", "hold", "ignore" */
const char *plan_action_name(enum plan_action action);

struct decision {
        const struct layer *layer;
        enum plan_action action;
        struct target target;                  /* target.sectors unknown: none */
        const char *rule;                      /* NULL: none matched */
        const struct rule_action *rule_action; /* NULL: none matched */
        enum drift drift;   /* why the layer has not the target that it was given before; DRIFT_NONE: it was not */
        const char *reason; /* one clause, e.g. "2 × stripe width 768 KiB of md0, raid5 4 × 256 KiB" */
};

struct plan {
        struct decision *decisions; /* one for each layer, by layer->index, so bottom up */
        size_t n_decisions;
        size_t n_changes; /* decisions that raise or lower */
        size_t n_held;
        const uint64_t *states; /* by layer->index: codes of what is found at the layer or beneath it, as bits */
};

/*
 * VERDICTS has one element for each layer. A layer is left alone (ignore) where no rule matched, where it has no readahead
 * of its own (partitions, hidden nodes, containers), or where it is of a sort that only a rule that names it may touch:
 * swap, zram, zvol, rom, LVM's private volumes, plain disks, layers whose only use is a file system with a readahead of
 * its own. A rule that says keep gives ACTION_KEEP.
 * FINDINGS may be NULL: there are none. What the plan says goes to ARENA, which must live as long; VERDICTS and their
 * rules need not. Returns 0 or -ENOMEM.
 */
int plan_build(const struct topology *topology, const struct geometry *geometry, const struct findings *findings,
                const struct verdict *verdicts, struct arena *arena, struct plan *ret);

/* What is not CHOSEN (by layer->index) is neither changed nor held. */
void plan_restrict(struct plan *plan, const bool *chosen);

/* Whether the decision changes the layer. */
bool decision_is_change(const struct decision *decision);

/*
 * Why every change of LAYER must wait, e.g. "md0 is being reshaped"; *ret is NULL if it need not, else ARENA's. Returns 0
 * or -ENOMEM.
 */
int plan_hold_reason(const struct geometry *geometry, const struct layer *layer, struct arena *arena, const char **ret);

/*
 * The same for a change as the decision's rule asks for it: rules may wait for more. Needs of DECISION all but action
 * and reason; STATES is that of the plan.
 */
int plan_decision_hold_reason(const struct geometry *geometry, const uint64_t *states, const struct decision *decision,
                struct arena *arena, const char **ret);

/* What a layer is as long as it has the finding: "is degraded"; NULL if that is nothing that a rule can wait for. */
const char *plan_state_words(enum finding_code code);
