/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/geometry.h"
#include "common/plausible.h"

/* Beyond these a number in sysfs or in a table is not believed. */
#define RAID_DISKS_MAX   INT64_C(65536)
#define CHUNK_BYTES_MAX  (INT64_C(1) << 40)
#define STRIPES_MAX      16U /* different widths kept for a layer */
#define MULTIPLES_MAX    64U /* least common multiples looked at */
#define STRIPE_BYTES_MAX (UINT64_C(1) << 50)

/* A stripe before it is known whether its legs are striped themselves. */
struct stripe {
        uint64_t chunk_bytes;
        unsigned data_disks;
};

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
static bool is_striped(const struct dm_segment *segment) {
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
               is_striped(&layer->dm->segments[0]);
}

static bool append(const struct layer **layers, size_t *n, const struct layer *layer) {
        for (size_t i = 0; i < *n; i++)
                if (layers[i] == layer)
                        return false;
        layers[(*n)++] = layer;
        return true;
}

/* Of an edge that closed a cycle nothing is followed. */
static bool lies_over(const struct layer *upper, const struct layer *lower) {
        return lower && !(upper->in_cycle && lower->in_cycle) && lower->depth < upper->depth;
}

static size_t data_legs(
                const struct layer *layer, const struct dm_segment *segment, const struct layer **legs, size_t n) {
        for (size_t i = 0; i < segment->n_legs; i++)
                if (segment->legs[i].role == LEG_DATA && lies_over(layer, segment->legs[i].layer))
                        append(legs, &n, segment->legs[i].layer);
        return n;
}

static size_t data_members(const struct layer *layer, const struct layer **members) {
        size_t n = 0;

        for (size_t i = 0; i < layer->md->n_members; i++) {
                const struct md_member *member = &layer->md->members[i];

                if (member->states & (MD_MEMBER_JOURNAL | MD_MEMBER_SPARE | MD_MEMBER_FAULTY))
                        continue;
                if (member->slot >= 0 && lies_over(layer, member->layer))
                        append(members, &n, member->layer);
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

int geometry_data_sources(const struct layer *layer, struct arena *arena, const struct layer ***ret, size_t *ret_n) {
        const struct layer **sources = arena_alloc_array(arena, count_legs(layer), sizeof(*sources));
        size_t n = 0;

        if (!sources)
                return -ENOMEM;
        if (layer->md)
                n = data_members(layer, sources);
        for (size_t i = 0; layer->dm && i < layer->dm->n_segments; i++)
                n = data_legs(layer, &layer->dm->segments[i], sources, n);
        if (n == 0)
                for (size_t i = 0; i < layer->n_below; i++)
                        append(sources, &n, layer->below[i]);
        *ret = sources;
        *ret_n = n;
        return 0;
}

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
                append(from, &n, g->from[i]);
        for (size_t i = 0; i < other->n_from; i++)
                append(from, &n, other->from[i]);
        g->from = from;
        g->n_from = n;
        return 0;
}

static int compare_widest_first(const void *a, const void *b) {
        const struct geometry *x = *(const struct geometry *const *)a, *y = *(const struct geometry *const *)b;

        return x->stripe_bytes > y->stripe_bytes ? -1 : x->stripe_bytes < y->stripe_bytes;
}

/* One stripe over legs of which some are striped themselves: the widest legs that make up its data disks, added up. */
static void add_legs(struct geometry *g, struct stripe own, const struct geometry **legs, size_t n_legs) {
        uint64_t chunk_bytes = 0, stripe_bytes = 0;
        unsigned data_disks = 0;
        bool same_chunk = true;

        qsort(legs, n_legs, sizeof(*legs), compare_widest_first);
        for (unsigned i = 0; i < own.data_disks; i++) {
                const struct geometry *leg = i < n_legs ? legs[i] : NULL;
                bool nested = leg && leg->known && leg->stripe_bytes > own.chunk_bytes;
                uint64_t leg_chunk = nested ? leg->chunk_bytes : own.chunk_bytes;

                stripe_bytes += nested ? leg->stripe_bytes : own.chunk_bytes;
                data_disks += nested ? leg->data_disks : 1;
                if (i > 0 && leg_chunk != chunk_bytes)
                        same_chunk = false;
                chunk_bytes = leg_chunk;
        }
        g->stripe_bytes = stripe_bytes;
        g->data_disks = data_disks;
        g->chunk_bytes = same_chunk ? chunk_bytes : 0;
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

        append(from, &n_from, layer);
        for (size_t i = 0; i < n_legs; i++) {
                of_legs[i] = &all[legs[i]->index];
                for (size_t j = 0; of_legs[i]->stripe_bytes > own.chunk_bytes && j < of_legs[i]->n_from; j++)
                        append(from, &n_from, of_legs[i]->from[j]);
        }

        *ret = (struct geometry){.known = true, .from = from, .n_from = n_from};
        add_legs(ret, own, of_legs, n_legs);
        ret->own_stripe_bytes = own.chunk_bytes * own.data_disks;
        ret->own_chunk_bytes = own.chunk_bytes;
        if (ret->stripe_bytes > STRIPE_BYTES_MAX)
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
        const struct layer **legs = arena_alloc_array(arena, segment->n_legs, sizeof(*legs));
        struct stripe own = {.data_disks = segment->data_disks};
        size_t n;

        if (!legs)
                return -ENOMEM;
        n = data_legs(layer, segment, legs, 0);
        *ret = (struct geometry){};

        if (is_striped(segment)) {
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

static int own_geometry(struct arena *arena, const struct geometry *all, const struct layer *layer,
                const struct layer **sources, size_t n, struct geometry *g) {
        if (layer->md)
                return array_geometry(arena, all, layer, sources, n, g);
        if (layer->dm && has_data_legs(layer))
                return map_geometry(arena, all, layer, g);
        if (layer->dm && n != 1)
                return 0;
        return widest_of(arena, all, sources, n, g);
}

static bool any_reshaping(
                const struct geometry *all, const struct layer *layer, const struct layer **sources, size_t n) {
        if (layer->md && layer->md->reshaping)
                return true;
        for (size_t i = 0; i < n; i++)
                if (all[sources[i]->index].reshaping)
                        return true;
        return false;
}

static int collect_arrays(struct arena *arena, const struct geometry *all, const struct layer **sources, size_t n,
                struct geometry *g) {
        size_t max = n;

        for (size_t i = 0; i < n; i++)
                max += all[sources[i]->index].n_arrays;
        g->arrays = arena_alloc_array(arena, max, sizeof(*g->arrays));
        if (!g->arrays)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++) {
                const struct geometry *source = &all[sources[i]->index];

                if (geometry_is_array(sources[i])) {
                        append(g->arrays, &g->n_arrays, sources[i]);
                        continue;
                }
                for (size_t j = 0; j < source->n_arrays; j++)
                        append(g->arrays, &g->n_arrays, source->arrays[j]);
        }
        return 0;
}

/* A small set of distinct numbers other than 0; what does not fit is left out. */
struct numbers {
        uint64_t values[STRIPES_MAX];
        size_t n;
};

static void add_number(struct numbers *numbers, uint64_t value) {
        if (value == 0 || numbers->n == STRIPES_MAX)
                return;
        for (size_t i = 0; i < numbers->n; i++)
                if (numbers->values[i] == value)
                        return;
        numbers->values[numbers->n++] = value;
}

static int keep_numbers(struct arena *arena, const struct numbers *numbers, const uint64_t **ret, size_t *ret_n) {
        uint64_t *copy = arena_alloc_array(arena, numbers->n, sizeof(*copy));

        if (!copy)
                return -ENOMEM;
        memcpy(copy, numbers->values, numbers->n * sizeof(*copy));
        *ret = copy;
        *ret_n = numbers->n;
        return 0;
}

/* dm-raid sets io_opt of raid10 to all images times the chunk, mirrored or not (drivers/md/dm-raid.c). */
static void add_raid10_images(struct numbers *stripes, const struct layer *layer) {
        for (size_t i = 0; layer->dm && i < layer->dm->n_segments; i++) {
                const struct dm_segment *segment = &layer->dm->segments[i];
                uint64_t images = 0;

                for (size_t j = 0; j < segment->n_legs; j++)
                        images += segment->legs[j].role == LEG_DATA;
                if (segment->kind == KIND_DM_RAID10 &&
                                segment->chunk_sectors <= (uint64_t)CHUNK_BYTES_MAX / SECTOR_BYTES)
                        add_number(stripes, segment->chunk_sectors * SECTOR_BYTES * images);
        }
}

static int collect_stripes(
                struct arena *arena, const struct geometry *all, const struct layer *layer, struct geometry *g) {
        struct numbers stripes = {};

        add_number(&stripes, g->stripe_bytes);
        add_number(&stripes, g->own_stripe_bytes);
        add_raid10_images(&stripes, layer);
        for (size_t i = 0; i < layer->n_below; i++) {
                const struct geometry *lower = &all[layer->below[i]->index];

                for (size_t j = 0; j < lower->n_stripes; j++)
                        add_number(&stripes, lower->stripes[j]);
        }
        return keep_numbers(arena, &stripes, &g->stripes, &g->n_stripes);
}

static int judge_limits(const struct topology *topology, struct arena *arena, const struct geometry *all,
                const struct layer *layer, struct geometry *g) {
        struct numbers bogus = {};
        int r;

        g->io_opt_implausible = io_opt_implausible(layer, g);
        if (g->io_opt_implausible) {
                uint64_t derived[READAHEADS_DERIVED];

                readahead_derive((uint64_t)layer->io_opt_bytes.value, topology->page_bytes, derived);
                for (size_t i = 0; i < READAHEADS_DERIVED; i++)
                        add_number(&bogus, derived[i]);
        }
        for (size_t i = 0; i < layer->n_below; i++) {
                const struct geometry *lower = &all[layer->below[i]->index];

                for (size_t j = 0; j < lower->n_bogus; j++)
                        add_number(&bogus, lower->bogus_sectors[j]);
        }
        r = keep_numbers(arena, &bogus, &g->bogus_sectors, &g->n_bogus);
        if (r < 0)
                return r;
        g->readahead_implausible = readahead_implausible(layer, g);
        return 0;
}

static int compute_one(const struct topology *topology, struct arena *arena, const struct geometry *all,
                const struct layer *layer, struct geometry *g) {
        const struct layer **sources;
        size_t n;
        int r;

        r = geometry_data_sources(layer, arena, &sources, &n);
        if (r < 0)
                return r;

        g->reshaping = any_reshaping(all, layer, sources, n);
        if (!g->reshaping) {
                r = own_geometry(arena, all, layer, sources, n, g);
                if (r < 0)
                        return r;
        }
        r = collect_arrays(arena, all, sources, n, g);
        if (r < 0)
                return r;
        r = collect_stripes(arena, all, layer, g);
        if (r < 0)
                return r;
        return judge_limits(topology, arena, all, layer, g);
}

int geometry_compute(const struct topology *topology, struct arena *arena, struct geometry **ret) {
        struct geometry *all = arena_alloc_array(arena, topology->n_layers, sizeof(*all));
        int r;

        if (!all)
                return -ENOMEM;

        /* Bottom up: what is below has been worked out before. */
        for (size_t i = 0; i < topology->n_layers; i++) {
                r = compute_one(topology, arena, all, topology->layers[i], &all[i]);
                if (r < 0)
                        return r;
        }
        *ret = all;
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

bool geometry_explains(const struct geometry *geometry, uint64_t bytes) {
        uint64_t multiples[MULTIPLES_MAX];
        size_t n = 0;

        /* Multiples of every subset, each built from those of the widths before it. */
        for (size_t i = 0; i < geometry->n_stripes; i++) {
                size_t n_before = n;

                if (geometry->stripes[i] == bytes)
                        return true;
                if (n < MULTIPLES_MAX)
                        multiples[n++] = geometry->stripes[i];
                for (size_t j = 0; j < n_before && n < MULTIPLES_MAX; j++) {
                        uint64_t factor = geometry->stripes[i] /
                                          greatest_common_divisor(multiples[j], geometry->stripes[i]);
                        uint64_t multiple;

                        if (__builtin_mul_overflow(multiples[j], factor, &multiple))
                                continue;
                        if (multiple == bytes)
                                return true;
                        multiples[n++] = multiple;
                }
        }
        return false;
}
