/* SPDX-License-Identifier: MIT */

/* All layers, bottom up: stripe, nearest arrays, widths that explain an io_opt, readaheads that one has led to. */

#include <errno.h>

#include "common/geometry-private.h"
#include "common/layer.h"
#include "common/plausible.h"

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

/* What is beneath a map that is an array is one of those to follow, too: LVM stripes over md arrays. */
static void append_arrays(
                const struct geometry *all, const struct layer *source, const struct layer **arrays, size_t *n) {
        const struct geometry *lower = &all[source->index];
        bool is_array = geometry_is_array(source);

        if (is_array)
                geometry_append(arrays, n, source);
        if (is_array && kind_is_md(source->kind))
                return;
        /* Only the nearest of the maps, so that a tower of them has no more than it has md arrays. */
        for (size_t i = 0; i < lower->n_arrays; i++)
                if (!is_array || kind_is_md(lower->arrays[i]->kind))
                        geometry_append(arrays, n, lower->arrays[i]);
}

static int collect_arrays(struct arena *arena, const struct geometry *all, const struct layer **sources, size_t n,
                struct geometry *g) {
        const struct layer **arrays;
        size_t max = n;

        if (n == 1 && !geometry_is_array(sources[0])) {
                g->arrays = all[sources[0]->index].arrays;
                g->n_arrays = all[sources[0]->index].n_arrays;
                return 0;
        }
        for (size_t i = 0; i < n; i++)
                max += all[sources[i]->index].n_arrays;
        arrays = arena_alloc_array(arena, max, sizeof(*arrays));
        if (!arrays)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                append_arrays(all, sources[i], arrays, &g->n_arrays);
        g->arrays = arrays;
        return 0;
}

/* dm-raid sets io_opt of raid10 to all images times the chunk, mirrored or not (drivers/md/dm-raid.c). */
static uint64_t raid10_images_bytes(const struct dm_segment *segment) {
        uint64_t images = 0;

        if (segment->kind != KIND_DM_RAID10 || segment->chunk_sectors > (uint64_t)CHUNK_BYTES_MAX / SECTOR_BYTES)
                return 0;
        for (size_t i = 0; i < segment->n_legs; i++)
                images += segment->legs[i].role == LEG_DATA;
        return segment->chunk_sectors * SECTOR_BYTES * images;
}

static struct numbers stripes_of(const struct geometry *g) {
        return (struct numbers){.values = g->stripes, .n = g->n_stripes};
}

static struct numbers bogus_of(const struct geometry *g) {
        return (struct numbers){.values = g->bogus_sectors, .n = g->n_bogus};
}

static int collect_stripes(
                struct arena *arena, const struct geometry *all, const struct layer *layer, struct geometry *g) {
        size_t n_segments = layer->dm ? layer->dm->n_segments : 0, n_own = 0;
        _cleanup_(freep) uint64_t *own = calloc(2 + n_segments, sizeof(*own));
        struct numbers stripes;
        int r;

        if (!own)
                return -ENOMEM;
        own[n_own++] = g->stripe_bytes;
        own[n_own++] = g->own_stripe_bytes;
        for (size_t i = 0; i < n_segments; i++)
                own[n_own++] = raid10_images_bytes(&layer->dm->segments[i]);
        r = numbers_collect(arena, (struct numbers){.values = own, .n = n_own}, all, layer, stripes_of, &stripes);
        if (r < 0)
                return r;
        g->stripes = stripes.values;
        g->n_stripes = stripes.n;
        return 0;
}

static int judge_limits(const struct topology *topology, struct arena *arena, const struct geometry *all,
                const struct layer *layer, struct geometry *g) {
        uint64_t derived[READAHEADS_DERIVED];
        struct numbers own = {.values = derived}, bogus;
        int r;

        g->io_opt_implausible = io_opt_implausible(layer, g);
        if (g->io_opt_implausible) {
                readahead_derive(layer, topology->page_bytes, derived);
                own.n = READAHEADS_DERIVED;
        }
        r = numbers_collect(arena, own, all, layer, bogus_of, &bogus);
        if (r < 0)
                return r;
        g->bogus_sectors = bogus.values;
        g->n_bogus = bogus.n;
        g->readahead_implausible = readahead_implausible(g, opt_or(layer->readahead_sectors, 0));
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
