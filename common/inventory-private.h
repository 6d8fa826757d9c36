/* SPDX-License-Identifier: MIT */
#pragma once

/* How an inventory is made; for inventory.c and discover-news.c. */

#include <sys/queue.h>

#include "inventory.h"
#include "ledger-view.h"

struct edge {
        struct known *upper, *lower;
        LIST_ENTRY(edge) in_below, in_above; /* of upper, of lower */
};

/* One device. */
struct known {
        struct layer *layer;
        struct arena *own; /* of the layer; NULL: the inventory's */
        bool used;         /* mounted, or swap */
        LIST_HEAD(, edge) below, above;
        LIST_ENTRY(known) in_incomplete, in_loops;
        bool incomplete; /* in a cycle, which has lost edges, or a map whose table could not be read: read every time */
        bool loop;
        unsigned round; /* of the last walk that came by */
};

struct inventory {
        struct arena *arena;      /* of the layers that it was made of */
        void *by_name, *by_devno; /* trees of tsearch(3) */
        size_t n;
        LIST_HEAD(, known) incomplete, loops;
        struct opt_int memory_bytes;
        uint64_t page_bytes;
        struct mount_table *mounts;
        struct ledger_view ledger;
        bool mounts_are_old;
        bool host_incomplete;   /* memory or mounts could not be read */
        struct known **turning; /* whose neighbours above change in this update; an entry may be NULL */
        size_t n_turning, n_turning_allocated;
        char **turned;  /* names are the layers' */
        unsigned round; /* of walks */
};

/* NULL if there is none. The name may have '/' in the place of '!'. */
struct known *inventory_known(const struct inventory *inventory, const char *sysname);
struct known *inventory_known_devno(const struct inventory *inventory, unsigned major, unsigned minor);

/* By what a mount table has as a source, as topology_find_path(); goes through all devices where it is no kernel name. */
struct known *inventory_known_path(const struct inventory *inventory, const char *path);

/* The device of a file system; those with an anonymous number (btrfs) are known by their source only. */
struct known *inventory_known_mount(const struct inventory *inventory, const struct mount *mount);
