/* SPDX-License-Identifier: MIT */
#pragma once

#include "common/arena.h"
#include "common/topology.h"

/*
 * "name: vg0/data": a match key of a policy's rule that names the layer, and no other of its TOPOLOGY; by its number where
 * another has the same name, or that has bytes that are hard to type. ARENA's; NULL without memory.
 */
const char *match_text(const struct layer *layer, const struct topology *topology, struct arena *arena);

/*
 * What the name of a rule for the layer calls it: its label, as a kernel name is another device's after the next boot; the
 * kernel name where the label is not the layer's alone, or would need quotes.
 */
const char *match_rule_name(const struct layer *layer, const struct topology *topology);
