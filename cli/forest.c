/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/forest.h"

/* For each layer, whether it or anything beneath, and whether it or anything above, is worth a look. */
struct reach {
        bool *down, *up;
};

static void reach_done(struct reach *reach) {
        free(reach->down);
        free(reach->up);
}

static bool kind_is_stacked(enum layer_kind kind) {
        return kind_is_md(kind) || kind_is_dm(kind) || kind == KIND_BCACHE || kind == KIND_DRBD;
}

/* What is only said to explain makes no stack of a disk. */
static bool has_found(const struct survey *survey, const struct layer *layer) {
        size_t n = 0;
        const struct finding *findings = findings_of(&survey->findings, layer, &n);

        for (size_t i = 0; i < n; i++)
                if (findings[i].severity > SEVERITY_INFO)
                        return true;
        return false;
}

static bool worth_a_look(const struct survey *survey, const struct layer *layer) {
        return kind_is_stacked(layer->kind) || survey->plan.decisions[layer->index].action != ACTION_IGNORE ||
               has_found(survey, layer);
}

/* Layers come after all that is below them, so that one pass each way is enough. */
static int reach_compute(const struct survey *survey, struct reach *ret) {
        const struct topology *topology = survey->topology;
        _cleanup_(reach_done) struct reach reach = {
                        .down = calloc(topology->n_layers + 1, sizeof(bool)),
                        .up = calloc(topology->n_layers + 1, sizeof(bool)),
        };

        if (!reach.down || !reach.up)
                return -ENOMEM;
        for (size_t i = 0; i < topology->n_layers; i++) {
                const struct layer *layer = topology->layers[i];

                reach.down[i] = reach.up[i] = worth_a_look(survey, layer);
                for (size_t k = 0; k < layer->n_below; k++)
                        reach.down[i] |= reach.down[layer->below[k]->index];
        }
        for (size_t i = topology->n_layers; i > 0 && i--;) {
                const struct layer *layer = topology->layers[i];

                for (size_t k = 0; k < layer->n_above; k++)
                        reach.up[i] |= reach.up[layer->above[k]->index];
        }
        *ret = reach;
        reach = (struct reach){};
        return 0;
}

static bool is_plain_disk(const struct layer *layer, const struct reach *reach) {
        return layer->kind == KIND_DISK && layer->n_below == 0 && !layer->hidden &&
               opt_or(layer->size_sectors, 1) > 0 && !reach->up[layer->index];
}

static int compare_labels(const void *a, const void *b) {
        const struct layer *const *one = a, *const *other = b;
        int r = strverscmp((*one)->label, (*other)->label);

        return r != 0 ? r : strverscmp((*one)->name, (*other)->name);
}

int forest_build(const struct survey *survey, bool all, struct forest *ret) {
        const struct topology *topology = survey->topology;
        _cleanup_(reach_done) struct reach reach = {};
        _cleanup_(forest_done) struct forest forest = {
                        .stacks = calloc(topology->n_layers + 1, sizeof(struct layer *)),
                        .plain = calloc(topology->n_layers + 1, sizeof(struct layer *)),
        };
        int r;

        if (!forest.stacks || !forest.plain)
                return -ENOMEM;
        r = reach_compute(survey, &reach);
        if (r < 0)
                return r;
        for (size_t i = 0; i < topology->n_layers; i++) {
                const struct layer *layer = topology->layers[i];

                if (layer->n_above == 0 && reach.down[i])
                        forest.stacks[forest.n_stacks++] = layer;
                else if (all ? layer->n_above == 0 : is_plain_disk(layer, &reach))
                        forest.plain[forest.n_plain++] = layer;
        }
        qsort(forest.stacks, forest.n_stacks, sizeof(*forest.stacks), compare_labels);
        qsort(forest.plain, forest.n_plain, sizeof(*forest.plain), compare_labels);
        *ret = forest;
        forest = (struct forest){};
        return 0;
}

/* Marks what is at or beneath LAYERS, and lists in BOTTOMS those with nothing beneath that were not marked before. */
static size_t take_bottoms(const struct survey *survey, const struct layer *const *layers, size_t n, bool *marked,
                const struct layer **bottoms) {
        const struct topology *topology = survey->topology;
        size_t n_bottoms = 0;

        for (size_t i = 0; i < n; i++) {
                if (layers[i]->n_below == 0 && !marked[layers[i]->index])
                        bottoms[n_bottoms++] = layers[i];
                marked[layers[i]->index] = true;
        }
        /* A layer comes after all that are beneath it, so that one pass down is enough. */
        for (size_t i = topology->n_layers; i > 0 && i--;) {
                const struct layer *layer = topology->layers[i];

                for (size_t k = 0; marked[i] && k < layer->n_below; k++) {
                        const struct layer *below = layer->below[k];

                        if (below->n_below == 0 && !marked[below->index])
                                bottoms[n_bottoms++] = below;
                        marked[below->index] = true;
                }
        }
        qsort(bottoms, n_bottoms, sizeof(*bottoms), compare_labels);
        return n_bottoms;
}

int forest_invert(const struct survey *survey, const struct forest *forest, struct forest *ret) {
        size_t n = survey->topology->n_layers;
        _cleanup_(forest_done) struct forest inverse = {
                        .stacks = calloc(n + 1, sizeof(struct layer *)),
                        .plain = calloc(n + 1, sizeof(struct layer *)),
                        .over = calloc(n + 1, sizeof(bool)),
        };

        if (!inverse.stacks || !inverse.plain || !inverse.over)
                return -ENOMEM;
        inverse.n_stacks = take_bottoms(survey, forest->stacks, forest->n_stacks, inverse.over, inverse.stacks);
        inverse.n_plain = take_bottoms(survey, forest->plain, forest->n_plain, inverse.over, inverse.plain);
        *ret = inverse;
        inverse = (struct forest){};
        return 0;
}

void forest_done(struct forest *forest) {
        free(forest->stacks);
        free(forest->plain);
        free(forest->over);
        *forest = (struct forest){};
}
