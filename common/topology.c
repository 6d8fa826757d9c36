/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "common/growth.h"
#include "common/topology-private.h"
#include "common/topology.h"
#include "common/wrap.h"

/* Open hash of layers by kernel name, twice as many slots as layers at least; and what else is looked up often. */
struct topology_index {
        struct layer **slots;    /* not the arena's, which would keep those that became too few */
        size_t n_slots;          /* a power of two */
        struct layer **by_devno; /* sorted; only once the topology is finished */
        size_t n_by_devno;
        struct topology_note *last_note;
};

#define SLOTS_FIRST 64U

static uint64_t hash_name(const char *name) {
        uint64_t hash = FNV_OFFSET;

        for (; *name; name++)
                hash = fnv_add(hash, (unsigned char)(*name == '!' ? '/' : *name));
        return hash;
}

static bool same_name(const char *a, const char *b) {
        for (; *a && *b; a++, b++)
                if ((*a == '!' ? '/' : *a) != (*b == '!' ? '/' : *b))
                        return false;
        return *a == *b;
}

/* The slot that holds NAME, or the free one where it belongs. */
static struct layer **find_slot(const struct topology_index *index, const char *name) {
        size_t i = hash_name(name) & (index->n_slots - 1);

        while (index->slots[i] && !same_name(index->slots[i]->name, name))
                i = (i + 1) & (index->n_slots - 1);
        return &index->slots[i];
}

static int index_grow(struct topology *topology) {
        struct topology_index *index = topology->names, grown = *index;

        if (topology->n_layers * 2 < index->n_slots)
                return 0;

        grown.n_slots = index->n_slots ? index->n_slots * 2 : SLOTS_FIRST;
        grown.slots = calloc(grown.n_slots, sizeof(*grown.slots));
        if (!grown.slots)
                return -ENOMEM;
        for (size_t i = 0; i < topology->n_layers; i++)
                *find_slot(&grown, topology->layers[i]->name) = topology->layers[i];
        free(index->slots);
        *index = grown;
        return 0;
}

int topology_grow(struct arena *arena, void **items, size_t n_items, size_t *allocated, size_t item_size) {
        if (n_items < *allocated)
                return 0;

        size_t n = *allocated ? *allocated * 2 : 16;
        void *grown = arena_alloc_array(arena, n, item_size);
        if (!grown)
                return -ENOMEM;
        if (n_items > 0)
                memcpy(grown, *items, n_items * item_size);
        *items = grown;
        *allocated = n;
        return 0;
}

struct topology *topology_new(void) {
        _cleanup_(topology_freep) struct topology *topology = calloc(1, sizeof(*topology));

        if (!topology)
                return NULL;
        topology->page_bytes = 4096;
        topology->arena = arena_new();
        if (!topology->arena)
                return NULL;
        topology->names = arena_alloc(topology->arena, sizeof(*topology->names));
        if (!topology->names || index_grow(topology) < 0)
                return NULL;
        return TAKE_PTR(topology);
}

void topology_free(struct topology *topology) {
        if (!topology)
                return;
        if (topology->names)
                free(topology->names->slots);
        arena_free(topology->arena);
        free(topology);
}

static struct layer *new_layer(struct topology *topology, const char *sysname) {
        struct layer *layer = arena_alloc(topology->arena, sizeof(*layer));
        char *name = arena_strdup(topology->arena, sysname);

        if (!layer || !name)
                return NULL;
        layer->sysname = strchr(name, '!') ? arena_strdup(topology->arena, sysname) : name;
        if (!layer->sysname)
                return NULL;
        for (char *p = name; *p; p++)
                if (*p == '!')
                        *p = '/';
        layer->name = name;
        layer->label = name;
        layer->index = topology->n_layers;
        return layer;
}

int topology_add(struct topology *topology, const char *sysname, struct layer **ret) {
        int r;

        if (!*sysname)
                return -EINVAL;

        struct layer *layer = topology_find(topology, sysname);
        if (layer) {
                *ret = layer;
                return 0;
        }

        r = topology_grow(topology->arena, (void **)&topology->layers, topology->n_layers, &topology->layers_allocated,
                        sizeof(*topology->layers));
        if (r < 0)
                return r;
        r = index_grow(topology);
        if (r < 0)
                return r;

        layer = new_layer(topology, sysname);
        if (!layer)
                return -ENOMEM;
        *find_slot(topology->names, sysname) = layer;
        topology->layers[topology->n_layers++] = layer;
        *ret = layer;
        return 0;
}

struct layer *topology_find(const struct topology *topology, const char *name) {
        return *find_slot(topology->names, name);
}

static int compare_devno(const void *a, const void *b) {
        const struct layer *x = *(struct layer *const *)a, *y = *(struct layer *const *)b;

        if (x->major != y->major)
                return x->major < y->major ? -1 : 1;
        return x->minor < y->minor ? -1 : x->minor > y->minor;
}

static int index_devnos(struct topology *topology) {
        struct topology_index *index = topology->names;

        index->n_by_devno = 0;
        index->by_devno = arena_alloc_array(topology->arena, topology->n_layers, sizeof(*index->by_devno));
        if (!index->by_devno)
                return -ENOMEM;
        for (size_t i = 0; i < topology->n_layers; i++)
                if (topology->layers[i]->has_devno)
                        index->by_devno[index->n_by_devno++] = topology->layers[i];
        qsort(index->by_devno, index->n_by_devno, sizeof(*index->by_devno), compare_devno);
        return 0;
}

struct layer *topology_find_devno(const struct topology *topology, unsigned major, unsigned minor) {
        const struct topology_index *index = topology->names;
        const struct layer wanted = {.has_devno = true, .major = major, .minor = minor}, *key = &wanted;

        if (!index->by_devno)
                return NULL;
        struct layer **found =
                        bsearch(&key, index->by_devno, index->n_by_devno, sizeof(*index->by_devno), compare_devno);
        return found ? *found : NULL;
}

static bool holds(struct layer *const *layers, size_t n, const struct layer *layer) {
        for (size_t i = 0; i < n; i++)
                if (layers[i] == layer)
                        return true;
        return false;
}

/* Neighbour arrays grow by powers of two, so that their capacity follows from their length. */
static int append_neighbour(struct arena *arena, struct layer ***layers, size_t *n, struct layer *layer) {
        if (growth_is_due(*n)) {
                struct layer **grown = arena_alloc_array(arena, growth_room(*n), sizeof(*grown));

                if (!grown)
                        return -ENOMEM;
                if (*n > 0)
                        memcpy(grown, *layers, *n * sizeof(*grown));
                *layers = grown;
        }
        (*layers)[(*n)++] = layer;
        return 0;
}

int topology_link(struct topology *topology, struct layer *upper, struct layer *lower) {
        int r;

        if (holds(upper->below, upper->n_below, lower))
                return 0;
        r = append_neighbour(topology->arena, &upper->below, &upper->n_below, lower);
        if (r < 0)
                return r;
        return append_neighbour(topology->arena, &lower->above, &lower->n_above, upper);
}

/* NULL stays NULL. */
static int copy_string(struct arena *arena, const char *s, const char **ret) {
        *ret = s ? arena_strdup(arena, s) : NULL;
        return s && !*ret ? -ENOMEM : 0;
}

/* As the kernel writes it: none but the root ends in a slash. */
static int copy_mount_point(struct arena *arena, const char *path, const char **ret) {
        size_t n = strlen(path);

        while (n > 1 && path[n - 1] == '/')
                n--;
        *ret = arena_strndup(arena, path, n);
        return *ret ? 0 : -ENOMEM;
}

int topology_add_mount(struct topology *topology, const struct mount *mount) {
        struct mount copy = *mount;
        int r;

        r = topology_grow(topology->arena, (void **)&topology->mounts, topology->n_mounts, &topology->mounts_allocated,
                        sizeof(*topology->mounts));
        if (r < 0)
                return r;
        if (copy_mount_point(topology->arena, mount->path, &copy.path) < 0 ||
                        copy_string(topology->arena, mount->fs, &copy.fs) < 0 ||
                        copy_string(topology->arena, mount->source, &copy.source) < 0)
                return -ENOMEM;
        topology->mounts[topology->n_mounts++] = copy;
        return 0;
}

static int add_name(struct topology *topology, const char ***names, size_t *n, size_t *allocated, const char *name) {
        const char *copy;
        int r;

        r = topology_grow(topology->arena, (void **)names, *n, allocated, sizeof(**names));
        if (r < 0)
                return r;
        r = copy_string(topology->arena, name, &copy);
        if (r < 0)
                return r;
        (*names)[(*n)++] = copy;
        return 0;
}

int topology_add_swap(struct topology *topology, const char *path) {
        return add_name(topology, &topology->swaps, &topology->n_swaps, &topology->swaps_allocated, path);
}

int topology_add_gone(struct topology *topology, const char *sysname) {
        return add_name(topology, &topology->gone, &topology->n_gone, &topology->gone_allocated, sysname);
}

__attribute__((format(printf, 3, 0))) static int add_note(
                struct topology *topology, const struct layer *layer, const char *format, va_list args) {
        _cleanup_(freep) char *text = NULL;
        int r;

        if (vasprintf(&text, format, args) < 0) {
                text = NULL;
                return -ENOMEM;
        }

        struct topology_note *note = arena_alloc(topology->arena, sizeof(*note));
        if (!note)
                return -ENOMEM;
        note->layer = layer;
        r = copy_string(topology->arena, text, &note->text);
        if (r < 0)
                return r;

        /* In their order, without going through all of them for each. */
        struct topology_note **end = topology->notes ? &topology->names->last_note->next : &topology->notes;
        *end = note;
        topology->names->last_note = note;
        return 0;
}

int topology_add_note(struct topology *topology, const char *format, ...) {
        va_list args;
        int r;

        va_start(args, format);
        r = add_note(topology, NULL, format, args);
        va_end(args);
        return r;
}

int topology_add_layer_note(struct topology *topology, const struct layer *layer, const char *format, ...) {
        va_list args;
        int r;

        va_start(args, format);
        r = add_note(topology, layer, format, args);
        va_end(args);
        return r;
}

int topology_finish(struct topology *topology) {
        int r;

        r = index_devnos(topology);
        if (r < 0)
                return r;
        r = topology_label(topology);
        if (r < 0)
                return r;
        r = topology_resolve(topology);
        if (r < 0)
                return r;
        r = topology_order(topology);
        if (r < 0)
                return r;
        return topology_find_uses(topology);
}
