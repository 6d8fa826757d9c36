/* SPDX-License-Identifier: MIT */

/* What an array is, what it reads from, and which widths its stripes explain. */

#include <errno.h>

#include "common/geometry-private.h"
#include "common/geometry.h"
#include "common/layer.h"

/* Layout of raid10: near copies in the low byte, far copies in the second, "offset" above (drivers/md/raid10.c). */
static unsigned raid10_data_disks(int64_t raid_disks, int64_t layout) {
        int64_t near = layout & 0xff;

        if (near < 1)
                return 0;
        return (unsigned)(raid_disks % near == 0 ? raid_disks / near : raid_disks);
}

unsigned geometry_data_disks(enum layer_kind kind, int64_t raid_disks, int64_t layout) {
        int64_t n;

        if (raid_disks < 1 || raid_disks > RAID_DISKS_MAX)
                return 0;

        switch (kind) {
        case KIND_MD_RAID0:
        case KIND_DM_RAID0:
        case KIND_DM_STRIPED: n = raid_disks; break;
        case KIND_MD_RAID4:
        case KIND_MD_RAID5:
        case KIND_DM_RAID4:
        case KIND_DM_RAID5: n = raid_disks - 1; break;
        case KIND_MD_RAID6:
        case KIND_DM_RAID6: n = raid_disks - 2; break;
        case KIND_MD_RAID10:
        case KIND_DM_RAID10: n = raid10_data_disks(raid_disks, layout); break;
        default: n = 0;
        }
        return n > 0 ? (unsigned)n : 0;
}

/* "Striped" over a single device is no more than linear. */
bool geometry_is_striped(const struct dm_segment *segment) {
        if (segment->chunk_sectors == 0 || segment->chunk_sectors > (uint64_t)CHUNK_BYTES_MAX / SECTOR_BYTES)
                return false;
        if (segment->data_disks > RAID_DISKS_MAX)
                return false;
        return segment->data_disks > (segment->kind == KIND_DM_STRIPED ? 1 : 0);
}

bool geometry_is_array(const struct layer *layer) {
        if (kind_is_md(layer->kind))
                return layer->kind != KIND_MD_CONTAINER && layer->kind != KIND_MD_INACTIVE;
        if (layer->kind >= KIND_DM_RAID0 && layer->kind <= KIND_DM_RAID10)
                return true;
        return layer->kind == KIND_DM_STRIPED && layer->dm && layer->dm->n_segments > 0 &&
               geometry_is_striped(&layer->dm->segments[0]);
}

bool geometry_append(const struct layer **layers, size_t *n, const struct layer *layer) {
        for (size_t i = 0; i < *n; i++)
                if (layers[i] == layer)
                        return false;
        layers[(*n)++] = layer;
        return true;
}

size_t geometry_data_legs(
                const struct layer *layer, const struct dm_segment *segment, const struct layer **legs, size_t n) {
        for (size_t i = 0; i < segment->n_legs; i++)
                if (segment->legs[i].role == LEG_DATA && layer_lies_over(layer, segment->legs[i].layer))
                        geometry_append(legs, &n, segment->legs[i].layer);
        return n;
}

static size_t data_members(const struct layer *layer, const struct layer **members) {
        size_t n = 0;

        for (size_t i = 0; i < layer->md->n_members; i++) {
                const struct md_member *member = &layer->md->members[i];

                if (member->states & (MD_MEMBER_JOURNAL | MD_MEMBER_SPARE | MD_MEMBER_FAULTY))
                        continue;
                if (member->slot >= 0 && layer_lies_over(layer, member->layer))
                        geometry_append(members, &n, member->layer);
        }
        return n;
}

static size_t count_legs(const struct layer *layer) {
        size_t n = layer->n_below;

        if (layer->md)
                n += layer->md->n_members;
        for (size_t i = 0; layer->dm && i < layer->dm->n_segments; i++)
                n += layer->dm->segments[i].n_legs;
        return n;
}

/*
 * The device that bcache caches: what misses the cache is read from there. Where nothing says which of those below it is,
 * the smallest that is large enough: it is bcache's own size and a few sectors for the superblock, and only by chance
 * is a cache between the two. NULL where sizes do not tell either.
 */
static const struct layer *backing_device(const struct layer *layer) {
        const struct layer *best = NULL;

        if (layer->kind != KIND_BCACHE)
                return NULL;
        if (layer_lies_over(layer, layer->backing))
                return layer->backing;
        for (size_t i = 0; layer->size_sectors.known && i < layer->n_below; i++) {
                const struct layer *lower = layer->below[i];

                if (lower->size_sectors.known && lower->size_sectors.value > layer->size_sectors.value &&
                                (!best || lower->size_sectors.value < best->size_sectors.value))
                        best = lower;
        }
        return best;
}

int geometry_data_sources(const struct layer *layer, struct arena *arena, const struct layer ***ret, size_t *ret_n) {
        const struct layer **sources = arena_alloc_array(arena, count_legs(layer), sizeof(*sources));
        const struct layer *backing = backing_device(layer);
        size_t n = 0;

        if (!sources)
                return -ENOMEM;
        if (backing)
                sources[n++] = backing;
        if (layer->md)
                n = data_members(layer, sources);
        for (size_t i = 0; layer->dm && i < layer->dm->n_segments; i++)
                n = geometry_data_legs(layer, &layer->dm->segments[i], sources, n);
        if (n == 0)
                for (size_t i = 0; i < layer->n_below; i++)
                        geometry_append(sources, &n, layer->below[i]);
        *ret = sources;
        *ret_n = n;
        return 0;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
        while (b > 0) {
                uint64_t rest = a % b;

                a = b;
                b = rest;
        }
        return a;
}

uint64_t geometry_add_multiple(uint64_t multiple_bytes, uint64_t width_bytes, uint64_t bytes) {
        if (width_bytes == 0 || bytes == 0 || bytes % width_bytes != 0)
                return multiple_bytes;
        return multiple_bytes / greatest_common_divisor(multiple_bytes, width_bytes) * width_bytes;
}

/* The widths that divide a common multiple of some of them have just that in common; any other does not divide it. */
bool geometry_explains(const struct geometry *geometry, uint64_t bytes) {
        uint64_t multiple = 1;

        for (size_t i = 0; i < geometry->n_stripes; i++)
                multiple = geometry_add_multiple(multiple, geometry->stripes[i], bytes);
        return multiple > 1 && multiple == bytes;
}
