/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/discover-scope.h"

struct search {
        const struct sysroot *root;
        const struct topology *previous;
        const char *directory;
        bool *anew;
        const struct layer **found; /* those that are to be read anew, in the order in which they were found to be */
        size_t n_found;
};

/* LAYER may be NULL. */
static void find(struct search *s, const struct layer *layer) {
        if (!layer || s->anew[layer->index])
                return;
        s->anew[layer->index] = true;
        s->found[s->n_found++] = layer;
}

/* What holds a device now may not have done so before: md sends no event when an array gets a member. */
static int find_holders(struct search *s, const char *name) {
        _cleanup_(freep) char **holders = NULL;
        int r;

        r = sysroot_list(s->root, "", &holders, "%s/%s/holders", s->directory, name);
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        for (char **holder = holders; *holder; holder++)
                find(s, topology_find(s->previous, *holder));
        return 0;
}

/* A new partition is a directory in that of its disk, whose name its own begins with. */
static void find_disk(struct search *s, const char *name) {
        char prefix[NAME_MAX + 1];

        if (strlen(name) >= sizeof(prefix) || !sysroot_exists(s->root, "%s/%s/partition", s->directory, name))
                return;
        strcpy(prefix, name);
        for (size_t n = strlen(name) - 1; n > 0; n--) {
                const struct layer *disk;

                prefix[n] = 0;
                disk = topology_find(s->previous, prefix);
                if (!disk || disk->kind == KIND_PARTITION)
                        continue;
                if (sysroot_exists(s->root, "%s/%s/%s", s->directory, prefix, name)) {
                        find(s, disk);
                        return;
                }
        }
}

/* Compares the devices that there were with those that there are. */
static int find_differences(struct search *s, char *const *names, bool *listed) {
        for (; *names; names++) {
                const struct layer *layer = topology_find(s->previous, *names);

                if (layer) {
                        listed[layer->index] = true;
                        continue;
                }
                find_disk(s, *names);
                if (find_holders(s, *names) < 0)
                        return -ENOMEM;
        }
        for (size_t i = 0; i < s->previous->n_layers; i++)
                if (!listed[i])
                        find(s, s->previous->layers[i]);
        return 0;
}

/* A cycle has lost edges, and a table that could not be read may be readable now. */
static bool is_incomplete(const struct layer *layer) {
        return layer->in_cycle || (layer->dm && !layer->dm->tables_known);
}

static int find_all(struct search *s, char *const *touched, char *const *names, bool *listed) {
        int r;

        for (size_t i = 0; i < s->previous->n_layers; i++)
                if (is_incomplete(s->previous->layers[i]))
                        find(s, s->previous->layers[i]);
        for (; touched && *touched; touched++)
                find(s, topology_find(s->previous, *touched));
        r = find_differences(s, names, listed);

        for (size_t i = 0; r >= 0 && i < s->n_found; i++) {
                const struct layer *layer = s->found[i];

                find(s, layer->parent);
                for (size_t j = 0; j < layer->n_above; j++)
                        find(s, layer->above[j]);
                r = find_holders(s, layer->sysname);
        }
        return r;
}

int scope_find(const struct sysroot *root, const struct topology *previous, char *const *touched, const char *directory,
                char *const *names, struct scope *ret) {
        _cleanup_(freep) bool *anew = calloc(previous->n_layers + 1, sizeof(*anew));
        _cleanup_(freep) bool *listed = calloc(previous->n_layers + 1, sizeof(*listed));
        _cleanup_(freep) const struct layer **found = calloc(previous->n_layers + 1, sizeof(*found));
        struct search s = {.root = root, .previous = previous, .directory = directory, .anew = anew, .found = found};
        int r;

        if (!anew || !listed || !found)
                return -ENOMEM;
        r = find_all(&s, touched, names, listed);
        if (r < 0)
                return r;
        *ret = (struct scope){.previous = previous, .anew = TAKE_PTR(anew)};
        return 0;
}

void scope_done(struct scope *scope) {
        free(scope->anew);
        *scope = (struct scope){0};
}

const struct layer *scope_carried(const struct scope *scope, const char *name) {
        const struct layer *layer = scope->previous ? topology_find(scope->previous, name) : NULL;

        return layer && !scope->anew[layer->index] ? layer : NULL;
}
