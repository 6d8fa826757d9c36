/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "common/topology-copy.h"

/* Makes a string that a copied struct still shares with the original its own. NULL stays NULL. */
static int own_string(struct arena *arena, const char **s) {
        if (!*s)
                return 0;
        *s = arena_strdup(arena, *s);
        return *s ? 0 : -ENOMEM;
}

/* The same for an array. */
static int own_array(struct arena *arena, void **items, size_t n, size_t item_size) {
        void *copy;

        if (n == 0) {
                *items = NULL;
                return 0;
        }
        copy = arena_alloc_array(arena, n, item_size);
        if (!copy)
                return -ENOMEM;
        memcpy(copy, *items, n * item_size);
        *items = copy;
        return 0;
}

int topology_copy_names(struct arena *arena, char *const *names, char ***ret) {
        char **copy;
        size_t n = 0;

        while (names && names[n])
                n++;
        if (n == 0) {
                *ret = NULL;
                return 0;
        }
        copy = arena_alloc_array(arena, n + 1, sizeof(*copy));
        if (!copy)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++) {
                copy[i] = arena_strdup(arena, names[i]);
                if (!copy[i])
                        return -ENOMEM;
        }
        *ret = copy;
        return 0;
}

static int own_md(struct arena *arena, struct md_info **md) {
        if (!*md)
                return 0;
        if (own_array(arena, (void **)md, 1, sizeof(**md)) < 0)
                return -ENOMEM;

        struct md_info *copy = *md;
        if (own_string(arena, &copy->level) < 0 || own_string(arena, &copy->metadata) < 0 ||
                        own_string(arena, &copy->array_state) < 0 || own_string(arena, &copy->sync_action) < 0 ||
                        own_array(arena, (void **)&copy->members, copy->n_members, sizeof(*copy->members)) < 0)
                return -ENOMEM;
        for (size_t i = 0; i < copy->n_members; i++) {
                copy->members[i].layer = NULL;
                if (own_string(arena, &copy->members[i].name) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int own_segment(struct arena *arena, struct dm_segment *segment) {
        if (own_string(arena, &segment->target) < 0 ||
                        own_array(arena, (void **)&segment->legs, segment->n_legs, sizeof(*segment->legs)) < 0)
                return -ENOMEM;
        for (size_t i = 0; i < segment->n_legs; i++)
                segment->legs[i].layer = NULL;
        return 0;
}

static int own_dm(struct arena *arena, struct dm_info **dm) {
        if (!*dm)
                return 0;
        if (own_array(arena, (void **)dm, 1, sizeof(**dm)) < 0)
                return -ENOMEM;

        struct dm_info *copy = *dm;
        if (own_string(arena, &copy->name) < 0 || own_string(arena, &copy->uuid) < 0 ||
                        own_string(arena, &copy->vg) < 0 || own_string(arena, &copy->lv) < 0 ||
                        own_string(arena, &copy->lvm_suffix) < 0 ||
                        own_array(arena, (void **)&copy->segments, copy->n_segments, sizeof(*copy->segments)) < 0)
                return -ENOMEM;
        for (size_t i = 0; i < copy->n_segments; i++)
                if (own_segment(arena, &copy->segments[i]) < 0)
                        return -ENOMEM;
        return 0;
}

/* Takes out what does not come from the device alone. */
static void forget_surroundings(struct layer *layer) {
        layer->parent = layer->backing = NULL;
        layer->set = NULL;
        layer->reloaded = false;
        layer->below = layer->above = NULL;
        layer->n_below = layer->n_above = 0;
        layer->uses = NULL;
        layer->n_uses = 0;
        layer->top = layer->in_cycle = false;
        layer->depth = 0;
}

/* The kernel's name is sysfs' own for almost all. */
static int own_names(struct arena *arena, struct layer *layer) {
        bool same = layer->name == layer->sysname;

        if (own_string(arena, &layer->sysname) < 0)
                return -ENOMEM;
        if (same)
                layer->name = layer->sysname;
        else if (own_string(arena, &layer->name) < 0)
                return -ENOMEM;
        layer->label = layer->name;
        return 0;
}

static int own_rest(struct arena *arena, struct layer *layer) {
        if (topology_copy_names(arena, layer->slaves, &layer->slaves) < 0 || own_md(arena, &layer->md) < 0 ||
                        own_dm(arena, &layer->dm) < 0 || own_string(arena, &layer->backing_file) < 0 ||
                        own_string(arena, &layer->serial) < 0 || own_string(arena, &layer->serial_long) < 0 ||
                        own_string(arena, &layer->model) < 0 || own_string(arena, &layer->transport) < 0 ||
                        own_string(arena, &layer->filesystem) < 0)
                return -ENOMEM;
        return 0;
}

int layer_copy(struct arena *arena, const struct layer *layer, struct layer *ret) {
        struct layer copy = *layer;

        forget_surroundings(&copy);
        if (own_names(arena, &copy) < 0 || own_rest(arena, &copy) < 0)
                return -ENOMEM;
        *ret = copy;
        return 0;
}

int topology_carry_layer(struct topology *topology, const struct layer *layer, struct layer **ret) {
        struct layer *added, copy = *layer;
        int r;

        r = topology_add(topology, layer->sysname, &added);
        if (r < 0)
                return r;
        forget_surroundings(&copy);
        if (own_rest(topology->arena, &copy) < 0)
                return -ENOMEM;
        copy.index = added->index;
        copy.name = added->name;
        copy.sysname = added->sysname;
        copy.label = added->label;
        copy.carried = true;
        *added = copy;
        *ret = added;
        return 0;
}
