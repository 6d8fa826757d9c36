/* SPDX-License-Identifier: MIT */

#include "common/plan-reason.h"
#include "common/layer.h"
#include "common/units.h"

#define ARRAYS_NAMED_MAX 4U
#define STEPS_MAX        64U /* layers looked through for an array; more than any real stack has */

/* "md0, raid5 4 × 256 KiB", or "md1 (raid0 2 × 512 KiB) and md2 (raid5 4 × 512 KiB)" */
static const char *name_arrays(const struct geometry *g, struct arena *arena) {
        const char *names = NULL;

        for (size_t i = 0; i < g->n_from && i < ARRAYS_NAMED_MAX; i++) {
                const struct layer *array = g->from[i];
                const char *what = layer_describe_array(array, arena);
                bool only = g->n_from == 1, last = i + 1 == g->n_from;

                if (!what)
                        return NULL;
                if (only)
                        return *what ? arena_printf(arena, "%s, %s", array->label, what) : array->label;
                names = arena_printf(arena, "%s%s%s (%s)", names ? names : "",
                                i == 0 ? ""
                                : last ? " and "
                                       : ", ",
                                array->label, *what ? what : kind_name(array->kind));
                if (!names)
                        return NULL;
        }
        if (g->n_from > ARRAYS_NAMED_MAX)
                names = arena_printf(arena, "%s and %zu more", names, g->n_from - ARRAYS_NAMED_MAX);
        return names;
}

static const char *stripe_reason(const struct geometry *g, const struct target *target, struct arena *arena) {
        const char *arrays = name_arrays(g, arena);
        char width[UNITS_BUFFER];

        if (!arrays)
                return NULL;
        return arena_printf(arena, "%u × stripe width %s of %s", target->stripes,
                        units_format_bytes(width, g->stripe_bytes), arrays);
}

bool plan_reason_has(const struct target *target) {
        return target->asked_sectors == (uint64_t)opt_or(target->array->readahead_sectors, -1);
}

static const char *array_reason(const struct target *target, struct arena *arena) {
        const struct layer *array = target->array;
        const char *what = layer_describe_array(array, arena);

        if (!what)
                return NULL;
        return arena_printf(arena, "as %s beneath %s it%s%s", array->label,
                        plan_reason_has(target) ? "has" : "is given", *what ? ", " : "", what);
}

static const char *floor_reason(const struct geometry *g, const struct rule_action *action, struct arena *arena) {
        char width[UNITS_BUFFER];

        if (action->limits.min_sectors > READAHEAD_FLOOR_SECTORS)
                return "the rule's min";
        if (!g->known)
                return "the kernel's default, as nothing beneath has a stripe";
        return arena_printf(arena, "the kernel's default, as stripe width %s is small",
                        units_format_bytes(width, g->stripe_bytes));
}

/* 5000 ppm → "0.5" */
static const char *format_percent(struct arena *arena, unsigned ppm) {
        return arena_printf(arena, "%g", ppm / 10000.0);
}

static const char *add_cap(const char *reason, const struct rule_action *action, const struct target *target,
                struct arena *arena) {
        char raw[UNITS_BUFFER];
        const char *percent;

        switch (target->cap) {
        case CAP_NONE: return reason;
        case CAP_MAX:
                return arena_printf(arena, "the most that the rule allows; %s, would be %s", reason,
                                units_format_sectors(raw, target->raw_sectors));
        case CAP_MEMORY:
                percent = format_percent(arena, action->limits.memory_share_ppm);
                return !percent ? NULL
                                : arena_printf(arena, "%s %% of memory; %s, would be %s", percent, reason,
                                                  units_format_sectors(raw, target->raw_sectors));
        }
        return reason;
}

/* A number that a rule gives is obeyed, but one above its max is worth a word. */
static const char *literal_reason(const struct rule_action *action, const struct target *target, struct arena *arena) {
        char max[UNITS_BUFFER];

        if (target->raw_sectors <= action->limits.max_sectors)
                return "the rule's number";
        return arena_printf(arena, "the rule's number, above its max of %s",
                        units_format_sectors(max, action->limits.max_sectors));
}

const char *plan_reason_target(const struct geometry *geometry, const struct layer *layer,
                const struct rule_action *action, const struct target *target, struct arena *arena) {
        const struct geometry *g = &geometry[layer->index];
        const char *reason = "";

        switch (target->origin) {
        case TARGET_NONE: break;
        case TARGET_STRIPE: reason = stripe_reason(g, target, arena); break;
        case TARGET_ARRAY: reason = array_reason(target, arena); break;
        case TARGET_FLOOR: reason = floor_reason(g, action, arena); break;
        case TARGET_LITERAL: return literal_reason(action, target, arena);
        }
        return reason ? add_cap(reason, action, target, arena) : NULL;
}

const struct layer *plan_find_reshaping(const struct geometry *geometry, const struct layer *layer) {
        for (unsigned steps = 0; layer && steps < STEPS_MAX; steps++) {
                const struct layer *lower = NULL;

                if (layer_is_reshaping(layer))
                        return layer;
                for (size_t i = 0; i < layer->n_below && !lower; i++)
                        if (geometry[layer->below[i]->index].reshaping)
                                lower = layer->below[i];
                layer = lower;
        }
        return NULL;
}

const char *plan_reason_reshaping(const struct geometry *geometry, const struct layer *layer, struct arena *arena) {
        const struct layer *array = plan_find_reshaping(geometry, layer);

        if (!array)
                return "an array beneath is being reshaped";
        return array == layer ? "the array is being reshaped"
                              : arena_printf(arena, "%s is being reshaped", array->label);
}

/* The target that is not known, in words; "" where the table is not known either. */
static const char *name_unknown_target(const struct layer *map, struct arena *arena) {
        for (size_t i = 0; i < map->dm->n_segments; i++)
                if (map->dm->segments[i].kind == KIND_DM_UNKNOWN)
                        return arena_printf(arena, " (target \"%s\")", map->dm->segments[i].target);
        return "";
}

const char *plan_reason_opaque(const struct geometry *geometry, const struct layer *layer, struct arena *arena) {
        const struct layer *map = geometry[layer->index].opaque;
        const char *target = name_unknown_target(map, arena);

        if (!target)
                return NULL;
        return arena_printf(arena, "it is not known how %s%s spreads its reads over several devices",
                        map == layer ? "the map" : map->label, target);
}
