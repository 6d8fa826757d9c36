/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <string.h>

#include "common/layer.h"
#include "common/units.h"

bool layer_is_private_volume(const struct layer *layer) {
        /* lvm2, lib/misc/lvm-string.c: no volume of a user may have these in its name. */
        static const char *const reserved[] = {
                        "_cdata",
                        "_cmeta",
                        "_corig",
                        "_cvol",
                        "_iorig",
                        "_imeta",
                        "_mimage",
                        "_mlog",
                        "_pmspare",
                        "_rimage",
                        "_rmeta",
                        "_tdata",
                        "_tmeta",
                        "_vdata",
                        "_vorigin",
                        "_wcorig",
        };
        const struct dm_info *dm = layer->dm;

        if (!dm || !dm->lv)
                return false;
        if (dm->lvm_suffix || strncmp(dm->lv, "pvmove", strlen("pvmove")) == 0)
                return true;
        for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
                if (strstr(dm->lv, reserved[i]))
                        return true;
        return false;
}

bool layer_lies_over(const struct layer *upper, const struct layer *lower) {
        return lower && !(upper->in_cycle && lower->in_cycle) && lower->depth < upper->depth;
}

bool layer_is_reshaping(const struct layer *layer) {
        if (layer->md && layer->md->reshaping)
                return true;
        for (size_t i = 0; layer->dm && i < layer->dm->n_segments; i++)
                if (layer->dm->segments[i].reshaping)
                        return true;
        return false;
}

/* The first target that has none left; NULL if all have, or nobody knows. */
static const struct dm_paths *find_lost_paths(const struct layer *layer) {
        for (size_t i = 0; layer->dm && i < layer->dm->n_segments; i++) {
                const struct dm_paths *paths = &layer->dm->segments[i].paths;

                if (paths->known && paths->n_active == 0)
                        return paths;
        }
        return NULL;
}

bool layer_has_lost_paths(const struct layer *layer) {
        return find_lost_paths(layer) != NULL;
}

const char *layer_describe_lost_paths(const struct layer *layer, struct arena *arena) {
        unsigned n = find_lost_paths(layer)->n;

        if (n == 0)
                return arena_printf(arena, "map %s has no paths", layer->label);
        if (n == 1)
                return arena_printf(arena, "map %s has lost its only path", layer->label);
        return arena_printf(arena, "map %s has none of its %u paths left", layer->label, n);
}

bool sync_action_is_running(const char *action) {
        return action && *action && strcmp(action, "idle") != 0 && strcmp(action, "frozen") != 0;
}

static struct opt_int opt_sum(struct opt_int a, struct opt_int b) {
        return opt_some(opt_or(a, 0) + opt_or(b, 0));
}

/* Of a map with several arrays: all of their members, and what the first does that does anything. */
static struct array_health dm_health(const struct dm_info *dm) {
        struct array_health health = {};

        for (size_t i = 0; i < dm->n_segments; i++) {
                const struct dm_segment *segment = &dm->segments[i];

                if (segment->raid_disks == 0)
                        continue;
                health.members = opt_sum(health.members, opt_some(segment->raid_disks));
                if (segment->sync.degraded.known)
                        health.degraded = opt_sum(health.degraded, segment->sync.degraded);
                if (sync_action_is_running(health.sync_action))
                        continue;
                health.sync_action = segment->sync.action;
                health.synced_sectors = segment->sync.synced_sectors;
                health.sync_sectors = segment->sync.sync_sectors;
        }
        return health;
}

struct array_health layer_array_health(const struct layer *layer) {
        const struct md_info *md = layer->md;

        if (md)
                return (struct array_health){
                                md->raid_disks, md->degraded, md->sync_action, md->synced_sectors, md->sync_sectors};
        return layer->dm ? dm_health(layer->dm) : (struct array_health){};
}

bool layer_is_swap(const struct layer *layer) {
        for (size_t i = 0; i < layer->n_uses; i++)
                if (layer->uses[i].type == USE_SWAP)
                        return true;
        return false;
}

static bool has_own_readahead(const char *fs) {
        static const char *const types[] = {"btrfs", "bcachefs", "fuseblk"};

        for (size_t i = 0; fs && i < ARRAY_SIZE(types); i++)
                if (strcmp(fs, types[i]) == 0)
                        return true;
        return false;
}

bool layer_reads_past_device(const struct layer *layer, const char **ret_fs) {
        const char *fs;

        for (size_t i = 0; i < layer->n_uses; i++)
                if (layer->uses[i].type != USE_MOUNT || !has_own_readahead(layer->uses[i].fs))
                        return false;

        /* Of a file system over several devices the mount table names one: the others have only udev's word. */
        fs = layer->n_uses > 0 ? layer->uses[0].fs : layer->filesystem;
        if (layer->n_uses == 0 && (layer->n_above > 0 || !has_own_readahead(fs)))
                return false;
        if (ret_fs)
                *ret_fs = fs;
        return true;
}

static const char *describe(struct arena *arena, const char *level, uint64_t n, uint64_t chunk_bytes) {
        char chunk[UNITS_BUFFER];

        if (chunk_bytes == 0)
                return arena_printf(arena, "%s %" PRIu64 " disks", level, n);
        return arena_printf(arena, "%s %" PRIu64 " × %s", level, n, units_format_bytes(chunk, chunk_bytes));
}

const char *layer_describe_array(const struct layer *layer, struct arena *arena) {
        if (layer->md && layer->md->raid_disks.known) {
                bool striped = layer->kind != KIND_MD_RAID1 && layer->kind != KIND_MD_LINEAR;

                return describe(arena, layer->md->level, (uint64_t)layer->md->raid_disks.value,
                                striped ? (uint64_t)opt_or(layer->md->chunk_bytes, 0) : 0);
        }
        if (layer->dm && layer->dm->n_segments > 0 && layer->dm->segments[0].chunk_sectors > 0) {
                const struct dm_segment *segment = &layer->dm->segments[0];
                uint64_t n = segment->raid_disks;

                for (size_t i = 0; segment->raid_disks == 0 && i < segment->n_legs; i++)
                        n += segment->legs[i].role == LEG_DATA;
                return describe(arena, kind_name(segment->kind) + strlen("dm-"), n,
                                segment->chunk_sectors * SECTOR_BYTES);
        }
        return "";
}
