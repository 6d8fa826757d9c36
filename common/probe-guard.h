/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whether a layer may be probed: never one that is suspended, degraded, resyncing, without paths, or asleep. Whether
 * others use it shows only when it is looked at for a while: probe-busy.h.
 */

#include "arena.h"
#include "topology.h"

/*
 * Why LAYER must not be read now, from the topology alone: "md0 is degraded (1 of 2 members missing)"; NULL if nothing
 * in it forbids that. Looks at everything beneath. ARENA's; NULL also without memory. Only after topology_finish().
 * Pure.
 */
const char *probe_guard_reason(const struct layer *layer, struct arena *arena);

/*
 * The same, but only what keeps LAYER from being read at all: it would fail or hang for ever. What is degraded or asleep
 * can be read, and whoever asks for that figure may have it.
 */
const char *probe_guard_obstacle(const struct layer *layer, struct arena *arena);
