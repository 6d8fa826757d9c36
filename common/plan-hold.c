/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "common/layer.h"
#include "common/plan-hold.h"
#include "common/plan-reason.h"

_Static_assert(_FINDING_CODE_MAX <= 64, "findings are kept as bits of a uint64_t");

const char *plan_state_words(enum finding_code code) {
        switch (code) {
        case FINDING_ARRAY_DEGRADED: return "is degraded";
        case FINDING_ARRAY_RESYNCING: return "is resyncing";
        case FINDING_ARRAY_RESHAPING: return "is being reshaped";
        case FINDING_ARRAY_INACTIVE: return "is inactive";
        case FINDING_SUSPENDED: return "is suspended";
        default: return NULL;
        }
}

/* Layers come after those beneath them, so one pass sees every depth. */
const uint64_t *plan_collect_states(
                const struct topology *topology, const struct findings *findings, struct arena *arena) {
        uint64_t *states = arena_alloc_array(arena, topology->n_layers, sizeof(*states));

        if (!states)
                return NULL;
        for (size_t i = 0; findings && i < findings->n_items; i++)
                states[findings->items[i].layer->index] |= UINT64_C(1) << findings->items[i].code;
        for (size_t i = 0; i < topology->n_layers; i++)
                for (size_t j = 0; j < topology->layers[i]->n_below; j++)
                        states[i] |= states[topology->layers[i]->below[j]->index];
        return states;
}

int plan_hold_reason(
                const struct geometry *geometry, const struct layer *layer, struct arena *arena, const char **ret) {
        const struct geometry *g = &geometry[layer->index];
        const char *reason = NULL;

        if (g->reshaping)
                reason = plan_reason_reshaping(geometry, layer, arena);
        else if (layer->kind == KIND_MD_INACTIVE)
                reason = "the array is inactive";
        else if (g->inactive)
                reason = arena_printf(arena, "%s beneath is inactive", g->inactive->label);
        else if (layer->dm && layer->dm->suspended)
                reason = "the map is suspended";
        else if (layer->dm && layer->dm->tables_known && !layer->dm->has_table)
                reason = "the map has no table";
        else if (g->pathless)
                reason = layer_describe_lost_paths(g->pathless, arena);
        else if (layer->udev_other_rules_disabled)
                reason = "udev asks others to leave it alone (DM_UDEV_DISABLE_OTHER_RULES_FLAG)";
        else if (layer->udev_not_ready)
                reason = "udev says that it is not ready (SYSTEMD_READY=0)";
        else if (layer->incomplete)
                reason = "not all that is to be known of it could be read";
        *ret = reason;
        return !reason && (g->reshaping || g->inactive || g->pathless) ? -ENOMEM : 0;
}

/* The lowest layer that has a finding of one of STATES, of which LAYER or what is beneath has one. */
static const struct layer *find_state(const uint64_t *states, const struct layer *layer, uint64_t wanted) {
        for (size_t i = 0; i < layer->n_below;) {
                const struct layer *below = layer->below[i++];

                if ((states[below->index] & wanted) == 0)
                        continue;
                layer = below;
                i = 0;
        }
        return layer;
}

static int rule_hold_reason(
                const uint64_t *states, const struct decision *decision, struct arena *arena, const char **ret) {
        uint64_t found = decision->rule_action->hold.states & states[decision->layer->index];
        enum finding_code code;

        *ret = NULL;
        if (found == 0)
                return 0;
        code = (enum finding_code)__builtin_ctzll(found);
        *ret = arena_printf(arena, "rule '%s' waits while %s %s", decision->rule,
                        find_state(states, decision->layer, UINT64_C(1) << code)->label, plan_state_words(code));
        return *ret ? 0 : -ENOMEM;
}

int plan_decision_hold_reason(const struct geometry *geometry, const uint64_t *states, const struct decision *decision,
                struct arena *arena, const char **ret) {
        bool asked = decision->rule_action && decision->target.sectors.known;
        int r;

        /* First, as it does not end by itself. */
        if (asked && decision->rule_action->hold.always) {
                *ret = arena_printf(arena, "held by rule '%s'", decision->rule);
                return *ret ? 0 : -ENOMEM;
        }
        r = plan_hold_reason(geometry, decision->layer, arena, ret);
        if (r < 0 || *ret || !asked)
                return r;
        return rule_hold_reason(states, decision, arena, ret);
}
