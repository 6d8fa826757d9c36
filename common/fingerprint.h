/* SPDX-License-Identifier: MIT */
#pragma once

/* Whether a stack is still the one that it was. */

#include <stdint.h>

#include "topology.h"

/*
 * A number for what the layer is and for everything beneath that can change what its readahead should be: kinds, sizes,
 * segments and legs of maps, level, chunk, layout and number of members of arrays, starts of partitions, files of loops.
 * It does not depend on readahead and queue limits, names of maps, states, or the order in which devices were found.
 * Members of an array (md's, or a map of target raid or mirror) and paths of a multipath map fail and are replaced without
 * that changing anything: they count only where an array lies beneath, and equal ones once. The same in every process.
 *
 * Pure. 0 only without memory. The topology is finished.
 */
uint64_t stack_fingerprint(const struct layer *layer);
