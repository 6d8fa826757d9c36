/* SPDX-License-Identifier: MIT */
#pragma once

/* Shared by the files topology*.c, but for the last few: the steps of topology_finish(). Each returns 0 or -ENOMEM. */

#include "topology.h"

/* Turns references (dm legs, md members, partitions, loop files) into edges. */
int topology_resolve(struct topology *topology);

/* Which layer a file lies on, by the mount table: its file system's device. NULL if it is on none of the layers. */
struct layer *topology_find_file(const struct topology *topology, const char *path);

/* Whether it is DIRECTORY, or in it; which has no slash at its end, but for the root. */
bool path_lies_below(const char *path, const char *directory);

/* Marks layers in cycles, takes edges that close one out, sets depths, and sorts layers bottom up. */
int topology_order(struct topology *topology);

/* Labels, uses, tops. */
int topology_label(struct topology *topology);
int topology_find_uses(struct topology *topology);

/* Grows *items by doubling so that one more fits; the old array stays behind in the arena. */
int topology_grow(struct arena *arena, void **items, size_t n_items, size_t *allocated, size_t item_size);
