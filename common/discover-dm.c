/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "common/discover-dm.h"
#include "common/dmtable.h"
#include "common/growth.h"

/* Kernel: DM_NAME_LEN 128, DM_UUID_LEN 129. Mangled, each byte may be four. */
#define NAME_MAX_MANGLED 1024

int dm_read(struct sysdir *device, struct topology *topology, struct layer *layer) {
        layer->dm = arena_alloc(topology->arena, sizeof(*layer->dm));
        if (!layer->dm)
                return -ENOMEM;
        /* The kernel says with a table all that is read here; where it is not asked, this is made up for. */
        if (sysroot_is_live(device->root) && !sysroot_is_recorded(device->root))
                return 0;
        return dm_read_attributes(device, topology, layer);
}

int dm_read_attributes(struct sysdir *device, struct topology *topology, struct layer *layer) {
        char name[NAME_MAX_MANGLED] = "", uuid[NAME_MAX_MANGLED] = "";
        _cleanup_(sysdir_close) struct sysdir dir = {};
        bool suspended = false;

        if (sysdir_open_in(device, "dm", &dir) == 0) {
                if (sysdir_read(&dir, "name", name, sizeof(name)) < 0)
                        name[0] = 0;
                if (sysdir_read(&dir, "uuid", uuid, sizeof(uuid)) < 0)
                        uuid[0] = 0;
                suspended = sysdir_read_int(&dir, "suspended").value == 1;
        }
        return dm_identify(topology, layer, name, uuid, suspended);
}

int dm_identify(struct topology *topology, struct layer *layer, const char *name, const char *uuid, bool suspended) {
        struct dm_info *dm = layer->dm;

        dm->name = dmname_demangle(topology->arena, name);
        dm->uuid = dmname_demangle(topology->arena, uuid);
        if (!dm->name || !dm->uuid)
                return -ENOMEM;
        dm->suspended = suspended;
        return dmname_split_lvm(topology->arena, dm->name, dm->uuid, &dm->vg, &dm->lv, &dm->lvm_suffix);
}

/* Grows by powers of two, so that the room there is follows from the length. */
static int append_segment(struct arena *arena, struct dm_info *dm, const struct dm_segment *segment) {
        size_t n = dm->n_segments;

        if (growth_is_due(n)) {
                struct dm_segment *grown;

                grown = arena_alloc_array(arena, growth_room(n), sizeof(*grown));
                if (!grown)
                        return -ENOMEM;
                if (n > 0)
                        memcpy(grown, dm->segments, n * sizeof(*grown));
                dm->segments = grown;
        }
        dm->segments[dm->n_segments++] = *segment;
        return 0;
}

int dm_add_target(struct topology *topology, struct layer *layer, uint64_t start_sectors, uint64_t length_sectors,
                const char *target, const char *params) {
        struct dm_segment segment;
        int r;

        r = dmtable_parse_target(topology->arena, start_sectors, length_sectors, target, params, &segment);
        if (r == -EINVAL)
                r = topology_add_layer_note(topology, layer,
                                "The table of %s has a target \"%s\" with parameters that make no sense.", layer->name,
                                target);
        if (r < 0)
                return r;

        layer->dm->has_table = true;
        return append_segment(topology->arena, layer->dm, &segment);
}

size_t dm_count_stateful(const struct layer *layer) {
        size_t n = 0;

        for (size_t i = 0; i < layer->dm->n_segments; i++)
                n += layer->dm->segments[i].raid_disks > 0 || layer->dm->segments[i].kind == KIND_DM_MULTIPATH;
        return n;
}

int dm_add_status(const struct sysroot *root, struct layer *layer, uint64_t start_sectors, uint64_t length_sectors,
                const char *target, const char *status) {
        for (size_t i = 0; i < layer->dm->n_segments; i++) {
                struct dm_segment *segment = &layer->dm->segments[i];
                int r;

                if (segment->start_sectors != start_sectors || segment->length_sectors != length_sectors ||
                                strcmp(segment->target, target) != 0)
                        continue;
                if (dmtable_apply_raid_status(segment, status) < 0 &&
                                dmtable_apply_multipath_status(segment, status) < 0)
                        continue;
                r = dm_record_status(root, layer, start_sectors, length_sectors, target, status);
                return r < 0 ? r : 1;
        }
        return 0;
}

/* What a map's uuid gives away without its table. LVM's says nothing of the target. */
static enum layer_kind kind_by_uuid(const char *uuid) {
        if (strncmp(uuid, "CRYPT-VERITY-", 13) == 0)
                return KIND_DM_VERITY;
        if (strncmp(uuid, "CRYPT-INTEGRITY-", 16) == 0)
                return KIND_DM_INTEGRITY;
        if (strncmp(uuid, "CRYPT-LUKS", 10) == 0 || strncmp(uuid, "CRYPT-PLAIN", 11) == 0)
                return KIND_DM_CRYPT;
        if (strncmp(uuid, "mpath-", 6) == 0)
                return KIND_DM_MULTIPATH;
        return KIND_DM_UNKNOWN;
}

static bool has_maps(const struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++)
                if (topology->layers[i]->dm)
                        return true;
        return false;
}

int dm_read_tables(const struct sysroot *root, struct topology *topology) {
        int r;

        if (!has_maps(topology))
                return 0;
        if (sysroot_is_live(root))
                r = dm_read_tables_live(root, topology);
        else
                r = dm_read_tables_captured(root, topology);
        if (r < 0)
                return r;
        r = dm_record_maps(root, topology);
        if (r < 0)
                return r;

        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *layer = topology->layers[i];

                if (layer->dm)
                        layer->kind = layer->dm->tables_known ? dmtable_kind(layer->dm->segments, layer->dm->n_segments)
                                                              : kind_by_uuid(layer->dm->uuid);
        }
        return 0;
}
