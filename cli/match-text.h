/* SPDX-License-Identifier: MIT */
#pragma once

#include "common/arena.h"
#include "common/topology.h"

/*
 * "name: vg0/data": a match key of a policy's rule that names the layer; by its number where the name has bytes that are
 * hard to type. ARENA's; NULL without memory.
 */
const char *match_text(const struct layer *layer, struct arena *arena);
