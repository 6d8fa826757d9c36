/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/finding-private.h"
#include "common/layer.h"

int finding_append(struct finding_context *context, const struct finding *finding) {
        struct findings *findings = context->findings;

        if (findings->n_items == context->allocated) {
                size_t allocated = context->allocated ? context->allocated * 2 : 16;
                struct finding *items = reallocarray(findings->items, allocated, sizeof(*items));

                if (!items)
                        return -ENOMEM;
                findings->items = items;
                context->allocated = allocated;
        }
        findings->items[findings->n_items++] = *finding;
        return 0;
}

int findings_keep(const struct findings *findings, struct arena *arena, struct findings *ret) {
        struct finding *items = arena_alloc_array(arena, findings->n_items, sizeof(*items));

        if (!items)
                return -ENOMEM;
        if (findings->n_items > 0)
                memcpy(items, findings->items, findings->n_items * sizeof(*items));
        *ret = (struct findings){.items = items, .n_items = findings->n_items};
        return 0;
}

int finding_add(struct finding_context *context, const struct layer *layer, enum finding_code code,
                enum finding_severity severity, const char *format, ...) {
        _cleanup_(freep) char *text = NULL;
        va_list args;
        int r;

        va_start(args, format);
        r = vasprintf(&text, format, args);
        va_end(args);
        if (r < 0) {
                text = NULL;
                return -ENOMEM;
        }

        struct finding finding = {
                        .code = code, .severity = severity, .layer = layer, .text = arena_strdup(context->arena, text)};
        if (!finding.text)
                return -ENOMEM;
        return finding_append(context, &finding);
}

/* Reads go through the page cache of a layer that is in use itself, or has nothing above; not so those of swap. */
static bool is_read_through(const struct layer *layer) {
        return layer->top && layer->kind != KIND_PARTITION && layer->readahead_sectors.known && !layer_is_swap(layer) &&
               !layer_reads_past_device(layer, NULL);
}

/* Top down: layers are sorted bottom up. */
static uint64_t *find_least_above(const struct topology *topology) {
        uint64_t *least = calloc(topology->n_layers + 1, sizeof(*least));

        if (!least)
                return NULL;
        for (size_t i = topology->n_layers; i > 0 && i--;) {
                const struct layer *layer = topology->layers[i];

                least[i] = UINT64_MAX;
                for (size_t j = 0; j < layer->n_above; j++) {
                        const struct layer *upper = layer->above[j];
                        uint64_t sectors = least[upper->index];

                        if (is_read_through(upper) && (uint64_t)upper->readahead_sectors.value < sectors)
                                sectors = (uint64_t)upper->readahead_sectors.value;
                        if (sectors < least[i])
                                least[i] = sectors;
                }
        }
        return least;
}

static int run_checks(struct finding_context *context, const struct layer *layer, const finding_check *checks) {
        for (; *checks; checks++) {
                int r = (*checks)(context, layer);

                if (r < 0)
                        return r;
        }
        return 0;
}

static int compare_code(const void *a, const void *b) {
        const struct finding *x = a, *y = b;

        return x->code < y->code ? -1 : x->code > y->code;
}

void finding_sort(struct findings *findings, size_t first) {
        if (findings->n_items - first > 1)
                qsort(findings->items + first, findings->n_items - first, sizeof(*findings->items), compare_code);
}

int findings_compute(const struct topology *topology, const struct geometry *geometry, struct arena *arena,
                struct findings *ret) {
        static const finding_check *const all[] = {
                        finding_readahead_checks, finding_limits_checks, finding_state_checks};
        _cleanup_(freep) uint64_t *least_above = find_least_above(topology);
        _cleanup_(findings_done) struct findings findings = {};
        struct finding_context context = {
                        .topology = topology,
                        .geometry = geometry,
                        .arena = arena,
                        .findings = &findings,
                        .least_above = least_above,
        };

        if (!least_above)
                return -ENOMEM;

        for (size_t i = 0; i < topology->n_layers; i++) {
                size_t first = findings.n_items;

                for (size_t j = 0; j < ARRAY_SIZE(all); j++) {
                        int r = run_checks(&context, topology->layers[i], all[j]);

                        if (r < 0)
                                return r;
                }
                finding_sort(&findings, first);
        }
        return findings_keep(&findings, arena, ret);
}
