/* SPDX-License-Identifier: MIT */

/* How the target came out: the numbers of struct target, in words. */

#include <errno.h>
#include <inttypes.h>

#include "cli/explain.h"
#include "common/layer.h"
#include "common/plan-reason.h"
#include "common/units.h"

#define ARRAYS_NAMED_MAX 4U

static const char *direction_name(enum direction direction) {
        switch (direction) {
        case DIRECTION_RAISE: return "raise";
        case DIRECTION_LOWER: return "lower";
        case DIRECTION_BOTH: return "both";
        case DIRECTION_REPORT: return "report";
        }
        return "unknown";
}

static int add_step(struct explanation *e, const char *name, struct opt_int sectors, const char *text) {
        if (!text)
                return -ENOMEM;
        e->steps[e->n_steps++] = (struct explain_step){.name = name, .sectors = sectors, .text = text};
        return 0;
}

static struct opt_int some_sectors(uint64_t sectors) {
        return opt_some(sectors < INT64_MAX ? (int64_t)sectors : INT64_MAX);
}

static const char *name_sources(const struct geometry *g, struct arena *arena) {
        const char *names = "";

        for (size_t i = 0; names && i < g->n_from && i < ARRAYS_NAMED_MAX; i++) {
                const char *what = layer_describe_array(g->from[i], arena);

                if (!what)
                        return NULL;
                names = arena_printf(arena, "%s%s%s (%s)", names, i > 0 ? ", " : "", g->from[i]->label,
                                *what ? what : kind_name(g->from[i]->kind));
        }
        if (names && g->n_from > ARRAYS_NAMED_MAX)
                names = arena_printf(arena, "%s and %zu more", names, g->n_from - ARRAYS_NAMED_MAX);
        return names;
}

static const char *geometry_text(const struct explanation *e, struct arena *arena) {
        const struct geometry *g = &e->survey->geometry[e->layer->index];
        char width[UNITS_BUFFER], chunk[UNITS_BUFFER];
        const char *sources;

        if (g->reshaping || g->inactive) {
                const char *why;

                if (plan_hold_reason(e->survey->geometry, e->layer, arena, &why) < 0)
                        return NULL;
                return why ? arena_printf(arena, "no stripe can be told now: %s", why) : NULL;
        }
        if (g->opaque) {
                const char *why = plan_reason_opaque(e->survey->geometry, e->layer, arena);

                return why ? arena_printf(arena, "no stripe can be told: %s", why) : NULL;
        }
        if (!g->known)
                return "nothing at or beneath it stripes";
        sources = name_sources(g, arena);
        if (!sources)
                return NULL;
        units_format_bytes(width, g->stripe_bytes);
        if (g->chunk_bytes == 0)
                return arena_printf(arena, "stripe width %s, from %s", width, sources);
        return arena_printf(arena, "stripe width %s = %u data disks × %s chunk, from %s", width, g->data_disks,
                        units_format_bytes(chunk, g->chunk_bytes), sources);
}

/* Of a mode that works something out. */
static const char *mode_text(struct readahead_spec spec, struct arena *arena) {
        switch (spec.mode) {
        case READAHEAD_AUTO: return "readahead: auto";
        case READAHEAD_ARRAY: return "readahead: array";
        case READAHEAD_STRIPES: return arena_printf(arena, "readahead: %" PRIu64 " stripes", spec.stripes);
        case READAHEAD_KEEP: return "readahead: keep";
        case READAHEAD_OFF: return "readahead: off";
        case READAHEAD_SECTORS: return arena_printf(arena, "readahead: %" PRIu64 "s", spec.sectors);
        }
        return "";
}

static const char *asked_text(const struct explanation *e, struct arena *arena) {
        const struct target *target = &e->decision->target;
        struct readahead_spec spec = e->decision->rule_action->readahead;
        const struct geometry *g = &e->survey->geometry[e->layer->index];
        const char *mode = mode_text(spec, arena);
        char width[UNITS_BUFFER], product[UNITS_BUFFER];

        if (!mode)
                return NULL;
        if (target->origin == TARGET_LITERAL)
                return arena_printf(arena, "%s, the rule's own number", mode);
        if (target->array)
                return arena_printf(arena, "%s: what %s beneath %s%s", mode, target->array->label,
                                plan_reason_has(target) ? "has" : "is given",
                                spec.mode == READAHEAD_AUTO ? ", as that is more than 2 × stripe width" : "");
        if (target->stripes == 0)
                return arena_printf(arena, "%s: there is no stripe to go by", mode);
        return arena_printf(arena, "%s: %u × stripe width %s = %s", mode, target->stripes,
                        units_format_bytes(width, g->stripe_bytes),
                        units_format_sectors(product, target->asked_sectors));
}

static const char *floor_text(const struct explanation *e, struct arena *arena) {
        const struct readahead_limits *limits = &e->decision->rule_action->limits;
        char floor[UNITS_BUFFER];

        units_format_sectors(floor, e->decision->target.raw_sectors);
        if (limits->min_sectors >= e->decision->target.raw_sectors)
                return arena_printf(arena, "never under the rule's min of %s", floor);
        return arena_printf(arena, "never under %s, the kernel's own default", floor);
}

/* "16 MiB (max) and 5 MiB (0.5 % of 989.3 MiB of memory)" */
static const char *bounds_text(const struct explanation *e, struct arena *arena) {
        const struct readahead_limits *limits = &e->decision->rule_action->limits;
        const struct topology *topology = e->survey->topology;
        uint64_t bound = readahead_memory_bound(topology, limits->memory_share_ppm);
        char max[UNITS_BUFFER], share[UNITS_BUFFER], memory[UNITS_BUFFER];

        units_format_sectors(max, limits->max_sectors);
        if (bound == UINT64_MAX)
                return arena_printf(arena, "%s (max)", max);
        return arena_printf(arena, "%s (max) and %s (%g %% of %s of memory)", max, units_format_sectors(share, bound),
                        limits->memory_share_ppm / 10000.0,
                        units_format_bytes(memory, (uint64_t)topology->memory_bytes.value));
}

static const char *caps_text(const struct explanation *e, struct arena *arena) {
        const struct target *target = &e->decision->target;
        uint64_t max_sectors = e->decision->rule_action->limits.max_sectors;
        char max[UNITS_BUFFER];
        const char *bounds;

        if (target->origin == TARGET_LITERAL) {
                if (target->raw_sectors <= max_sectors)
                        return "none: a number that a rule gives is obeyed";
                return arena_printf(arena, "none: a number that a rule gives is obeyed, though it is above max (%s)",
                                units_format_sectors(max, max_sectors));
        }
        bounds = bounds_text(e, arena);
        if (!bounds)
                return NULL;
        if (target->cap == CAP_NONE)
                return arena_printf(arena, "at most %s: not reached", bounds);
        return arena_printf(arena, "at most %s: cut by %s", bounds, target->cap == CAP_MAX ? "max" : "memory-share");
}

static const char *rounding_text(const struct explanation *e, struct arena *arena) {
        const struct target *target = &e->decision->target;
        uint64_t page_bytes = e->survey->topology->page_bytes;
        char page[UNITS_BUFFER];

        units_format_bytes(page, page_bytes);
        if ((uint64_t)target->sectors.value == target->bounded_sectors)
                return arena_printf(arena, "whole pages of %s already", page);
        if ((uint64_t)target->sectors.value > target->bounded_sectors)
                return arena_printf(arena, "one page of %s, as less would turn readahead off", page);
        return arena_printf(arena, "down to whole pages of %s, as the kernel does it", page);
}

static int add_numbers(struct explanation *e, struct arena *arena) {
        const struct target *target = &e->decision->target;
        bool asked = target->origin == TARGET_LITERAL || target->array || target->stripes > 0;
        int r;

        r = add_step(e, "target", asked ? some_sectors(target->asked_sectors) : (struct opt_int){},
                        asked_text(e, arena));
        if (r == 0 && target->origin == TARGET_FLOOR)
                r = add_step(e, "floor", some_sectors(target->raw_sectors), floor_text(e, arena));
        if (r == 0)
                r = add_step(e, "caps", some_sectors(target->bounded_sectors), caps_text(e, arena));
        if (r == 0)
                r = add_step(e, "rounding", target->sectors, rounding_text(e, arena));
        return r;
}

static const char *direction_text(const struct explanation *e, struct arena *arena) {
        enum direction direction = e->decision->rule_action->direction;
        struct opt_int now = e->layer->readahead_sectors, target = e->decision->target.sectors;
        bool raise = target.value > now.value;
        const char *verb = raise ? "raise" : "lower";

        if ((uint64_t)target.value == readahead_round((uint64_t)now.value, e->survey->topology->page_bytes))
                return arena_printf(arena, "none needed: the layer has %" PRId64, now.value);
        if (direction == DIRECTION_REPORT)
                return arena_printf(arena, "%s from %" PRId64 "; the rule says report, so nothing is changed", verb,
                                now.value);
        if (direction != DIRECTION_BOTH && raise != (direction == DIRECTION_RAISE))
                return arena_printf(arena, "%s from %" PRId64 ", which the rule does not allow: its direction is %s",
                                verb, now.value, direction_name(direction));
        return arena_printf(arena, "%s from %" PRId64 ", which the rule allows: its direction is %s", verb, now.value,
                        direction_name(direction));
}

static const char *no_target_text(const struct explanation *e, struct arena *arena) {
        const struct decision *decision = e->decision;
        const char *mode;

        if (!decision->rule)
                return "none, as no rule matches";
        if (decision->action == ACTION_IGNORE)
                return arena_printf(arena, "none, though a rule matches: %s", decision->reason);
        mode = mode_text(decision->rule_action->readahead, arena);
        if (!mode)
                return NULL;
        if (decision->rule_action->readahead.mode == READAHEAD_KEEP)
                return arena_printf(arena, "none: the rule says %s", mode);
        return arena_printf(arena, "%s: cannot be worked out without a stripe", mode);
}

static int add_hold(struct explanation *e, struct arena *arena) {
        const char *hold;
        int r;

        r = plan_decision_hold_reason(e->survey->geometry, e->survey->plan.states, e->decision, arena, &hold);
        if (r < 0)
                return r;
        return add_step(e, "hold", opt_none(),
                        hold ? arena_printf(arena, "a change must wait: %s", hold)
                             : "no: nothing has to be waited for");
}

int explain_steps(struct explanation *e, struct arena *arena) {
        const struct geometry *g = &e->survey->geometry[e->layer->index];
        bool has_target = e->decision->target.sectors.known;
        int r;

        r = add_step(e, "geometry", g->known ? some_sectors(g->stripe_bytes / SECTOR_BYTES) : (struct opt_int){},
                        geometry_text(e, arena));
        if (r < 0)
                return r;
        r = has_target ? add_numbers(e, arena) : add_step(e, "target", (struct opt_int){}, no_target_text(e, arena));
        if (r == 0 && has_target)
                r = add_step(e, "direction", (struct opt_int){}, direction_text(e, arena));
        if (r == 0 && (has_target || e->decision->action == ACTION_HOLD))
                r = add_hold(e, arena);
        return r;
}
