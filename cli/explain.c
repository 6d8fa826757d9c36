/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>

#include "cli/explain.h"
#include "common/units.h"

static const char *change_text(const struct decision *decision, struct arena *arena) {
        char target[UNITS_BUFFER];

        return arena_printf(arena, "%ss it from %" PRId64 " to %" PRId64 " sectors (%s)%s.",
                        plan_action_name(decision->action), decision->layer->readahead_sectors.value,
                        decision->target.sectors.value,
                        units_format_sectors(target, (uint64_t)decision->target.sectors.value),
                        decision->rule_action->probe.on_change ? ", and measures reads before and after" : "");
}

static const char *keep_text(const struct explanation *e, struct arena *arena) {
        const struct decision *decision = e->decision;
        struct opt_int now = e->layer->readahead_sectors;

        if (decision->target.sectors.known &&
                        (uint64_t)decision->target.sectors.value ==
                                        readahead_round((uint64_t)now.value, e->survey->topology->page_bytes))
                return "leaves it: it has what its rule asks for.";
        return arena_printf(arena, "leaves it: %s.", decision->reason);
}

static const char *hold_text(const struct decision *decision, struct arena *arena) {
        const struct hold_spec *hold = &decision->rule_action->hold;

        if (decision->target.sectors.known && hold->always)
                return arena_printf(arena, "waits: %s, until that rule says otherwise.", decision->reason);
        if (decision->target.sectors.known && hold->states)
                return arena_printf(arena, "waits: %s. It looks again at the next scan.", decision->reason);
        return arena_printf(arena, "waits: %s. It looks again by itself when that ends.", decision->reason);
}

static const char *outcome_text(const struct explanation *e, struct arena *arena) {
        if (e->layer->kind == KIND_PARTITION && e->layer->parent)
                return arena_printf(arena,
                                "leaves it alone, as it has the number of %s: what it does with that one counts.",
                                e->layer->parent->label);
        switch (e->decision->action) {
        case ACTION_RAISE:
        case ACTION_LOWER: return change_text(e->decision, arena);
        case ACTION_KEEP: return keep_text(e, arena);
        case ACTION_HOLD: return hold_text(e->decision, arena);
        case ACTION_IGNORE: return arena_printf(arena, "leaves it alone: %s.", e->decision->reason);
        }
        return NULL;
}

int explain_build(const struct survey *survey, const struct policy *policy, const char *policy_file,
                const struct layer *layer, struct arena *arena, struct explanation *ret) {
        struct explanation e = {.survey = survey, .layer = layer, .decision = &survey->plan.decisions[layer->index]};
        int r;

        r = policy_explain(policy, survey->topology, &survey->matched, layer, arena, &e.trace);
        if (r < 0)
                return r;
        r = explain_reads(&e, arena);
        if (r < 0)
                return r;
        r = explain_steps(&e, arena);
        if (r < 0)
                return r;
        e.outcome = outcome_text(&e, arena);
        if (!e.outcome)
                return -ENOMEM;
        r = explain_advice(&e, policy_file, arena);
        if (r < 0)
                return r;
        *ret = e;
        return 0;
}
