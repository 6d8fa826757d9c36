/* SPDX-License-Identifier: MIT */

/* All layers, bottom up: stripe, nearest arrays, widths that explain an io_opt, readaheads that one has led to. */

#include <errno.h>
#include <string.h>

#include "common/geometry-private.h"
#include "common/layer.h"
#include "common/plausible.h"

#define NUMBERS_MAX 16U /* different widths, or readaheads, kept for a layer */

static bool any_reshaping(
                const struct geometry *all, const struct layer *layer, const struct layer **sources, size_t n) {
        if (layer_is_reshaping(layer))
                return true;
        for (size_t i = 0; i < n; i++)
                if (all[sources[i]->index].reshaping)
                        return true;
        return false;
}

/* The first array beneath that is inactive: what it has when it runs is not known now. */
static const struct layer *find_inactive(const struct geometry *all, const struct layer **sources, size_t n) {
        for (size_t i = 0; i < n; i++) {
                if (sources[i]->kind == KIND_MD_INACTIVE)
                        return sources[i];
                if (all[sources[i]->index].inactive)
                        return all[sources[i]->index].inactive;
        }
        return NULL;
}

/* Of all that is beneath, not only of what data is read from: a write to a log waits for a path, too. */
static const struct layer *find_pathless(const struct geometry *all, const struct layer *layer) {
        if (layer_has_lost_paths(layer))
                return layer;
        for (size_t i = 0; i < layer->n_below; i++)
                if (all[layer->below[i]->index].pathless)
                        return all[layer->below[i]->index].pathless;
        return NULL;
}

/* This layer, or the first beneath, of which it is not known how it spreads its reads. */
static const struct layer *find_opaque(
                const struct geometry *all, const struct layer *layer, const struct layer **sources, size_t n) {
        if (geometry_is_opaque(layer, n))
                return layer;
        for (size_t i = 0; i < n; i++)
                if (all[sources[i]->index].opaque)
                        return all[sources[i]->index].opaque;
        return NULL;
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
                        geometry_append(g->arrays, &g->n_arrays, sources[i]);
                        continue;
                }
                for (size_t j = 0; j < source->n_arrays; j++)
                        geometry_append(g->arrays, &g->n_arrays, source->arrays[j]);
        }
        return 0;
}

/* A small set of distinct numbers other than 0; what does not fit is left out. */
struct numbers {
        uint64_t values[NUMBERS_MAX];
        size_t n;
};

static void add_number(struct numbers *numbers, uint64_t value) {
        if (value == 0 || numbers->n == NUMBERS_MAX)
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
        g->inactive = find_inactive(all, sources, n);
        if (!g->reshaping && !g->inactive) {
                r = geometry_of_layer(arena, all, layer, sources, n, g);
                if (r < 0)
                        return r;
                /* A stripe of its own, or of another part, is one to go by. */
                if (!g->known)
                        g->opaque = find_opaque(all, layer, sources, n);
        }
        g->pathless = find_pathless(all, layer);
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
