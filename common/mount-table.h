/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The mounts of a machine, kept from scan to scan and looked up by device, source and place: a container host has as many
 * as it has devices, and an event concerns few.
 */

#include "topology.h"

struct mount_table;

/* Copies of MOUNTS, in their order. NULL when memory is short. */
struct mount_table *mount_table_new(const struct mount *mounts, size_t n_mounts);
void mount_table_free(struct mount_table *table);
DEFINE_CLEANUP(struct mount_table *, mount_table_free);

/* The mount that a file lies in: of those above it the deepest, and of mounts at one place the last. NULL: none. */
const struct mount *mount_table_find_file(const struct mount_table *table, const char *path);

/*
 * Adds to TOPOLOGY, in their order, the mounts of its layers, by number or by source, and those that its loop devices'
 * files lie in. Not finished yet, it has all its layers. Returns 0 or -ENOMEM.
 */
int mount_table_select(const struct mount_table *table, struct topology *topology);

/* Returns 0, or the first result of HANDLER that is not 0. */
typedef int (*mount_handler)(const struct mount *mount, void *userdata);

/* Calls HANDLER for each mount that only one of the two has. BEFORE may be NULL. */
int mount_table_compare(
                const struct mount_table *before, const struct mount_table *now, mount_handler handler, void *userdata);
