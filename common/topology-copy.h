/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What was read for one topology taken over into another. Copies are the new topology's own: nothing in it leads into
 * the one that they are of, which may be freed.
 */

#include "topology.h"

/*
 * Adds a copy of LAYER, one of a finished topology, to one that is not finished: with what was read of the device, and
 * none of what follows from other devices, mounts or the ledger. Its parent is missing too until
 * topology_copy_parents(). Returns 0 or -ENOMEM.
 */
int topology_copy_layer(struct topology *topology, const struct layer *layer, struct layer **ret);

/* Gives partitions that are copies of PREVIOUS's the disk that they had there, by its name. Once disks are all added. */
void topology_copy_parents(struct topology *topology, const struct topology *previous);

/* Adds PREVIOUS's notes about layers that TOPOLOGY has copies of. Returns 0 or -ENOMEM. */
int topology_copy_notes(struct topology *topology, const struct topology *previous);

/* A NULL-terminated array of strings. NULL stays NULL; so becomes an empty one. Returns 0 or -ENOMEM. */
int topology_copy_names(struct arena *arena, char *const *names, char ***ret);
