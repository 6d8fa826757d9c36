/* SPDX-License-Identifier: MIT */

/* What findings are once there is a plan: a target is capped by the limits of the rule that asks for it. */

#include <errno.h>

#include "common/finding-private.h"
#include "common/plan-reason.h"
#include "common/plan.h"
#include "common/units.h"

/* "2 × stripe width would be" */
static const char *what_is_wanted(
                const struct target *target, const struct readahead_limits *limits, struct arena *arena) {
        switch (target->origin) {
        case TARGET_STRIPE: return arena_printf(arena, "%u × stripe width would be", target->stripes);
        case TARGET_ARRAY: return plan_reason_has(target) ? "the array beneath has" : "the array beneath is given";
        case TARGET_FLOOR:
                return limits && limits->min_sectors > READAHEAD_FLOOR_SECTORS ? "the rule's min is"
                                                                               : "the kernel's default is";
        case TARGET_NONE:
        case TARGET_LITERAL: break;
        }
        return "";
}

/* "0.5 % of this machine's memory are" */
static const char *what_caps(const struct target *target, const struct readahead_limits *limits, struct arena *arena) {
        if (target->cap == CAP_MEMORY)
                return arena_printf(arena, "%g %% of this machine's memory are",
                                (limits ? limits->memory_share_ppm : MEMORY_SHARE_DEFAULT_PPM) / 10000.0);
        return limits ? "the most that its rule allows is" : "the most that is worked out by itself is";
}

int finding_add_capped(struct finding_context *context, const struct layer *layer, const struct target *target,
                const struct readahead_limits *limits) {
        const char *wanted, *caps;
        char raw[UNITS_BUFFER], capped[UNITS_BUFFER];

        if (target->cap == CAP_NONE)
                return 0;
        wanted = what_is_wanted(target, limits, context->arena);
        caps = what_caps(target, limits, context->arena);
        if (!wanted || !caps)
                return -ENOMEM;
        return finding_add(context, layer, FINDING_READAHEAD_CAPPED, SEVERITY_NOTICE, "%s %llu sectors (%s); %s %s",
                        wanted, (unsigned long long)target->raw_sectors, units_format_sectors(raw, target->raw_sectors),
                        caps, units_format_sectors(capped, (uint64_t)target->sectors.value));
}

/* The findings of the decision's layer, as they are with its target. */
static int settle_one(
                struct finding_context *context, const struct finding *items, size_t n, const struct decision *d) {
        bool has_target = d->target.sectors.known;
        size_t first = context->findings->n_items;
        int r;

        for (size_t i = 0; i < n; i++) {
                if (has_target && items[i].code == FINDING_READAHEAD_CAPPED)
                        continue;
                r = finding_append(context, &items[i]);
                if (r < 0)
                        return r;
        }
        if (!has_target)
                return 0;
        r = finding_add_capped(context, d->layer, &d->target, &d->rule_action->limits);
        if (r < 0)
                return r;
        finding_sort(context->findings, first);
        return 0;
}

/* Whether nothing is capped, by whatever limits: what was found is then what is told. */
static bool are_settled(const struct findings *findings, const struct plan *plan) {
        for (size_t i = 0; i < findings->n_items; i++)
                if (findings->items[i].code == FINDING_READAHEAD_CAPPED)
                        return false;
        for (size_t i = 0; i < plan->n_decisions; i++)
                if (plan->decisions[i].target.sectors.known && plan->decisions[i].target.cap != CAP_NONE)
                        return false;
        return true;
}

int findings_settle(
                const struct findings *findings, const struct plan *plan, struct arena *arena, struct findings *ret) {
        _cleanup_(findings_done) struct findings settled = {};
        struct finding_context context = {.arena = arena, .findings = &settled};

        if (are_settled(findings, plan)) {
                *ret = *findings;
                return 0;
        }
        for (size_t i = 0, begin = 0, end = 0; i < plan->n_decisions; i++, begin = end) {
                const struct decision *d = &plan->decisions[i];
                int r;

                while (end < findings->n_items && findings->items[end].layer == d->layer)
                        end++;
                r = settle_one(&context, findings->items + begin, end - begin, d);
                if (r < 0)
                        return r;
        }
        return findings_keep(&settled, arena, ret);
}
