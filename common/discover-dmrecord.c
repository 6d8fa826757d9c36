/* SPDX-License-Identifier: MIT */

/* Tables on their way into a capture, as "dmsetup table", "dmsetup status" and "dmsetup info" print them. */

#include <errno.h>
#include <inttypes.h>

#include "common/capture-table.h"
#include "common/discover-dm.h"

#define TABLE  "dmsetup/table"
#define STATUS "dmsetup/status"
#define INFO   "dmsetup/info"

/* A map whose name nobody knows is called by that of its device; dmsetup/info says which that is. */
static char *map_name(const struct layer *layer) {
        return capture_mangle_name(*layer->dm->name ? layer->dm->name : layer->sysname);
}

int dm_record_target(const struct sysroot *root, const struct layer *layer, uint64_t start_sectors,
                uint64_t length_sectors, const char *target, const char *params) {
        _cleanup_(freep) char *name = NULL;
        _cleanup_(freep) char *redacted = NULL;

        if (!sysroot_is_recorded(root))
                return 0;
        name = map_name(layer);
        redacted = capture_redact_parameters(target, params);
        if (!name || !redacted)
                return -ENOMEM;
        sysroot_record_text(root, TABLE, "%s: %" PRIu64 " %" PRIu64 " %s %s", name, start_sectors, length_sectors,
                        target, redacted);
        return 0;
}

void dm_record_legs(const struct sysroot *root, const struct dm_segment *segment) {
        for (size_t i = 0; i < segment->n_legs; i++)
                sysroot_record_text(root, TABLE, " %u:%u", segment->legs[i].major, segment->legs[i].minor);
}

void dm_record_line_end(const struct sysroot *root) {
        sysroot_record_text(root, TABLE, "\n");
}

int dm_record_status(const struct sysroot *root, const struct layer *layer, uint64_t start_sectors,
                uint64_t length_sectors, const char *target, const char *status) {
        _cleanup_(freep) char *name = NULL;

        if (!sysroot_is_recorded(root))
                return 0;
        name = map_name(layer);
        if (!name)
                return -ENOMEM;
        sysroot_record_text(root, STATUS, "%s: %" PRIu64 " %" PRIu64 " %s %s\n", name, start_sectors, length_sectors,
                        target, status);
        return 0;
}

static int record_map(const struct sysroot *root, const struct layer *layer) {
        _cleanup_(freep) char *name = map_name(layer);

        if (!name)
                return -ENOMEM;
        if (layer->dm->n_segments == 0)
                sysroot_record_text(root, TABLE, "%s: \n", name);
        if (layer->has_devno)
                sysroot_record_text(root, INFO, "%s:%u:%u\n", name, layer->major, layer->minor);
        return 0;
}

int dm_record_maps(const struct sysroot *root, const struct topology *topology) {
        if (!sysroot_is_recorded(root))
                return 0;
        for (size_t i = 0; i < topology->n_layers; i++) {
                const struct layer *layer = topology->layers[i];
                int r;

                if (!layer->dm || !layer->dm->tables_known)
                        continue;
                r = record_map(root, layer);
                if (r < 0)
                        return r;
        }
        return 0;
}
