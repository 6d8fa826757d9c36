/* SPDX-License-Identifier: MIT */

/* From names, numbers and paths to layers. */

#include <errno.h>
#include <search.h>
#include <string.h>

#include "common/dmtable.h"
#include "common/growth.h"
#include "common/topology-private.h"

static const char *after_prefix(const char *s, const char *prefix) {
        size_t n = strlen(prefix);

        return strncmp(s, prefix, n) == 0 ? s + n : NULL;
}

static struct layer *find_map(const struct topology *topology, const char *name) {
        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *layer = topology->layers[i];

                if (layer->dm && dmname_equals(name, layer->dm->name))
                        return layer;
        }
        return NULL;
}

static struct layer *find_label(const struct topology *topology, const char *label) {
        for (size_t i = 0; i < topology->n_layers; i++)
                if (strcmp(topology->layers[i]->label, label) == 0)
                        return topology->layers[i];
        return NULL;
}

struct layer *topology_find_path(const struct topology *topology, const char *path) {
        const char *map = after_prefix(path, "/dev/mapper/");
        if (map)
                return find_map(topology, map);

        const char *name = after_prefix(path, "/dev/");
        if (!name)
                name = path;

        struct layer *layer = topology_find(topology, name);
        if (!layer)
                layer = find_label(topology, name);
        if (!layer && name == path)
                layer = find_map(topology, name);
        return layer;
}

/* The device of a file system; those with an anonymous number (btrfs) are known by their source only. */
static struct layer *find_mounted(const struct topology *topology, const struct mount *mount) {
        if (mount->major != 0)
                return topology_find_devno(topology, mount->major, mount->minor);
        if (!mount->source || !after_prefix(mount->source, "/dev/"))
                return NULL;
        return topology_find_path(topology, mount->source);
}

bool path_lies_below(const char *path, const char *directory) {
        size_t n = strlen(directory);

        if (*path != '/' || strcmp(directory, "/") == 0)
                return *path == '/';
        return n > 0 && strncmp(path, directory, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

struct layer *topology_find_file(const struct topology *topology, const char *path) {
        const struct mount *deepest = NULL;

        if (after_prefix(path, "/dev/"))
                return topology_find_path(topology, path);

        /* Of mounts at one place the last covers the others. */
        for (size_t i = 0; i < topology->n_mounts; i++) {
                const struct mount *mount = &topology->mounts[i];

                if (path_lies_below(path, mount->path) && (!deepest || strlen(mount->path) >= strlen(deepest->path)))
                        deepest = mount;
        }
        return deepest ? find_mounted(topology, deepest) : NULL;
}

static int resolve_map(struct topology *topology, struct layer *layer) {
        for (size_t i = 0; i < layer->dm->n_segments; i++) {
                struct dm_segment *segment = &layer->dm->segments[i];

                for (size_t j = 0; j < segment->n_legs; j++) {
                        struct dm_leg *leg = &segment->legs[j];

                        leg->layer = topology_find_devno(topology, leg->major, leg->minor);
                        if (leg->layer && topology_link(topology, layer, leg->layer) < 0)
                                return -ENOMEM;
                }
        }
        return 0;
}

static int resolve_array(struct topology *topology, struct layer *layer) {
        for (size_t i = 0; i < layer->md->n_members; i++) {
                struct md_member *member = &layer->md->members[i];

                member->layer = topology_find(topology, member->name);
                if (member->layer && topology_link(topology, layer, member->layer) < 0)
                        return -ENOMEM;
        }
        return 0;
}

static int resolve_layer(struct topology *topology, struct layer *layer) {
        int r = 0;

        if (layer->dm)
                r = resolve_map(topology, layer);
        if (r >= 0 && layer->md)
                r = resolve_array(topology, layer);
        if (r >= 0 && layer->parent)
                r = topology_link(topology, layer, layer->parent);
        if (r >= 0 && layer->backing_file) {
                struct layer *lower = topology_find_file(topology, layer->backing_file);

                if (lower)
                        r = topology_link(topology, layer, lower);
        }
        return r;
}

int topology_resolve(struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++) {
                int r = resolve_layer(topology, topology->layers[i]);

                if (r < 0)
                        return r;
        }
        return 0;
}

/* A map that LVM keeps beside an LV ("vg-lv-real") would have the LV's own label. */
static bool has_layer_in_name(const struct dm_info *dm) {
        size_t n = strlen(dm->name), n_suffix;

        if (!dm->lvm_suffix)
                return false;
        n_suffix = strlen(dm->lvm_suffix);
        return n > n_suffix && dm->name[n - n_suffix - 1] == '-' &&
               strcmp(dm->name + n - n_suffix, dm->lvm_suffix) == 0;
}

int topology_label(struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++) {
                struct layer *layer = topology->layers[i];
                const struct dm_info *dm = layer->dm;

                if (!dm || !*dm->name)
                        continue;
                layer->label = dm->name;
                if (!dm->vg || !dm->lv)
                        continue;
                layer->label = has_layer_in_name(dm) ? arena_printf(topology->arena, "%s/%s-%s", dm->vg, dm->lv,
                                                                       dm->lvm_suffix)
                                                     : arena_printf(topology->arena, "%s/%s", dm->vg, dm->lv);
                if (!layer->label)
                        return -ENOMEM;
        }
        return 0;
}

/* Grows by powers of two, as the neighbours do. */
static int add_use(struct arena *arena, struct layer *layer, struct use use) {
        size_t n = layer->n_uses;

        if (growth_is_due(n)) {
                struct use *grown = arena_alloc_array(arena, growth_room(n), sizeof(*grown));

                if (!grown)
                        return -ENOMEM;
                if (n > 0)
                        memcpy(grown, layer->uses, n * sizeof(*grown));
                layer->uses = grown;
        }
        layer->uses[layer->n_uses++] = use;
        return 0;
}

/* A layer and where it is mounted; what is mounted over itself is in the table twice. */
struct place {
        const struct layer *layer;
        const char *path;
};

static int compare_places(const void *a, const void *b) {
        const struct place *p = a, *q = b;

        if (p->layer != q->layer)
                return (uintptr_t)p->layer < (uintptr_t)q->layer ? -1 : 1;
        return strcmp(p->path, q->path);
}

static void keep_place(void *place) {
}

/* PLACES has room for all of them, TREE is of those that have been found. */
static int add_mounts(struct topology *topology, struct place *places, void **tree) {
        for (size_t i = 0; i < topology->n_mounts; i++) {
                const struct mount *mount = &topology->mounts[i];
                struct layer *layer = find_mounted(topology, mount);
                const struct place **node;

                if (!layer)
                        continue;
                places[i] = (struct place){.layer = layer, .path = mount->path};
                node = tsearch(&places[i], tree, compare_places);
                if (!node)
                        return -ENOMEM;
                if (*node == &places[i] &&
                                add_use(topology->arena, layer,
                                                (struct use){.type = USE_MOUNT, .path = mount->path, .fs = mount->fs}) <
                                                0)
                        return -ENOMEM;
        }
        return 0;
}

static int find_mounts(struct topology *topology) {
        _cleanup_(freep) struct place *places = calloc(topology->n_mounts + 1, sizeof(*places));
        void *tree = NULL;
        int r;

        if (!places)
                return -ENOMEM;
        r = add_mounts(topology, places, &tree);
        tdestroy(tree, keep_place);
        return r;
}

int topology_find_uses(struct topology *topology) {
        if (find_mounts(topology) < 0)
                return -ENOMEM;
        for (size_t i = 0; i < topology->n_swaps; i++) {
                struct layer *layer = topology_find_path(topology, topology->swaps[i]);

                if (layer && add_use(topology->arena, layer, (struct use){.type = USE_SWAP}) < 0)
                        return -ENOMEM;
        }
        for (size_t i = 0; i < topology->n_layers; i++)
                topology->layers[i]->top = topology->layers[i]->n_uses > 0 || topology->layers[i]->n_above == 0;
        return 0;
}
