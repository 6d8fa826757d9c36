/* SPDX-License-Identifier: MIT */

/* Sets of numbers that go up a stack. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/geometry-private.h"

static int compare_numbers(const void *a, const void *b) {
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return x > y ? 1 : x < y ? -1 : 0;
}

static bool has_all(struct numbers set, struct numbers wanted) {
        for (size_t i = 0; i < wanted.n; i++)
                if (wanted.values[i] != 0 && (set.n == 0 || !bsearch(&wanted.values[i], set.values, set.n,
                                                                            sizeof(*set.values), compare_numbers)))
                        return false;
        return true;
}

static size_t append(uint64_t *values, size_t n, struct numbers more) {
        if (more.n > 0)
                memcpy(values + n, more.values, more.n * sizeof(*values));
        return n + more.n;
}

/* Sorts VALUES and leaves out 0 and what is there twice; returns how many are left. */
static size_t make_distinct(uint64_t *values, size_t n) {
        size_t kept = 0;

        qsort(values, n, sizeof(*values), compare_numbers);
        for (size_t i = 0; i < n && kept < GEOMETRY_NUMBERS_MAX; i++)
                if (values[i] != 0 && (kept == 0 || values[i] != values[kept - 1]))
                        values[kept++] = values[i];
        return kept;
}

/* The set below LAYER that has all that the others there have, and OWN; with n 0 if none need be. */
static bool find_shared(struct numbers own, const struct geometry *all, const struct layer *layer,
                struct numbers (*lower)(const struct geometry *geometry), struct numbers *ret) {
        struct numbers largest = {};

        for (size_t i = 0; i < layer->n_below; i++) {
                struct numbers set = lower(&all[layer->below[i]->index]);

                if (set.n > largest.n)
                        largest = set;
        }
        for (size_t i = 0; i < layer->n_below; i++) {
                struct numbers set = lower(&all[layer->below[i]->index]);

                if (set.values != largest.values && !has_all(largest, set))
                        return false;
        }
        *ret = largest;
        return has_all(largest, own);
}

int numbers_collect(struct arena *arena, struct numbers own, const struct geometry *all, const struct layer *layer,
                struct numbers (*lower)(const struct geometry *geometry), struct numbers *ret) {
        size_t n = 0, max = own.n;
        uint64_t *values;

        if (find_shared(own, all, layer, lower, ret))
                return 0;
        for (size_t i = 0; i < layer->n_below; i++)
                max += lower(&all[layer->below[i]->index]).n;
        values = arena_alloc_array(arena, max, sizeof(*values));
        if (!values)
                return -ENOMEM;
        n = append(values, n, own);
        for (size_t i = 0; i < layer->n_below; i++)
                n = append(values, n, lower(&all[layer->below[i]->index]));
        *ret = (struct numbers){.values = values, .n = make_distinct(values, n)};
        return 0;
}
