/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/layer.h"
#include "common/probe-guard.h"

static bool is_one_of(const char *text, const char *a, const char *b) {
        return text && (strcmp(text, a) == 0 || strcmp(text, b) == 0);
}

static const char *sync_words(const char *action) {
        static const char *const words[][2] = {
                        {"resync", "is resyncing"},
                        {"recover", "is recovering"},
                        {"check", "is being checked"},
                        {"repair", "is being repaired"},
                        {"reshape", "is being reshaped"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
                if (strcmp(action, words[i][0]) == 0)
                        return words[i][1];
        return "is busy with itself";
}

static const char *health_reason(const struct layer *layer, struct arena *arena) {
        const struct array_health health = layer_array_health(layer);
        long long missing = (long long)opt_or(health.degraded, 0);

        if (missing > 0 && health.members.known && health.members.value >= missing)
                return arena_printf(arena, "%s is degraded (%lld of %lld members missing)", layer->label, missing,
                                (long long)health.members.value);
        if (missing > 0)
                return arena_printf(arena, "%s is degraded (%lld member%s missing)", layer->label, missing,
                                missing == 1 ? "" : "s");
        if (sync_action_is_running(health.sync_action))
                return arena_printf(arena, "%s %s", layer->label, sync_words(health.sync_action));
        return NULL;
}

static const char *md_obstacle(const struct layer *layer, struct arena *arena) {
        if (layer->kind == KIND_MD_CONTAINER)
                return arena_printf(arena, "%s is a container and holds no data", layer->label);
        if (layer->kind == KIND_MD_INACTIVE || is_one_of(layer->md->array_state, "inactive", "clear"))
                return arena_printf(arena, "%s is inactive", layer->label);
        return NULL;
}

static bool has_paths(const struct dm_segment *segment) {
        return segment->kind != KIND_DM_MULTIPATH || segment->n_legs > 0;
}

static const char *dm_obstacle(const struct layer *layer, struct arena *arena) {
        const struct dm_info *dm = layer->dm;

        if (dm->suspended)
                return arena_printf(arena, "%s is suspended", layer->label);
        if (dm->tables_known && !dm->has_table)
                return arena_printf(arena, "%s has no table", layer->label);
        for (size_t i = 0; i < dm->n_segments; i++)
                if (!has_paths(&dm->segments[i]))
                        return arena_printf(arena, "%s has no paths", layer->label);
        return layer_has_lost_paths(layer) ? layer_describe_lost_paths(layer, arena) : NULL;
}

/* What counts for the layer that is read only: beneath it, udev's flags also mark what is merely in use by others. */
static const char *top_reason(const struct layer *layer, struct arena *arena) {
        if (!layer->has_devno || layer->hidden)
                return arena_printf(arena, "%s has no device node", layer->label);
        if (layer->udev_not_ready || layer->udev_other_rules_disabled)
                return arena_printf(arena, "%s is not ready, udev says", layer->label);
        if (!layer->size_sectors.known || layer->size_sectors.value <= 0)
                return arena_printf(arena, "the size of %s is not known", layer->label);
        return NULL;
}

/* Why it can't be read at all. */
static const char *own_obstacle(const struct layer *layer, struct arena *arena) {
        const char *obstacle = NULL;

        if (layer->md)
                obstacle = md_obstacle(layer, arena);
        if (!obstacle && layer->dm)
                obstacle = dm_obstacle(layer, arena);
        return obstacle;
}

static const char *own_reason(const struct layer *layer, struct arena *arena) {
        const char *obstacle;

        if (layer->asleep)
                return arena_printf(arena, "%s is asleep", layer->label);
        obstacle = own_obstacle(layer, arena);
        if (obstacle || !(layer->md || layer->dm))
                return obstacle;
        if (layer_is_reshaping(layer))
                return arena_printf(arena, "%s is being reshaped", layer->label);
        return health_reason(layer, arena);
}

/* What ASK, the first time it does, says of LAYER or of anything beneath it. */
static const char *first_reason(const struct layer *layer, struct arena *arena,
                const char *(*ask)(const struct layer *layer, struct arena *arena)) {
        /* Each layer once: in a stack of diamonds there are too many ways down to follow them all. All that is below a
         * layer has a smaller index. */
        _cleanup_(freep) const struct layer **stack = calloc(layer->index + 1, sizeof(*stack));
        _cleanup_(freep) bool *seen = calloc(layer->index + 1, sizeof(*seen));
        size_t n = 0;

        if (!stack || !seen)
                return "there is no memory";
        stack[n++] = layer;
        while (n > 0) {
                const struct layer *next = stack[--n];
                const char *reason = ask(next, arena);

                if (reason)
                        return reason;
                for (size_t i = 0; i < next->n_below; i++) {
                        const struct layer *below = next->below[i];

                        if (below->index >= layer->index || seen[below->index])
                                continue;
                        seen[below->index] = true;
                        stack[n++] = below;
                }
        }
        return NULL;
}

const char *probe_guard_reason(const struct layer *layer, struct arena *arena) {
        return top_reason(layer, arena) ?: first_reason(layer, arena, own_reason);
}

const char *probe_guard_obstacle(const struct layer *layer, struct arena *arena) {
        return top_reason(layer, arena) ?: first_reason(layer, arena, own_obstacle);
}
