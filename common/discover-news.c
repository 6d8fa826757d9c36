/* SPDX-License-Identifier: MIT */

/* After an event: what has to be read again, and what lies beneath it, which does not. */

#include <errno.h>
#include <limits.h>
#include <search.h>
#include <string.h>

#include "common/discover-host.h"
#include "common/discover-private.h"
#include "common/discover.h"
#include "common/inventory-private.h"
#include "common/topology-private.h"

/* --- which devices ---------------------------------------------------------------------------------------------------- */

/* Names of devices to be read, each once. */
struct search {
        const struct sysroot *root;
        struct inventory *inventory;
        const char *directory;
        struct arena *arena;
        void *found; /* a tree of tsearch(3) of the names */
        const char **names;
        size_t n, allocated;
        size_t n_followed; /* whose neighbours have been found, too */
};

static int compare_names(const void *a, const void *b) {
        return strverscmp(a, b);
}

static int compare_pointers(const void *a, const void *b) {
        return compare_names(*(const char *const *)a, *(const char *const *)b);
}

static void keep_node(void *name) {
}

static void search_done(struct search *s) {
        tdestroy(s->found, keep_node);
        arena_freep(&s->arena);
}

static int find(struct search *s, const char *name) {
        const char *copy;

        if (tfind(name, &s->found, compare_names))
                return 0;
        copy = arena_strdup(s->arena, name);
        if (!copy || topology_grow(s->arena, (void **)&s->names, s->n, &s->allocated, sizeof(*s->names)) < 0 ||
                        !tsearch(copy, &s->found, compare_names))
                return -ENOMEM;
        s->names[s->n++] = copy;
        return 0;
}

static int find_known(struct search *s, const struct known *known) {
        return known ? find(s, known->layer->sysname) : 0;
}

/* What holds a device now may not have done so before: md sends no event when an array gets a member. */
static int find_holders(struct search *s, const char *name) {
        _cleanup_(freep) char **holders = NULL;
        int r;

        r = sysroot_list(s->root, "", &holders, "%s/%s/holders", s->directory, name);
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        r = 0;
        for (char **holder = holders; *holder && r >= 0; holder++)
                r = find(s, *holder);
        return r;
}

/* A new partition is a directory in that of its disk, whose name its own begins with. */
static int find_disk(struct search *s, const char *name) {
        char prefix[NAME_MAX + 1];
        size_t length = strlen(name);

        if (length >= sizeof(prefix) || !sysroot_exists(s->root, "%s/%s/partition", s->directory, name))
                return 0;
        memcpy(prefix, name, length + 1);
        for (size_t n = length - 1; n > 0; n--) {
                const struct layer *disk;

                prefix[n] = 0;
                disk = inventory_find(s->inventory, prefix);
                if (!disk || disk->kind == KIND_PARTITION)
                        continue;
                if (sysroot_exists(s->root, "%s/%s/%s", s->directory, prefix, name))
                        return find(s, prefix);
        }
        return 0;
}

/* A disk and its partitions are one device. */
static int find_neighbours(struct search *s, const struct known *known) {
        const struct edge *edge;
        int r = 0;

        if (known->layer->kind == KIND_PARTITION && !LIST_EMPTY(&known->below))
                r = find_known(s, LIST_FIRST(&known->below)->lower);
        LIST_FOREACH(edge, &known->above, in_above) {
                if (r < 0)
                        break;
                r = find_known(s, edge->upper);
        }
        return r;
}

static int find_mounted(const struct mount *mount, void *userdata) {
        struct search *s = userdata;
        const struct known *known;
        int r;

        r = find_known(s, inventory_known_mount(s->inventory, mount));
        LIST_FOREACH(known, &s->inventory->loops, in_loops) {
                if (r < 0)
                        break;
                if (path_lies_below(known->layer->backing_file, mount->path))
                        r = find_known(s, known);
        }
        return r;
}

/* A mount has no event of its own: who sees that the table has changed says so, and what has changed is found here. */
static int find_mounts(struct search *s) {
        _cleanup_(topology_freep) struct topology *host = NULL;
        _cleanup_(mount_table_freep) struct mount_table *mounts = NULL;
        const unsigned n_failures = sysroot_failures(s->root)->n;
        int r;

        if (!s->inventory->mounts_are_old)
                return 0;
        host = topology_new();
        if (!host)
                return -ENOMEM;
        r = host_read_mounts(s->root, host);
        /* The old ones will do until they can be read. */
        if (r < 0 || sysroot_failures(s->root)->n > n_failures)
                return r;
        mounts = mount_table_new(host->mounts, host->n_mounts);
        if (!mounts)
                return -ENOMEM;
        r = mount_table_compare(s->inventory->mounts, mounts, find_mounted, s);
        if (r < 0)
                return r;
        mount_table_free(s->inventory->mounts);
        s->inventory->mounts = TAKE_PTR(mounts);
        s->inventory->mounts_are_old = false;
        return 0;
}

/* What lies over what has been found. */
static int follow(struct search *s) {
        int r = 0;

        for (; s->n_followed < s->n && r >= 0; s->n_followed++) {
                const char *name = s->names[s->n_followed];
                const struct known *known = inventory_known(s->inventory, name);

                r = known ? find_neighbours(s, known) : find_disk(s, name);
                if (r >= 0)
                        r = find_holders(s, name);
        }
        return r;
}

static int find_all(struct search *s, char *const *touched) {
        const struct known *known;
        int r;

        r = find_mounts(s);
        LIST_FOREACH(known, &s->inventory->incomplete, in_incomplete)
        r = r < 0 ? r : find_known(s, known);
        for (; touched && *touched && r >= 0; touched++)
                r = find(s, *touched);
        return r < 0 ? r : follow(s);
}

/* --- reading them ----------------------------------------------------------------------------------------------------- */

struct reading {
        struct search *search; /* what is to be read, and finds more to read */
        const struct sysroot *root;
        struct inventory *inventory;
        const char *directory;
        struct topology *topology;
        struct block_devices devices;
};

static int read_device(struct reading *reading, const char *name) {
        char path[PATH_MAX];

        if (snprintf(path, sizeof(path), "%s/%s", reading->directory, name) >= (int)sizeof(path))
                return 0;
        return block_add(reading->root, reading->topology, &reading->devices, name, path);
}

/* In the order in which a directory is read. */
static int read_found(struct reading *reading) {
        const struct search *s = reading->search;
        _cleanup_(freep) const char **names = calloc(s->n + 1, sizeof(*names));
        int r = 0;

        if (!names)
                return -ENOMEM;
        if (s->n > 0)
                memcpy(names, s->names, s->n * sizeof(*names));
        qsort(names, s->n, sizeof(*names), compare_pointers);
        for (size_t i = 0; i < s->n && r >= 0; i++)
                r = read_device(reading, names[i]);
        return r < 0 ? r : block_adopt_partitions(reading->root, reading->topology, &reading->devices);
}

/* Once partitions have been looked for in their disks. */
static int note_gone(struct reading *reading) {
        const struct search *s = reading->search;

        for (size_t i = 0; i < s->n; i++)
                if (!topology_find(reading->topology, s->names[i]) &&
                                topology_add_gone(reading->topology, s->names[i]) < 0)
                        return -ENOMEM;
        return 0;
}

static bool is_gone(const struct topology *topology, const char *name) {
        for (size_t i = 0; i < topology->n_gone; i++)
                if (strcmp(topology->gone[i], name) == 0)
                        return true;
        return false;
}

static int carry(struct reading *reading, const struct known *known) {
        char path[PATH_MAX];

        if (!known || topology_find(reading->topology, known->layer->sysname) ||
                        is_gone(reading->topology, known->layer->sysname))
                return 0;
        snprintf(path, sizeof(path), "%s/%s", reading->directory, known->layer->sysname);
        return block_carry(reading->topology, &reading->devices, known->layer, path);
}

/* What is not known lies beneath a device whose event has come before its own: it is to be read, too. */
static int add_named(struct reading *reading, const char *name) {
        const struct known *known = inventory_known(reading->inventory, name);

        if (topology_find(reading->topology, name))
                return 0;
        return known ? carry(reading, known) : find(reading->search, name);
}

static int add_devno(struct reading *reading, unsigned major, unsigned minor) {
        const struct known *known = inventory_known_devno(reading->inventory, major, minor);
        char name[NAME_MAX + 1];

        if (known)
                return carry(reading, known);
        if (sysroot_link_name(reading->root, name, sizeof(name), "sys/dev/block/%u:%u", major, minor) < 0)
                return 0;
        return add_named(reading, name);
}

/* In sysfs, where it may have to be looked for, its name has '!' for '/'. */
static int add_member(struct reading *reading, const struct md_member *member) {
        char name[NAME_MAX + 1];
        size_t length = strlen(member->name);

        if (length >= sizeof(name))
                return 0;
        memcpy(name, member->name, length + 1);
        for (char *p = name; *p; p++)
                if (*p == '/')
                        *p = '!';
        return add_named(reading, name);
}

static int add_legs(struct reading *reading, const struct dm_info *dm) {
        int r = 0;

        for (size_t i = 0; i < dm->n_segments; i++)
                for (size_t j = 0; j < dm->segments[i].n_legs && r >= 0; j++)
                        r = add_devno(reading, dm->segments[i].legs[j].major, dm->segments[i].legs[j].minor);
        return r;
}

static int add_backing(struct reading *reading, const char *file) {
        const struct mount *mount;

        if (strncmp(file, "/dev/", 5) == 0)
                return carry(reading, inventory_known_path(reading->inventory, file));
        mount = mount_table_find_file(reading->inventory->mounts, file);
        if (mount && mount->major != 0)
                return add_devno(reading, mount->major, mount->minor);
        return mount ? carry(reading, inventory_known_mount(reading->inventory, mount)) : 0;
}

static int add_read_beneath(struct reading *reading, const struct block_device *device) {
        const struct layer *layer = device->layer;
        char backing[NAME_MAX + 1];
        int r = 0;

        for (char **name = layer->slaves; name && *name && r >= 0; name++)
                r = add_named(reading, *name);
        for (size_t i = 0; layer->md && i < layer->md->n_members && r >= 0; i++)
                r = add_member(reading, &layer->md->members[i]);
        if (layer->dm && r >= 0)
                r = add_legs(reading, layer->dm);
        if (layer->backing_file && r >= 0)
                r = add_backing(reading, layer->backing_file);
        if (r >= 0 && block_read_backing_name(reading->root, device, backing) >= 0)
                r = add_named(reading, backing);
        return r;
}

static int add_known_beneath(struct reading *reading, const struct layer *layer) {
        const struct known *known = inventory_known(reading->inventory, layer->sysname);
        const struct edge *edge;
        int r = 0;

        LIST_FOREACH(edge, &known->below, in_below)
        r = r < 0 ? r : carry(reading, edge->lower);
        return r;
}

/* From device to device downwards: what is added is gone through, too. */
static int add_beneath(struct reading *reading) {
        int r = 0;

        for (size_t i = 0; i < reading->devices.n && r >= 0; i++) {
                /* A copy: what is added may move them. */
                const struct block_device device = reading->devices.items[i];

                r = device.layer->carried ? add_known_beneath(reading, device.layer)
                                          : add_read_beneath(reading, &device);
        }
        return r;
}

static void adopt_carried(struct reading *reading) {
        for (size_t i = 0; i < reading->topology->n_layers; i++) {
                struct layer *layer = reading->topology->layers[i];
                const struct known *known = inventory_known(reading->inventory, layer->sysname);

                if (layer->carried && layer->kind == KIND_PARTITION && !LIST_EMPTY(&known->below))
                        layer->parent = topology_find(
                                        reading->topology, LIST_FIRST(&known->below)->lower->layer->sysname);
        }
}

static int read_devices(struct reading *reading) {
        int r;

        r = read_found(reading);
        if (r < 0)
                return r;
        r = note_gone(reading);
        if (r < 0)
                return r;
        r = discover_properties(reading->root, reading->topology);
        if (r < 0)
                return r;
        r = add_beneath(reading);
        if (r < 0)
                return r;
        adopt_carried(reading);
        return block_link_slaves(reading->root, reading->topology, &reading->devices);
}

/* The kernel goes through all block devices for what else proc/meminfo says than how much memory there is. */
static int read_host(const struct reading *reading) {
        unsigned n_failures;
        int r;

        reading->topology->memory_bytes = reading->inventory->memory_bytes;
        reading->topology->page_bytes = reading->inventory->page_bytes;
        r = mount_table_select(reading->inventory->mounts, reading->topology);
        if (r < 0)
                return r;
        n_failures = sysroot_failures(reading->root)->n;
        r = host_read_swaps(reading->root, reading->topology);
        reading->topology->host_incomplete |= reading->inventory->host_incomplete ||
                                              reading->inventory->mounts_are_old ||
                                              sysroot_failures(reading->root)->n > n_failures;
        return r;
}

static int read_news(struct search *s, struct topology *topology) {
        _cleanup_(fdbatch_flush) struct fdbatch batch = {};
        _cleanup_(arena_freep) struct arena *scratch = arena_new();
        struct reading reading = {
                        .search = s,
                        .root = s->root,
                        .inventory = s->inventory,
                        .directory = s->directory,
                        .topology = topology,
                        .devices = {.arena = scratch, .batch = &batch},
        };
        int r;

        if (!scratch)
                return -ENOMEM;
        r = read_devices(&reading);
        if (r < 0)
                return r;
        r = read_host(&reading);
        return r < 0 ? r : discover_finish(s->root, topology, &s->inventory->ledger);
}

/* Once, or again with what the first time has shown to be missing. */
static int read_until_complete(struct search *s, struct topology **ret) {
        for (;;) {
                _cleanup_(topology_freep) struct topology *topology = topology_new();
                const size_t n = s->n;
                int r;

                if (!topology)
                        return -ENOMEM;
                r = read_news(s, topology);
                if (r < 0)
                        return r;
                if (s->n == n) {
                        *ret = TAKE_PTR(topology);
                        return 0;
                }
                r = follow(s);
                if (r < 0)
                        return r;
        }
}

int discover_news(
                const struct sysroot *root, struct inventory *inventory, char *const *touched, struct topology **ret) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        _cleanup_(search_done) struct search s = {.root = root, .inventory = inventory, .arena = arena_new()};
        int r;

        if (!s.arena)
                return -ENOMEM;
        sysroot_forget_failures(root);
        s.directory = discover_directory(root);
        ledger_view_begin(&inventory->ledger, root);
        r = find_all(&s, touched);
        if (r >= 0)
                r = read_until_complete(&s, &topology);
        return discover_result(root, r, &topology, ret);
}
