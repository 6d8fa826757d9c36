/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/dmtable.h"
#include "common/mount-table.h"

#define MAPPER "/dev/mapper/"

struct entry {
        struct mount mount;
        size_t position;
        const char *source; /* without libdm's mangling; NULL: none */
};

/* Sorted arrays of the same entries. */
struct mount_table {
        struct arena *arena;
        struct entry *entries;
        struct entry **by_devno, **by_source, **by_path;
        size_t n;
};

void mount_table_free(struct mount_table *table) {
        if (!table)
                return;
        arena_free(table->arena);
        free(table);
}

static int compare_numbers(uint64_t a, uint64_t b) {
        return a < b ? -1 : a > b;
}

static uint64_t devno_of(const struct mount *mount) {
        return (uint64_t)mount->major << 32 | mount->minor;
}

static int by_devno(const void *a, const void *b) {
        const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

        return compare_numbers(devno_of(&x->mount), devno_of(&y->mount)) ?: compare_numbers(x->position, y->position);
}

static int by_source(const void *a, const void *b) {
        const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

        return strcmp(x->source ?: "", y->source ?: "") ?: compare_numbers(x->position, y->position);
}

static int by_path(const void *a, const void *b) {
        const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

        return strcmp(x->mount.path, y->mount.path) ?: compare_numbers(x->position, y->position);
}

/* The first of a sorted array that does not come before KEY. */
static size_t find_first(struct entry *const *entries, size_t n, const struct entry *key,
                int (*compare)(const void *a, const void *b)) {
        size_t first = 0;

        while (n > 0) {
                size_t half = n / 2;

                if (compare(&entries[first + half], &key) < 0) {
                        first += half + 1;
                        n -= half + 1;
                } else
                        n = half;
        }
        return first;
}

static int copy_string(struct arena *arena, const char *s, const char **ret) {
        *ret = s ? arena_strdup(arena, s) : NULL;
        return s && !*ret ? -ENOMEM : 0;
}

/* Only sources of file systems that have no device's number are looked up. */
static int set_source(struct arena *arena, struct entry *entry) {
        const char *source = entry->mount.source;

        if (entry->mount.major != 0 || !source || strncmp(source, "/dev/", 5) != 0)
                return 0;
        entry->source = strncmp(source, MAPPER, strlen(MAPPER)) == 0 ? dmname_demangle(arena, source) : source;
        return entry->source ? 0 : -ENOMEM;
}

static int fill_entry(struct arena *arena, const struct mount *mount, size_t position, struct entry *entry) {
        *entry = (struct entry){.mount = *mount, .position = position};
        if (copy_string(arena, mount->path, &entry->mount.path) < 0 ||
                        copy_string(arena, mount->fs, &entry->mount.fs) < 0 ||
                        copy_string(arena, mount->source, &entry->mount.source) < 0)
                return -ENOMEM;
        return set_source(arena, entry);
}

static int sort(struct mount_table *table, int (*compare)(const void *a, const void *b), struct entry ***ret) {
        struct entry **sorted = arena_alloc_array(table->arena, table->n, sizeof(*sorted));

        if (!sorted)
                return -ENOMEM;
        for (size_t i = 0; i < table->n; i++)
                sorted[i] = &table->entries[i];
        if (table->n > 1)
                qsort(sorted, table->n, sizeof(*sorted), compare);
        *ret = sorted;
        return 0;
}

struct mount_table *mount_table_new(const struct mount *mounts, size_t n_mounts) {
        _cleanup_(mount_table_freep) struct mount_table *table = calloc(1, sizeof(*table));

        if (!table)
                return NULL;
        table->n = n_mounts;
        table->arena = arena_new();
        if (!table->arena)
                return NULL;
        table->entries = arena_alloc_array(table->arena, n_mounts, sizeof(*table->entries));
        if (!table->entries)
                return NULL;
        for (size_t i = 0; i < n_mounts; i++)
                if (fill_entry(table->arena, &mounts[i], i, &table->entries[i]) < 0)
                        return NULL;
        if (sort(table, by_devno, &table->by_devno) < 0 || sort(table, by_source, &table->by_source) < 0 ||
                        sort(table, by_path, &table->by_path) < 0)
                return NULL;
        return TAKE_PTR(table);
}

/* NULL where nothing is mounted. */
static const struct entry *find_place(const struct mount_table *table, const char *path) {
        const struct entry key = {.mount.path = path, .position = SIZE_MAX};
        size_t end = find_first(table->by_path, table->n, &key, by_path);

        return end > 0 && strcmp(table->by_path[end - 1]->mount.path, path) == 0 ? table->by_path[end - 1] : NULL;
}

/* Cuts the last name off. Returns false where nothing is left. */
static bool go_up(char *path) {
        char *slash = strrchr(path, '/');

        if (!slash || strcmp(path, "/") == 0)
                return false;
        slash[slash == path] = '\0';
        return true;
}

static const struct entry *find_file(const struct mount_table *table, const char *path) {
        char place[PATH_MAX];
        size_t length = strlen(path);

        if (*path != '/' || length >= sizeof(place))
                return NULL;
        memcpy(place, path, length + 1);
        do {
                const struct entry *entry = find_place(table, place);

                if (entry)
                        return entry;
        } while (go_up(place));
        return NULL;
}

const struct mount *mount_table_find_file(const struct mount_table *table, const char *path) {
        const struct entry *entry = find_file(table, path);

        return entry ? &entry->mount : NULL;
}

/* What is chosen, any of it more than once. */
struct selection {
        const struct entry **entries;
        size_t n, allocated;
};

static void selection_done(struct selection *selection) {
        free(selection->entries);
}

static int choose(struct selection *selection, const struct entry *entry) {
        if (selection->n == selection->allocated) {
                size_t n = selection->allocated ? selection->allocated * 2 : 16;
                const struct entry **entries = reallocarray(selection->entries, n, sizeof(*entries));

                if (!entries)
                        return -ENOMEM;
                selection->entries = entries;
                selection->allocated = n;
        }
        selection->entries[selection->n++] = entry;
        return 0;
}

static int choose_devno(const struct mount_table *table, struct selection *selection, const struct layer *layer) {
        const struct entry key = {.mount = {.major = layer->major, .minor = layer->minor}};

        if (!layer->has_devno || layer->major == 0)
                return 0;
        for (size_t i = find_first(table->by_devno, table->n, &key, by_devno);
                        i < table->n && devno_of(&table->by_devno[i]->mount) == devno_of(&key.mount); i++)
                if (choose(selection, table->by_devno[i]) < 0)
                        return -ENOMEM;
        return 0;
}

static int choose_source(
                const struct mount_table *table, struct selection *selection, const char *prefix, const char *name) {
        char source[PATH_MAX];
        const struct entry key = {.source = source};

        if (snprintf(source, sizeof(source), "%s%s", prefix, name) >= (int)sizeof(source))
                return 0;
        for (size_t i = find_first(table->by_source, table->n, &key, by_source);
                        i < table->n && strcmp(table->by_source[i]->source ?: "", source) == 0; i++)
                if (choose(selection, table->by_source[i]) < 0)
                        return -ENOMEM;
        return 0;
}

/* As people and programs write a device's name: topology_find_path(). */
static int choose_sources(const struct mount_table *table, struct selection *selection, const struct layer *layer) {
        int r;

        r = choose_source(table, selection, "/dev/", layer->name);
        if (r >= 0 && strcmp(layer->sysname, layer->name) != 0)
                r = choose_source(table, selection, "/dev/", layer->sysname);
        if (r < 0 || !layer->dm)
                return r;
        r = choose_source(table, selection, MAPPER, layer->dm->name);
        if (r < 0)
                return r;
        if (!layer->dm->vg || !layer->dm->lv)
                return choose_source(table, selection, "/dev/", layer->dm->name);
        char label[PATH_MAX];

        if (snprintf(label, sizeof(label), "%s/%s", layer->dm->vg, layer->dm->lv) >= (int)sizeof(label))
                return 0;
        return choose_source(table, selection, "/dev/", label);
}

static int choose_for(const struct mount_table *table, struct selection *selection, const struct layer *layer) {
        const struct entry *entry = layer->backing_file ? find_file(table, layer->backing_file) : NULL;
        int r;

        if (entry && choose(selection, entry) < 0)
                return -ENOMEM;
        r = choose_devno(table, selection, layer);
        return r < 0 ? r : choose_sources(table, selection, layer);
}

static int by_position(const void *a, const void *b) {
        const struct entry *x = *(const struct entry *const *)a, *y = *(const struct entry *const *)b;

        return compare_numbers(x->position, y->position);
}

int mount_table_select(const struct mount_table *table, struct topology *topology) {
        _cleanup_(selection_done) struct selection selection = {};
        int r;

        for (size_t i = 0; i < topology->n_layers; i++) {
                r = choose_for(table, &selection, topology->layers[i]);
                if (r < 0)
                        return r;
        }
        if (selection.n > 1)
                qsort(selection.entries, selection.n, sizeof(*selection.entries), by_position);
        for (size_t i = 0; i < selection.n; i++) {
                if (i > 0 && selection.entries[i] == selection.entries[i - 1])
                        continue;
                r = topology_add_mount(topology, &selection.entries[i]->mount);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int compare_mounts(const struct mount *a, const struct mount *b) {
        return strcmp(a->path, b->path) ?: compare_numbers(devno_of(a), devno_of(b))
                                        ?: strcmp(a->fs, b->fs)
                                        ?: strcmp(a->source ?: "", b->source ?: "");
}

/* Of mounts at one place the order counts, too: which of them was first shows in both tables alike. */
int mount_table_compare(const struct mount_table *before, const struct mount_table *now, mount_handler handler,
                void *userdata) {
        size_t n_before = before ? before->n : 0;

        for (size_t i = 0, j = 0; i < n_before || j < now->n;) {
                const struct mount *gone = i < n_before ? &before->by_path[i]->mount : NULL;
                const struct mount *come = j < now->n ? &now->by_path[j]->mount : NULL;
                int order = !gone ? 1 : !come ? -1 : strcmp(gone->path, come->path), r = 0;

                if (order == 0 && compare_mounts(gone, come) == 0) {
                        i++;
                        j++;
                        continue;
                }
                /* One in the place of another is both. */
                if (order <= 0) {
                        i++;
                        r = handler(gone, userdata);
                }
                if (order >= 0 && r == 0) {
                        j++;
                        r = handler(come, userdata);
                }
                if (r != 0)
                        return r;
        }
        return 0;
}
