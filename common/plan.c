/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "common/layer.h"
#include "common/plan-hold.h"
#include "common/plan-reason.h"
#include "common/plan.h"

const char *plan_action_name(enum plan_action action) {
        switch (action) {
        case ACTION_RAISE: return "raise";
        case ACTION_LOWER: return "lower";
        case ACTION_KEEP: return "keep";
        case ACTION_HOLD: return "hold";
        case ACTION_IGNORE: return "ignore";
        }
        return "unknown";
}

bool decision_is_change(const struct decision *decision) {
        return decision->action == ACTION_RAISE || decision->action == ACTION_LOWER;
}

/* Layers that no rule touches. */
static const char *never_touched(const struct layer *layer, struct arena *arena) {
        if (layer->kind == KIND_PARTITION)
                return layer->parent ? arena_printf(arena, "it shares the readahead of %s", layer->parent->name)
                                     : "it shares its disk's readahead";
        if (layer->hidden || !layer->has_devno)
                return "it is hidden: nothing reads through it";
        if (layer->kind == KIND_MD_CONTAINER)
                return "a container holds no data";
        if (!layer->readahead_sectors.known)
                return "its readahead is not known";
        return NULL;
}

/* Layers that only a rule which names them touches. */
static const char *touched_by_name_only(
                const struct layer *layer, const struct geometry *geometry, struct arena *arena) {
        const char *fs;

        if (layer_is_swap(layer))
                return "swap does not use its device's readahead";
        if (layer->kind == KIND_ZRAM || layer->kind == KIND_ZVOL || layer->kind == KIND_ROM)
                return arena_printf(arena, "a %s is left alone", kind_name(layer->kind));
        if (layer_is_private_volume(layer))
                return "LVM keeps this volume for itself";
        if (layer->kind == KIND_DISK && !geometry[layer->index].readahead_implausible)
                return "a plain disk is left alone";
        if (layer_reads_past_device(layer, &fs))
                return arena_printf(arena, "%s has a readahead of its own", fs);
        return NULL;
}

/* Readahead 0 is somebody's decision; a number in a rule, or a rule that names the layer, is a later one. */
static bool is_left_off(const struct layer *layer, const struct verdict *verdict, const struct target *target) {
        return layer->readahead_sectors.value == 0 && target->origin != TARGET_LITERAL && !verdict->names_layer;
}

static bool direction_allows(enum direction direction, bool raise) {
        switch (direction) {
        case DIRECTION_RAISE: return raise;
        case DIRECTION_LOWER: return !raise;
        case DIRECTION_BOTH: return true;
        case DIRECTION_REPORT: return false;
        }
        return false;
}

/* What was said of the layer before: of many over the same array, each would be given its own copy of the same words. */
struct plan_memo {
        const struct rule_action *action; /* the policy's */
        const struct decision *copied;    /* has a copy of it, and of its rule's name */
        const struct geometry *geometry;
        const struct decision *explained; /* has the reason that follows from these two and its target */
};

struct plan_input {
        const struct topology *topology;
        const struct geometry *geometry;
        const uint64_t *states;
        struct opt_int *planned_sectors; /* by layer->index, of those decided: the readahead that each has then */
        struct plan_memo *memo;
        struct arena *arena;
};

static const char *why_not(enum direction direction, bool raise) {
        if (direction == DIRECTION_REPORT)
                return "the rule only reports";
        return raise ? "the rule does not raise" : "the rule does not lower";
}

/* Only of the target that setrad gave it by this rule: another rule or target is a new decision. */
static enum drift drift_of(const struct plan_input *in, const struct decision *d) {
        const struct ledger_note *set = d->layer->set;

        if (!set || !d->target.sectors.known || (uint64_t)d->target.sectors.value != set->sectors)
                return DRIFT_NONE;
        return strcmp(set->rule, d->rule) == 0 ? drift_judge(in->topology, d->layer) : DRIFT_NONE;
}

/* Why a value that is not setrad's stays; NULL if it does not. */
static const char *why_left(const struct decision *d) {
        switch (d->drift) {
        case DRIFT_REVERTED:
                return d->layer->set->put_back ? "keep-if has put it back" : "its original value was put back";
        case DRIFT_OTHER:
                return d->rule_action->on_drift == DRIFT_RESPECT ? "somebody has set it since, which the rule respects"
                                                                 : NULL;
        default: return NULL;
        }
}

/* Why the layer keeps a value that differs from its target; *ret is NULL if it need not. Returns 0 or -ENOMEM. */
static int why_kept(const struct plan_input *in, const struct verdict *verdict, const struct decision *d, bool raise,
                const char **ret) {
        enum direction direction = verdict->action->direction;
        bool known = d->target.sectors.known;

        *ret = NULL;
        if (known && is_left_off(d->layer, verdict, &d->target))
                *ret = "readahead is off, which is somebody's decision";
        else if (direction == DIRECTION_REPORT || (known && !direction_allows(direction, raise)))
                *ret = why_not(direction, raise);
        else if (why_left(d))
                *ret = why_left(d);
        else if (!known && in->geometry[d->layer->index].opaque) {
                *ret = plan_reason_opaque(in->geometry, d->layer, in->arena);
                return *ret ? 0 : -ENOMEM;
        }
        return 0;
}

static bool same_target(const struct target *a, const struct target *b) {
        return opt_equal(a->sectors, b->sectors) && a->origin == b->origin && a->cap == b->cap &&
               a->asked_sectors == b->asked_sectors && a->raw_sectors == b->raw_sectors &&
               a->bounded_sectors == b->bounded_sectors && a->stripes == b->stripes && a->array == b->array;
}

static bool is_explained(const struct plan_input *in, const struct decision *d) {
        const struct geometry *g = &in->geometry[d->layer->index], *before = in->memo->geometry;

        return before && d->rule_action == in->memo->explained->rule_action && g->from == before->from &&
               g->n_from == before->n_from && g->known == before->known && g->stripe_bytes == before->stripe_bytes &&
               same_target(&d->target, &in->memo->explained->target);
}

/* Sets the decision's reason to how its target came out. Returns 0 or -ENOMEM. */
static int explain_target(const struct plan_input *in, struct decision *d) {
        if (is_explained(in, d)) {
                d->reason = in->memo->explained->reason;
                return 0;
        }
        d->reason = plan_reason_target(in->geometry, d->layer, d->rule_action, &d->target, in->arena);
        if (!d->reason)
                return -ENOMEM;
        in->memo->geometry = &in->geometry[d->layer->index];
        in->memo->explained = d;
        return 0;
}

/* A target that differs: raise, lower, hold, or leave it as the rule's direction says. */
static int decide_difference(const struct plan_input *in, const struct layer *layer, const struct verdict *verdict,
                struct decision *d) {
        bool raise = d->target.sectors.known && d->target.sectors.value > layer->readahead_sectors.value;
        const char *hold, *kept;

        d->drift = drift_of(in, d);
        if (why_kept(in, verdict, d, raise, &kept) < 0 ||
                        plan_decision_hold_reason(in->geometry, in->states, d, in->arena, &hold) < 0)
                return -ENOMEM;
        if (kept) {
                d->action = ACTION_KEEP;
                d->reason = kept;
        } else if (hold) {
                d->action = ACTION_HOLD;
                d->reason = hold;
        } else if (!d->target.sectors.known) {
                d->action = ACTION_KEEP;
                d->reason = "no readahead can be worked out";
        } else {
                d->action = raise ? ACTION_RAISE : ACTION_LOWER;
                return explain_target(in, d);
        }
        return 0;
}

static int decide_ignored(const char *reason, struct decision *d) {
        d->action = ACTION_IGNORE;
        d->target = (struct target){};
        d->reason = reason;
        return reason ? 0 : -ENOMEM;
}

/* A plan may outlive the policy that it was made by. */
static int copy_rule(const struct plan_input *in, const struct verdict *verdict, struct decision *d) {
        struct plan_memo *memo = in->memo;
        struct rule_action *action;

        if (memo->action != verdict->action) {
                action = arena_alloc(in->arena, sizeof(*action));
                d->rule = arena_strdup(in->arena, verdict->rule);
                if (!action || !d->rule)
                        return -ENOMEM;
                *action = *verdict->action;
                d->rule_action = action;
                memo->action = verdict->action;
                memo->copied = d;
        }
        d->rule = memo->copied->rule;
        d->rule_action = memo->copied->rule_action;
        return 0;
}

/* In whole pages on both sides: what the kernel rounds away is no difference. */
static bool is_reached(const struct topology *topology, const struct layer *layer, const struct target *target) {
        uint64_t sectors = readahead_round((uint64_t)layer->readahead_sectors.value, topology->page_bytes);

        return target->sectors.known && (uint64_t)target->sectors.value == sectors;
}

static int decide(const struct plan_input *in, const struct layer *layer, const struct verdict *verdict,
                struct decision *d) {
        const char *alone;

        *d = (struct decision){.layer = layer};
        if (!verdict->action)
                return decide_ignored("no rule matches", d);
        if (copy_rule(in, verdict, d) < 0)
                return -ENOMEM;

        alone = never_touched(layer, in->arena);
        if (!alone && !verdict->names_layer)
                alone = touched_by_name_only(layer, in->geometry, in->arena);
        if (alone)
                return decide_ignored(alone, d);

        d->action = ACTION_KEEP;
        if (verdict->action->readahead.mode == READAHEAD_KEEP) {
                d->reason = "the rule keeps it";
                return 0;
        }

        d->target = target_compute(in->topology, in->geometry, in->planned_sectors, layer, verdict->action->readahead,
                        verdict->action->limits);
        if (!is_reached(in->topology, layer, &d->target))
                return decide_difference(in, layer, verdict, d);
        return explain_target(in, d);
}

static int decide_all(const struct plan_input *in, const struct verdict *verdicts, struct decision *decisions) {
        /* Bottom up: what an array is given counts for what lies over it, or the next plan would be another. */
        for (size_t i = 0; i < in->topology->n_layers; i++) {
                const struct layer *layer = in->topology->layers[i];
                int r = decide(in, layer, &verdicts[i], &decisions[i]);

                if (r < 0)
                        return r;
                in->planned_sectors[i] = decision_is_change(&decisions[i]) ? decisions[i].target.sectors
                                                                           : layer->readahead_sectors;
        }
        return 0;
}

static void count(struct plan *plan) {
        plan->n_changes = plan->n_held = 0;
        for (size_t i = 0; i < plan->n_decisions; i++) {
                plan->n_changes += decision_is_change(&plan->decisions[i]);
                plan->n_held += plan->decisions[i].action == ACTION_HOLD;
        }
}

void plan_restrict(struct plan *plan, const bool *chosen) {
        for (size_t i = 0; i < plan->n_decisions; i++) {
                struct decision *d = &plan->decisions[i];

                if (chosen[i] || (!decision_is_change(d) && d->action != ACTION_HOLD))
                        continue;
                d->action = ACTION_KEEP;
                d->reason = "it was not asked for";
        }
        count(plan);
}

int plan_build(const struct topology *topology, const struct geometry *geometry, const struct findings *findings,
                const struct verdict *verdicts, struct arena *arena, struct plan *ret) {
        struct plan plan = {
                        .decisions = arena_alloc_array(arena, topology->n_layers, sizeof(*plan.decisions)),
                        .n_decisions = topology->n_layers,
                        .states = plan_collect_states(topology, findings, arena),
        };
        _cleanup_(freep) struct opt_int *planned_sectors = calloc(topology->n_layers + 1, sizeof(*planned_sectors));
        struct plan_memo memo = {};
        struct plan_input in = {
                        .topology = topology,
                        .geometry = geometry,
                        .states = plan.states,
                        .planned_sectors = planned_sectors,
                        .memo = &memo,
                        .arena = arena,
        };
        int r;

        if (!plan.decisions || !plan.states || !planned_sectors)
                return -ENOMEM;
        r = decide_all(&in, verdicts, plan.decisions);
        if (r < 0)
                return r;
        count(&plan);
        *ret = plan;
        return 0;
}
