/* SPDX-License-Identifier: MIT */

/* Findings about the state that an array or a map is in. */

#include <errno.h>
#include <string.h>

#include "common/finding-private.h"
#include "common/layer.h"
#include "common/mdattr.h"
#include "common/units.h"

/* "1 of 4 members is", "3 members are": TOTAL may be unknown. */
static const char *members_are(const struct finding_context *c, uint64_t n, struct opt_int total) {
        const char *be = n == 1 ? "is" : "are";

        if (opt_or(total, 0) > 0)
                return arena_printf(c->arena, "%llu of %lld member%s %s", (unsigned long long)n, (long long)total.value,
                                total.value == 1 ? "" : "s", be);
        return arena_printf(c->arena, "%llu member%s %s", (unsigned long long)n, n == 1 ? "" : "s", be);
}

/* In tens of percent, so that the sentence stays the same for a while; "" if unknown. */
static const char *progress(const struct finding_context *c, const struct array_health *health) {
        double done = (double)opt_or(health->synced_sectors, 0), total = (double)opt_or(health->sync_sectors, 0);
        unsigned tens;

        if (total <= 0 || done > total)
                return "";
        tens = (unsigned)(done * 10 / total);
        if (tens == 0)
                return ", less than 10 % done";
        return arena_printf(c->arena, ", at least %u %% done", (tens < 10 ? tens : 9) * 10);
}

static int check_degraded(struct finding_context *c, const struct layer *layer) {
        const struct array_health health = layer_array_health(layer);
        const char *members;

        if (opt_or(health.degraded, 0) <= 0 || layer->kind == KIND_MD_INACTIVE)
                return 0;
        members = members_are(c, (uint64_t)health.degraded.value, health.members);
        if (!members)
                return -ENOMEM;
        return finding_add(c, layer, FINDING_ARRAY_DEGRADED, SEVERITY_WARNING, "%s missing or failed", members);
}

static int check_resyncing(struct finding_context *c, const struct layer *layer) {
        static const struct {
                const char *action, *words;
        } actions[] = {
                        {"resync", "a resync"},
                        {"recover", "a recovery"},
                        {"check", "a check"},
                        {"repair", "a repair"},
        };

        const struct array_health health = layer_array_health(layer);

        for (size_t i = 0; health.sync_action && i < ARRAY_SIZE(actions); i++)
                if (strcmp(health.sync_action, actions[i].action) == 0) {
                        const char *done = progress(c, &health);

                        if (!done)
                                return -ENOMEM;
                        return finding_add(c, layer, FINDING_ARRAY_RESYNCING, SEVERITY_NOTICE,
                                        "%s is running%s: it competes with reads", actions[i].words, done);
                }
        return 0;
}

static const char *layout_words(const struct finding_context *c, enum layer_kind kind, int64_t layout) {
        const char *name = mdattr_layout_name(kind, layout);

        return name ?: arena_printf(c->arena, "%lld", (long long)layout);
}

/* LIST and ITEM, which may be NULL without memory: then NULL. */
static const char *append(const struct finding_context *c, const char *list, const char *item) {
        return list && item ? arena_printf(c->arena, "%s%s%s", list, *list ? ", " : "", item) : NULL;
}

/* "raid5 → raid6, 3 → 4 members, chunk 64 KiB → 128 KiB": all that md shows in pairs; "" for none. */
static const char *describe_reshape(const struct finding_context *c, const struct layer *layer) {
        const struct md_info *md = layer->md;
        const char *list = "", *level = strstr(md->level, " (");
        char from[UNITS_BUFFER], to[UNITS_BUFFER];

        if (level && level[2])
                list = append(c, list,
                                arena_printf(c->arena, "%.*s → %.*s", (int)strcspn(level + 2, ")"), level + 2,
                                                (int)(level - md->level), md->level));
        if (md->old.raid_disks.known)
                list = append(c, list,
                                arena_printf(c->arena, "%lld → %lld members", (long long)md->old.raid_disks.value,
                                                (long long)md->raid_disks.value));
        if (opt_or(md->old.chunk_bytes, -1) >= 0 && opt_or(md->chunk_bytes, -1) >= 0)
                list = append(c, list,
                                arena_printf(c->arena, "chunk %s → %s",
                                                units_format_bytes(from, (uint64_t)md->old.chunk_bytes.value),
                                                units_format_bytes(to, (uint64_t)md->chunk_bytes.value)));
        if (md->old.layout.known) {
                const char *before = layout_words(c, layer->kind, md->old.layout.value);
                const char *after = layout_words(c, layer->kind, md->layout.value);

                if (!before || !after)
                        return NULL;
                list = append(c, list, arena_printf(c->arena, "layout %s → %s", before, after));
        }
        return list;
}

/* It goes on by itself, unless it was stopped: "mdadm --grow --continue" then. */
static bool stands_still(const struct array_health *health) {
        return health->sync_action && *health->sync_action && !sync_action_is_running(health->sync_action);
}

static int check_reshaping(struct finding_context *c, const struct layer *layer) {
        const struct array_health health = layer_array_health(layer);
        const char *change, *done;

        if (!layer_is_reshaping(layer))
                return 0;
        /* Of LVM's RAID only the status tells, and not from what to what. */
        change = layer->md ? describe_reshape(c, layer) : "";
        done = stands_still(&health) ? ", but stands still" : progress(c, &health);
        if (!change || !done)
                return -ENOMEM;
        return finding_add(c, layer, FINDING_ARRAY_RESHAPING, SEVERITY_NOTICE,
                        "is being reshaped%s%s%s%s: its geometry and the readahead above it can be told when that is "
                        "done",
                        *change ? " (" : "", change, *change ? ")" : "", done);
}

static const char *present_members(const struct finding_context *c, const struct md_info *md) {
        uint64_t n = 0;
        const char *members;

        if (md->n_members == 0)
                return "";
        for (size_t i = 0; i < md->n_members; i++)
                n += md->members[i].layer && !(md->members[i].states & (MD_MEMBER_FAULTY | MD_MEMBER_JOURNAL));
        members = members_are(c, n, md->raid_disks);
        return members ? arena_printf(c->arena, "; %s there", members) : NULL;
}

static int check_inactive(struct finding_context *c, const struct layer *layer) {
        const char *members, *state;

        if (layer->kind != KIND_MD_INACTIVE || !layer->md)
                return 0;
        state = layer->md->array_state;
        members = present_members(c, layer->md);
        if (!members)
                return -ENOMEM;
        return finding_add(c, layer, FINDING_ARRAY_INACTIVE, SEVERITY_WARNING,
                        "is assembled but not running%s%s%s: nothing can be read from it%s", state ? " (state " : "",
                        state ?: "", state ? ")" : "", members);
}

/* Who waits: a mount point or a layer, and how many more; "" for nobody. */
static const char *waiting(const struct finding_context *c, const struct layer *layer) {
        size_t n = layer->n_uses + layer->n_above;
        const char *first = NULL;

        for (size_t i = 0; i < layer->n_uses && !first; i++)
                first = layer->uses[i].path;
        if (n == 0)
                return "";
        if (!first)
                first = layer->n_uses > 0 ? "swap" : layer->above[0]->label;
        if (n == 1)
                return arena_printf(c->arena, ", and those of %s,", first);
        return arena_printf(c->arena, ", and those of %s and %zu more,", first, n - 1);
}

static int check_suspended(struct finding_context *c, const struct layer *layer) {
        const char *who;

        if (!layer->dm || !layer->dm->suspended)
                return 0;
        who = waiting(c, layer);
        if (!who)
                return -ENOMEM;
        return finding_add(c, layer, FINDING_SUSPENDED, SEVERITY_NOTICE,
                        "is suspended: its reads and writes%s wait until it is resumed", who);
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
