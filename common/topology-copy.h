/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What was read of a device, copied: into another topology, or to be kept. Nothing in a copy leads to where it is from,
 * which may be freed.
 */

#include "topology.h"

/*
 * Copies LAYER's names and what was read of the device, and none of what follows from other devices, mounts or the ledger:
 * it has no parent, neighbours, uses or label. Returns 0 or -ENOMEM.
 */
int layer_copy(struct arena *arena, const struct layer *layer, struct layer *ret);

/* Adds such a copy, as carried over, to a topology that is not finished and has no such layer. Returns 0 or -ENOMEM. */
int topology_carry_layer(struct topology *topology, const struct layer *layer, struct layer **ret);

/* A NULL-terminated array of strings. NULL stays NULL; so becomes an empty one. Returns 0 or -ENOMEM. */
int topology_copy_names(struct arena *arena, char *const *names, char ***ret);
