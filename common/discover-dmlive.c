/* SPDX-License-Identifier: MIT */

/* Tables of this machine's maps. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "common/discover-block.h"
#include "common/discover-dm.h"
#include "common/discover-dmquery.h"

struct context {
        const struct sysroot *root;
        struct topology *topology;
        struct layer *layer;
        size_t n_statuses; /* taken */
};

static int identify(void *userdata, const struct dmquery_map *map) {
        struct context *context = userdata;

        return dm_identify(context->topology, context->layer, map->name, map->uuid, map->suspended);
}

static int add_target(void *userdata, uint64_t start_sectors, uint64_t length_sectors, const char *target,
                const char *params) {
        struct context *context = userdata;
        int r;

        if (context->layer->dm->n_segments > 0)
                dm_record_line_end(context->root);
        r = dm_add_target(context->topology, context->layer, start_sectors, length_sectors, target, params);
        if (r < 0)
                return r;
        return dm_record_target(context->root, context->layer, start_sectors, length_sectors, target, params);
}

/* A single target that nobody knows and that does not name its devices as numbers: what it has open, it reads. */
static bool needs_dependencies(const struct dm_info *dm) {
        return dm->n_segments == 1 && dm->segments[0].kind == KIND_DM_UNKNOWN && dm->segments[0].n_legs == 0;
}

static int read_dependencies(const struct sysroot *root, struct topology *topology, struct layer *layer) {
        _cleanup_(freep) dev_t *devices = NULL;
        struct dm_segment *segment = &layer->dm->segments[0];
        size_t n;
        int r;

        r = dmquery_dependencies(layer->major, layer->minor, &devices, &n);
        if (r < 0)
                return sysroot_is_shortage(r) ? r : 0;
        segment->legs = arena_alloc_array(topology->arena, n, sizeof(*segment->legs));
        if (!segment->legs)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                segment->legs[i] = (struct dm_leg){
                                .major = major(devices[i]), .minor = minor(devices[i]), .role = LEG_DATA};
        segment->n_legs = n;
        dm_record_legs(root, segment);
        return 0;
}

static int add_status(void *userdata, uint64_t start_sectors, uint64_t length_sectors, const char *target,
                const char *status) {
        struct context *context = userdata;
        int r;

        r = dm_add_status(context->root, context->layer, start_sectors, length_sectors, target, status);
        if (r > 0)
                context->n_statuses++;
        return r < 0 ? r : 0;
}

static void hold_arrays(struct dm_info *dm) {
        for (size_t i = 0; i < dm->n_segments; i++)
                dm->segments[i].reshaping |= dm->segments[i].raid_disks > 0;
}

/* Where it can't be had the table has the last word. */
static int read_status(struct context *context) {
        size_t n = dm_count_stateful(context->layer);
        int r;

        if (n == 0)
                return 0;
        r = dmquery_status(context->layer->major, context->layer->minor, add_status, context);
        if (r < 0)
                return sysroot_is_shortage(r) ? r : 0;
        /* Another table was loaded between the two, as LVM does for a reshape; the event of that is still to come. */
        if (context->n_statuses < n)
                hold_arrays(context->layer->dm);
        return 0;
}

/* Returns 0 also if the map is gone. */
static int read_table(const struct sysroot *root, struct topology *topology, struct layer *layer) {
        struct context context = {.root = root, .topology = topology, .layer = layer};
        int r;

        r = dmquery_table(layer->major, layer->minor, identify, add_target, &context);
        if (r == -ENXIO)
                return 0;
        if (r < 0)
                return r;
        layer->dm->tables_known = true;
        r = needs_dependencies(layer->dm) ? read_dependencies(root, topology, layer) : 0;
        if (layer->dm->n_segments > 0)
                dm_record_line_end(root);
        return r < 0 ? r : read_status(&context);
}

static int read_tables(const struct sysroot *root, struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *layer = topology->layers[i];
                int r;

                if (!layer->dm || !layer->has_devno || layer->carried)
                        continue;
                r = read_table(root, topology, layer);
                if (sysroot_is_shortage(r))
                        return r;
                layer->incomplete |= r < 0;
                topology->incomplete |= r < 0;
                if (r < 0)
                        r = topology_add_layer_note(topology, layer, "The table of %s could not be read: %s.",
                                        layer->name, strerrordesc_np(-r) ?: "unknown error");
                if (r < 0)
                        return r;
        }
        return 0;
}

static int query_tables(const struct sysroot *root, struct topology *topology) {
        int r;

        r = dmquery_open();
        if (r == -ENOENT)
                return topology_add_note(topology,
                                "/dev/mapper/control is missing: what maps lie over is known from sysfs only, without "
                                "targets.");
        if (sysroot_is_shortage(r))
                return r;
        topology->incomplete |= r < 0;
        if (r < 0)
                return topology_add_note(topology,
                                "Device-mapper can't be asked (%s): what maps lie over is known from sysfs "
                                "only, without targets.",
                                strerrordesc_np(-r) ?: "unknown error");
        r = read_tables(root, topology);
        dmquery_close();
        return r;
}

/* Whether the map has one device, as its table says: then that is its only slave. Other targets may have more in options. */
static bool has_one_device(const struct dm_info *dm) {
        const struct dm_leg *first = dm->n_segments > 0 && dm->segments[0].n_legs > 0 ? &dm->segments[0].legs[0] : NULL;

        for (size_t i = 0; first && i < dm->n_segments; i++) {
                const struct dm_segment *segment = &dm->segments[i];

                if ((segment->kind != KIND_DM_LINEAR && segment->kind != KIND_DM_CRYPT) || segment->n_legs != 1)
                        return false;
                if (segment->legs[0].major != first->major || segment->legs[0].minor != first->minor)
                        return false;
        }
        return first;
}

/* What the kernel has not said with a table: as it could not be asked, did not answer, or there is more to know. */
static int complete(const struct sysroot *root, struct fdbatch *batch, struct topology *topology, struct layer *layer) {
        _cleanup_(sysdir_close) struct sysdir device = {};
        char path[PATH_MAX];

        if (layer->dm->name && has_one_device(layer->dm))
                return 0;
        snprintf(path, sizeof(path), "sys/class/block/%s", layer->sysname);
        if (sysdir_open(root, batch, path, &device) < 0) /* gone meanwhile */
                return layer->dm->name ? 0 : dm_identify(topology, layer, "", "", false);
        if (!layer->dm->name && dm_read_attributes(&device, topology, layer) < 0)
                return -ENOMEM;
        return block_read_slaves(&device, topology, layer);
}

static int complete_all(const struct sysroot *root, struct topology *topology) {
        _cleanup_(fdbatch_flush) struct fdbatch batch = {};

        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *layer = topology->layers[i];
                int r;

                if (!layer->dm || layer->carried)
                        continue;
                r = complete(root, &batch, topology, layer);
                if (r < 0)
                        return r;
        }
        return 0;
}

int dm_read_tables_live(const struct sysroot *root, struct topology *topology) {
        int r;

        r = query_tables(root, topology);
        /* What is recorded was read in full. */
        return r < 0 || sysroot_is_recorded(root) ? r : complete_all(root, topology);
}
