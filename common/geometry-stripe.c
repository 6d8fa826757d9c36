/* SPDX-License-Identifier: MIT */

/* The stripe of one layer, from its own numbers and from what is beneath. */

#include <errno.h>
#include <stdlib.h>

#include "common/geometry-private.h"

#define STRIPE_BYTES_MAX (UINT64_C(1) << 50)

/* A stripe before it is known whether its legs are striped themselves. */
struct stripe {
        uint64_t chunk_bytes;
        unsigned data_disks;
};

/* The wider of two; arrays of the same width are both where it comes from. */
static int take_wider(struct arena *arena, struct geometry *g, const struct geometry *other) {
        if (!other->known || other->stripe_bytes < g->stripe_bytes)
                return 0;

        if (!g->known || other->stripe_bytes > g->stripe_bytes) {
                g->known = true;
                g->chunk_bytes = other->chunk_bytes;
                g->data_disks = other->data_disks;
                g->stripe_bytes = other->stripe_bytes;
                g->from = other->from;
                g->n_from = other->n_from;
                return 0;
        }

        const struct layer **from = arena_alloc_array(arena, g->n_from + other->n_from, sizeof(*from));
        if (!from)
                return -ENOMEM;
        size_t n = 0;
        for (size_t i = 0; i < g->n_from; i++)
                geometry_append(from, &n, g->from[i]);
        for (size_t i = 0; i < other->n_from; i++)
                geometry_append(from, &n, other->from[i]);
        g->from = from;
        g->n_from = n;
        return 0;
}

static int compare_widest_first(const void *a, const void *b) {
        const struct geometry *x = *(const struct geometry *const *)a, *y = *(const struct geometry *const *)b;

        return x->stripe_bytes > y->stripe_bytes ? -1 : x->stripe_bytes < y->stripe_bytes;
}

/*
 * One stripe over legs of which some are striped themselves: the widest legs that make up its data disks, added up. False
 * where that is more than a stripe can be.
 */
static bool add_legs(struct geometry *g, struct stripe own, const struct geometry **legs, size_t n_legs) {
        uint64_t chunk_bytes = 0, stripe_bytes = 0;
        unsigned data_disks = 0;
        bool same_chunk = true;

        qsort(legs, n_legs, sizeof(*legs), compare_widest_first);
        for (unsigned i = 0; i < own.data_disks; i++) {
                const struct geometry *leg = i < n_legs ? legs[i] : NULL;
                bool nested = leg && leg->known && leg->stripe_bytes > own.chunk_bytes;
                uint64_t leg_chunk = nested ? leg->chunk_bytes : own.chunk_bytes;

                stripe_bytes += nested ? leg->stripe_bytes : own.chunk_bytes;
                if (stripe_bytes > STRIPE_BYTES_MAX ||
                                __builtin_add_overflow(data_disks, nested ? leg->data_disks : 1, &data_disks))
                        return false;
                if (i > 0 && leg_chunk != chunk_bytes)
                        same_chunk = false;
                chunk_bytes = leg_chunk;
        }
        g->stripe_bytes = stripe_bytes;
        g->data_disks = data_disks;
        g->chunk_bytes = same_chunk ? chunk_bytes : 0;
        return true;
}

/* A stripe of the layer's own over LEGS. */
static int stripe_over(struct arena *arena, const struct geometry *all, const struct layer *layer, struct stripe own,
                const struct layer **legs, size_t n_legs, struct geometry *ret) {
        const struct geometry **of_legs = arena_alloc_array(arena, n_legs, sizeof(*of_legs));
        size_t n_from = 0, n_from_max = 1;

        for (size_t i = 0; i < n_legs; i++)
                n_from_max += all[legs[i]->index].n_from;
        const struct layer **from = arena_alloc_array(arena, n_from_max, sizeof(*from));
        if (!of_legs || !from)
                return -ENOMEM;

        geometry_append(from, &n_from, layer);
        for (size_t i = 0; i < n_legs; i++) {
                of_legs[i] = &all[legs[i]->index];
                for (size_t j = 0; of_legs[i]->stripe_bytes > own.chunk_bytes && j < of_legs[i]->n_from; j++)
                        geometry_append(from, &n_from, of_legs[i]->from[j]);
        }

        *ret = (struct geometry){.known = true, .from = from, .n_from = n_from};
        ret->own_stripe_bytes = own.chunk_bytes * own.data_disks;
        ret->own_chunk_bytes = own.chunk_bytes;
        if (!add_legs(ret, own, of_legs, n_legs))
                *ret = (struct geometry){};
        return 0;
}

static int widest_of(struct arena *arena, const struct geometry *all, const struct layer **sources, size_t n,
                struct geometry *g) {
        for (size_t i = 0; i < n; i++) {
                int r = take_wider(arena, g, &all[sources[i]->index]);

                if (r < 0)
                        return r;
        }
        return 0;
}

static struct stripe stripe_of_array(const struct layer *layer) {
        const struct md_info *md = layer->md;
        unsigned data_disks;

        if (!md->chunk_bytes.known || !md->raid_disks.known || md->chunk_bytes.value < SECTOR_BYTES ||
                        md->chunk_bytes.value > CHUNK_BYTES_MAX)
                return (struct stripe){};
        data_disks = geometry_data_disks(layer->kind, md->raid_disks.value, opt_or(md->layout, 0));
        return (struct stripe){.chunk_bytes = (uint64_t)md->chunk_bytes.value, .data_disks = data_disks};
}

static int array_geometry(struct arena *arena, const struct geometry *all, const struct layer *layer,
                const struct layer **sources, size_t n, struct geometry *g) {
        struct stripe own = stripe_of_array(layer);

        if (own.data_disks > 0)
                return stripe_over(arena, all, layer, own, sources, n, g);
        /* A striping level whose numbers can't be read has no stripe; what its members have is not the array's. */
        if (layer->kind != KIND_MD_RAID1 && layer->kind != KIND_MD_LINEAR)
                return 0;
        return widest_of(arena, all, sources, n, g);
}

/*
 * Whether an unknown target has one device and no more below. Devices that this topology does not know count as well; so
 * does, where the map is nothing else, what only sysfs links.
 */
static bool has_single_leg(const struct layer *layer, const struct dm_segment *segment) {
        for (size_t i = 1; i < segment->n_legs; i++)
                if (segment->legs[i].major != segment->legs[0].major ||
                                segment->legs[i].minor != segment->legs[0].minor)
                        return false;
        return segment->n_legs > 0 && (layer->kind != KIND_DM_UNKNOWN || layer->n_below <= 1);
}

static int segment_geometry(struct arena *arena, const struct geometry *all, const struct layer *layer,
                const struct dm_segment *segment, struct geometry *ret) {
        _cleanup_(freep) const struct layer **legs = calloc(segment->n_legs + 1, sizeof(*legs));
        struct stripe own = {.data_disks = segment->data_disks};
        size_t n;

        if (!legs)
                return -ENOMEM;
        n = geometry_data_legs(layer, segment, legs, 0);
        *ret = (struct geometry){};

        if (geometry_is_striped(segment)) {
                own.chunk_bytes = segment->chunk_sectors * SECTOR_BYTES;
                return stripe_over(arena, all, layer, own, legs, n, ret);
        }
        if (segment->kind == KIND_DM_UNKNOWN && !has_single_leg(layer, segment))
                return 0;
        return widest_of(arena, all, legs, n, ret);
}

static int map_geometry(
                struct arena *arena, const struct geometry *all, const struct layer *layer, struct geometry *g) {
        uint64_t own_stripe_bytes = 0, own_chunk_bytes = 0;
        int r;

        for (size_t i = 0; i < layer->dm->n_segments; i++) {
                struct geometry of_segment;

                r = segment_geometry(arena, all, layer, &layer->dm->segments[i], &of_segment);
                if (r < 0)
                        return r;
                r = take_wider(arena, g, &of_segment);
                if (r < 0)
                        return r;
                if (of_segment.own_stripe_bytes > own_stripe_bytes) {
                        own_stripe_bytes = of_segment.own_stripe_bytes;
                        own_chunk_bytes = of_segment.own_chunk_bytes;
                }
        }
        g->own_stripe_bytes = own_stripe_bytes;
        g->own_chunk_bytes = own_chunk_bytes;
        return 0;
}

/* A map whose targets' devices are not known (no tables, or an unknown target without numbers): what sysfs links. */
static bool has_data_legs(const struct layer *layer) {
        for (size_t i = 0; i < layer->dm->n_segments; i++)
                for (size_t j = 0; j < layer->dm->segments[i].n_legs; j++)
                        if (layer->dm->segments[i].legs[j].role == LEG_DATA)
                                return true;
        return false;
}

bool geometry_is_opaque(const struct layer *layer, size_t n) {
        if (!layer->dm)
                return false;
        if (!has_data_legs(layer))
                return n > 1;
        for (size_t i = 0; i < layer->dm->n_segments; i++) {
                const struct dm_segment *segment = &layer->dm->segments[i];

                if (segment->kind == KIND_DM_UNKNOWN && segment->n_legs > 0 && !has_single_leg(layer, segment))
                        return true;
        }
        return false;
}

int geometry_of_layer(struct arena *arena, const struct geometry *all, const struct layer *layer,
                const struct layer **sources, size_t n, struct geometry *g) {
        if (layer->md)
                return array_geometry(arena, all, layer, sources, n, g);
        if (layer->dm && has_data_legs(layer))
                return map_geometry(arena, all, layer, g);
        if (layer->dm && n != 1)
                return 0;
        return widest_of(arena, all, sources, n, g);
}
