/* SPDX-License-Identifier: MIT */

/* Findings about the state that an array or a map is in. */

#include <string.h>

#include "common/finding-private.h"

static int check_degraded(struct finding_context *c, const struct layer *layer) {
        const struct md_info *md = layer->md;

        if (!md || opt_or(md->degraded, 0) <= 0 || layer->kind == KIND_MD_INACTIVE)
                return 0;
        return finding_add(c, layer, FINDING_ARRAY_DEGRADED, SEVERITY_WARNING,
                        "%lld of %lld members are missing or failed", (long long)md->degraded.value,
                        (long long)opt_or(md->raid_disks, 0));
}

static int check_resyncing(struct finding_context *c, const struct layer *layer) {
        static const char *const actions[] = {"resync", "recover", "check", "repair"};

        if (!layer->md || !layer->md->sync_action)
                return 0;
        for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
                if (strcmp(layer->md->sync_action, actions[i]) == 0)
                        return finding_add(c, layer, FINDING_ARRAY_RESYNCING, SEVERITY_NOTICE,
                                        "%s is running: it competes with reads", actions[i]);
        return 0;
}

static int check_reshaping(struct finding_context *c, const struct layer *layer) {
        if (!layer->md || !layer->md->reshaping)
                return 0;
        return finding_add(c, layer, FINDING_ARRAY_RESHAPING, SEVERITY_NOTICE,
                        "is being reshaped: its geometry and the readahead above it can be told when that is done");
}

static int check_inactive(struct finding_context *c, const struct layer *layer) {
        if (layer->kind != KIND_MD_INACTIVE)
                return 0;
        return finding_add(c, layer, FINDING_ARRAY_INACTIVE, SEVERITY_WARNING,
                        "is assembled but not running: nothing can be read from it");
}

static int check_suspended(struct finding_context *c, const struct layer *layer) {
        if (!layer->dm || !layer->dm->suspended)
                return 0;
        return finding_add(c, layer, FINDING_SUSPENDED, SEVERITY_NOTICE,
                        "is suspended: reads and writes wait until it is resumed");
}

static int check_target(struct finding_context *c, const struct layer *layer) {
        for (size_t i = 0; layer->dm && i < layer->dm->n_segments; i++)
                if (layer->dm->segments[i].kind == KIND_DM_UNKNOWN)
                        return finding_add(c, layer, FINDING_UNKNOWN_TARGET, SEVERITY_INFO,
                                        "target \"%s\" is not known to setrad: %s", layer->dm->segments[i].target,
                                        layer->dm->segments[i].n_legs == 1 || layer->n_below == 1
                                                        ? "the geometry beneath is taken for its own"
                                                        : "that part of the map is taken to have no geometry");
        return 0;
}

static int check_cycle(struct finding_context *c, const struct layer *layer) {
        if (!layer->in_cycle)
                return 0;
        return finding_add(
                        c, layer, FINDING_CYCLE, SEVERITY_WARNING, "lies over itself: its way down leads back to it");
}

const finding_check finding_state_checks[] = {
                check_degraded,
                check_resyncing,
                check_reshaping,
                check_inactive,
                check_suspended,
                check_target,
                check_cycle,
                NULL,
};
