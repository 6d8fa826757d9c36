/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "common/dmtable.h"
#include "common/inventory-private.h"
#include "common/topology-copy.h"

/* A map or a disk fits; a block of malloc() is then 1 KiB. */
#define LAYER_BLOCK_BYTES 960U

#define MAPPER "/dev/mapper/"

/* --- looking up ------------------------------------------------------------------------------------------------------- */

static int plain(char c) {
        return c == '!' ? '/' : (unsigned char)c;
}

/* Paths have '/' where sysfs has '!', and so have the names of md's members. */
static int compare_names(const void *a, const void *b) {
        const char *x = ((const struct known *)a)->layer->sysname, *y = ((const struct known *)b)->layer->sysname;

        while (*x && plain(*x) == plain(*y)) {
                x++;
                y++;
        }
        return plain(*x) - plain(*y);
}

static int compare_devnos(const void *a, const void *b) {
        const struct layer *x = ((const struct known *)a)->layer, *y = ((const struct known *)b)->layer;

        if (x->major != y->major)
                return x->major < y->major ? -1 : 1;
        return x->minor < y->minor ? -1 : x->minor > y->minor;
}

static struct known *found(void *node) {
        return node ? *(struct known **)node : NULL;
}

struct known *inventory_known(const struct inventory *inventory, const char *sysname) {
        struct layer layer = {.sysname = sysname};
        const struct known key = {.layer = &layer};

        return found(tfind(&key, &inventory->by_name, compare_names));
}

struct known *inventory_known_devno(const struct inventory *inventory, unsigned major, unsigned minor) {
        struct layer layer = {.major = major, .minor = minor};
        const struct known key = {.layer = &layer};

        return found(tfind(&key, &inventory->by_devno, compare_devnos));
}

struct path_search {
        const char *path;
        struct known *found;
};

static bool is_called(const struct layer *layer, const char *path) {
        const struct dm_info *dm = layer->dm;
        size_t n;

        if (!dm)
                return false;
        if (strncmp(path, MAPPER, strlen(MAPPER)) == 0)
                return dmname_equals(path + strlen(MAPPER), dm->name);
        if (strncmp(path, "/dev/", 5) != 0)
                return false;
        path += 5;
        if (!dm->vg || !dm->lv)
                return strcmp(path, dm->name) == 0;
        n = strlen(dm->vg);
        return strncmp(path, dm->vg, n) == 0 && path[n] == '/' && strcmp(path + n + 1, dm->lv) == 0;
}

static void compare_path(const void *node, VISIT order, void *closure) {
        struct path_search *search = closure;
        struct known *known = *(struct known *const *)node;

        if ((order == postorder || order == leaf) && !search->found && is_called(known->layer, search->path))
                search->found = known;
}

struct known *inventory_known_path(const struct inventory *inventory, const char *path) {
        struct path_search search = {.path = path};

        if (strncmp(path, "/dev/", 5) == 0)
                search.found = inventory_known(inventory, path + 5);
        if (!search.found)
                twalk_r(inventory->by_name, compare_path, &search);
        return search.found;
}

struct known *inventory_known_mount(const struct inventory *inventory, const struct mount *mount) {
        if (mount->major != 0)
                return inventory_known_devno(inventory, mount->major, mount->minor);
        if (!mount->source || strncmp(mount->source, "/dev/", 5) != 0)
                return NULL;
        return inventory_known_path(inventory, mount->source);
}

size_t inventory_count(const struct inventory *inventory) {
        return inventory->n;
}

const struct layer *inventory_find(const struct inventory *inventory, const char *sysname) {
        const struct known *known = inventory_known(inventory, sysname);

        return known ? known->layer : NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the stack, and each device once */
static void walk_below(struct inventory *inventory, const struct known *known,
                void (*handler)(const char *sysname, void *userdata), void *userdata) {
        const struct edge *edge;

        LIST_FOREACH(edge, &known->below, in_below) {
                if (edge->lower->round == inventory->round)
                        continue;
                edge->lower->round = inventory->round;
                handler(edge->lower->layer->sysname, userdata);
                walk_below(inventory, edge->lower, handler, userdata);
        }
}

void inventory_walk_below(struct inventory *inventory, const char *sysname,
                void (*handler)(const char *sysname, void *userdata), void *userdata) {
        const struct known *known = inventory_known(inventory, sysname);

        inventory->round++;
        if (known)
                walk_below(inventory, known, handler, userdata);
}

/* --- edges ------------------------------------------------------------------------------------------------------------ */

static void unlink_edge(struct edge *edge) {
        LIST_REMOVE(edge, in_below);
        LIST_REMOVE(edge, in_above);
        free(edge);
}

static int link_edge(struct known *upper, struct known *lower) {
        struct edge *edge = malloc(sizeof(*edge));

        if (!edge)
                return -ENOMEM;
        *edge = (struct edge){.upper = upper, .lower = lower};
        LIST_INSERT_HEAD(&upper->below, edge, in_below);
        LIST_INSERT_HEAD(&lower->above, edge, in_above);
        return 0;
}

/* Looks, when all edges are as they are now, whether it has become a top, or ceased to be one. */
static int note_turn(struct inventory *inventory, struct known *known) {
        struct known **turning;

        if (inventory->n_turning == inventory->n_turning_allocated) {
                size_t n = inventory->n_turning_allocated ? inventory->n_turning_allocated * 2 : 16;

                turning = reallocarray(inventory->turning, n, sizeof(*turning));
                if (!turning)
                        return -ENOMEM;
                inventory->turning = turning;
                inventory->n_turning_allocated = n;
        }
        inventory->turning[inventory->n_turning++] = known;
        return 0;
}

static int unlink_below(struct inventory *inventory, struct known *known) {
        while (!LIST_EMPTY(&known->below)) {
                struct edge *edge = LIST_FIRST(&known->below);

                /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): unlink_edge() has taken the one before out of both lists */
                if (note_turn(inventory, edge->lower) < 0)
                        return -ENOMEM;
                unlink_edge(edge);
        }
        return 0;
}

static int link_below(struct inventory *inventory, const struct layer *layer) {
        struct known *upper = inventory_known(inventory, layer->sysname);
        int r;

        r = unlink_below(inventory, upper);
        if (r < 0)
                return r;
        /* From the last, as the list is filled from its head. */
        for (size_t i = layer->n_below; i > 0 && i--;) {
                struct known *lower = inventory_known(inventory, layer->below[i]->sysname);

                if (lower && (link_edge(upper, lower) < 0 || note_turn(inventory, lower) < 0))
                        return -ENOMEM;
        }
        return 0;
}

/* --- devices ---------------------------------------------------------------------------------------------------------- */

static void unlist(struct inventory *inventory, struct known *known) {
        if (known->incomplete)
                LIST_REMOVE(known, in_incomplete);
        if (known->loop)
                LIST_REMOVE(known, in_loops);
        /* Its number may be another's by now. */
        if (known->layer->has_devno &&
                        inventory_known_devno(inventory, known->layer->major, known->layer->minor) == known)
                tdelete(known, &inventory->by_devno, compare_devnos);
        known->incomplete = known->loop = false;
}

static int list(struct inventory *inventory, struct known *known) {
        const struct layer *layer = known->layer;

        known->incomplete = layer->in_cycle || (layer->dm && !layer->dm->tables_known);
        if (known->incomplete)
                LIST_INSERT_HEAD(&inventory->incomplete, known, in_incomplete);
        known->loop = layer->backing_file;
        if (known->loop)
                LIST_INSERT_HEAD(&inventory->loops, known, in_loops);
        if (!layer->has_devno)
                return 0;

        struct known **node = tsearch(known, &inventory->by_devno, compare_devnos);
        if (!node)
                return -ENOMEM;
        *node = known;
        return 0;
}

static int own_note(struct arena *arena, const struct ledger_note **note) {
        struct ledger_note *copy;

        if (!*note)
                return 0;
        copy = arena_alloc(arena, sizeof(*copy));
        if (!copy)
                return -ENOMEM;
        *copy = **note;
        copy->rule = arena_strdup(arena, copy->rule);
        *note = copy;
        return copy->rule ? 0 : -ENOMEM;
}

/* What was read, and what the next look compares with. */
static struct layer *keep(struct arena *arena, const struct layer *layer) {
        struct layer *copy = arena_alloc(arena, sizeof(*copy));

        if (!copy || layer_copy(arena, layer, copy) < 0)
                return NULL;
        copy->top = layer->top;
        copy->in_cycle = layer->in_cycle;
        copy->reloaded = layer->reloaded;
        copy->set = layer->set;
        return own_note(arena, &copy->set) < 0 ? NULL : copy;
}

static void known_free(struct known *known) {
        arena_freep(&known->own);
        free(known);
}

DEFINE_CLEANUP(struct known *, known_free);

/* OWN becomes the device's; LAYER is in it, or in the inventory's. */
static int add(struct inventory *inventory, struct arena *own, struct layer *layer, bool used) {
        _cleanup_(known_freep) struct known *known = calloc(1, sizeof(*known));

        if (!known) {
                arena_free(own);
                return -ENOMEM;
        }
        *known = (struct known){.own = own, .layer = layer, .used = used};
        if (!tsearch(known, &inventory->by_name, compare_names))
                return -ENOMEM;
        inventory->n++;
        return list(inventory, TAKE_PTR(known));
}

static int replace(
                struct inventory *inventory, struct known *known, struct arena *own, struct layer *layer, bool used) {
        unlist(inventory, known);
        arena_freep(&known->own);
        known->own = own;
        known->layer = layer;
        known->used = used;
        return list(inventory, known);
}

static int store(struct inventory *inventory, const struct layer *layer) {
        _cleanup_(arena_freep) struct arena *own = arena_new_sized(LAYER_BLOCK_BYTES);
        struct known *known = inventory_known(inventory, layer->sysname);
        struct layer *copy = own ? keep(own, layer) : NULL;

        if (!copy)
                return -ENOMEM;
        return known ? replace(inventory, known, TAKE_PTR(own), copy, layer->n_uses > 0)
                     : add(inventory, TAKE_PTR(own), copy, layer->n_uses > 0);
}

static int forget(struct inventory *inventory, const char *sysname) {
        struct known *known = inventory_known(inventory, sysname);

        if (!known)
                return 0;
        if (unlink_below(inventory, known) < 0)
                return -ENOMEM;
        while (!LIST_EMPTY(&known->above))
                /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): unlink_edge() has taken the one before out of both lists */
                unlink_edge(LIST_FIRST(&known->above));
        /* It may have been noted itself, as what lay over it went first. */
        for (size_t i = 0; i < inventory->n_turning; i++)
                if (inventory->turning[i] == known)
                        inventory->turning[i] = NULL;
        unlist(inventory, known);
        tdelete(known, &inventory->by_name, compare_names);
        inventory->n--;
        known_free(known);
        return 0;
}

/* --- all of it -------------------------------------------------------------------------------------------------------- */

static void keep_node(void *known) {
}

static void free_node(void *node) {
        struct known *known = node;

        while (!LIST_EMPTY(&known->below))
                /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): unlink_edge() has taken the one before out of both lists */
                unlink_edge(LIST_FIRST(&known->below));
        while (!LIST_EMPTY(&known->above))
                /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): unlink_edge() has taken the one before out of both lists */
                unlink_edge(LIST_FIRST(&known->above));
        known_free(known);
}

void inventory_free(struct inventory *inventory) {
        if (!inventory)
                return;
        tdestroy(inventory->by_devno, keep_node);
        tdestroy(inventory->by_name, free_node);
        arena_freep(&inventory->arena);
        mount_table_freep(&inventory->mounts);
        ledger_view_done(&inventory->ledger);
        free(inventory->turning);
        free(inventory->turned);
        free(inventory);
}

static int fill(struct inventory *inventory, const struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *copy = keep(inventory->arena, topology->layers[i]);

                if (!copy || add(inventory, NULL, copy, topology->layers[i]->n_uses > 0) < 0)
                        return -ENOMEM;
        }
        for (size_t i = 0; i < topology->n_layers; i++) {
                if (link_below(inventory, topology->layers[i]) < 0)
                        return -ENOMEM;
                inventory->n_turning = 0;
        }
        return 0;
}

int inventory_new(const struct topology *topology, struct inventory **ret) {
        _cleanup_(inventory_freep) struct inventory *inventory = calloc(1, sizeof(*inventory));

        if (!inventory)
                return -ENOMEM;
        inventory->ledger = LEDGER_VIEW_NONE;
        inventory->memory_bytes = topology->memory_bytes;
        inventory->page_bytes = topology->page_bytes;
        inventory->host_incomplete = topology->host_incomplete;
        inventory->arena = arena_new();
        inventory->mounts = mount_table_new(topology->mounts, topology->n_mounts);
        if (!inventory->arena || !inventory->mounts || fill(inventory, topology) < 0)
                return -ENOMEM;
        *ret = TAKE_PTR(inventory);
        return 0;
}

static int tell_turned(struct inventory *inventory, const struct topology *topology) {
        size_t n = 0;

        free(inventory->turned);
        inventory->turned = calloc(inventory->n_turning + 1, sizeof(*inventory->turned));
        if (!inventory->turned)
                return -ENOMEM;
        for (size_t i = 0; i < inventory->n_turning; i++) {
                struct known *known = inventory->turning[i];
                bool top = known && (known->used || LIST_EMPTY(&known->above));
                const struct layer *read = known ? topology_find(topology, known->layer->sysname) : NULL;

                if (!known || top == known->layer->top)
                        continue;
                known->layer->top = top;
                if (!read || read->carried)
                        inventory->turned[n++] = (char *)known->layer->sysname;
        }
        inventory->n_turning = 0;
        return 0;
}

int inventory_update(struct inventory *inventory, const struct topology *topology) {
        int r = 0;

        inventory->n_turning = 0;
        for (size_t i = 0; i < topology->n_gone && r >= 0; i++)
                r = forget(inventory, topology->gone[i]);
        for (size_t i = 0; i < topology->n_layers && r >= 0; i++)
                if (!topology->layers[i]->carried)
                        r = store(inventory, topology->layers[i]);
        for (size_t i = 0; i < topology->n_layers && r >= 0; i++)
                if (!topology->layers[i]->carried)
                        r = link_below(inventory, topology->layers[i]);
        return r < 0 ? r : tell_turned(inventory, topology);
}

char *const *inventory_turned(const struct inventory *inventory) {
        return inventory->turned;
}

void inventory_forget_mounts(struct inventory *inventory) {
        inventory->mounts_are_old = true;
}
