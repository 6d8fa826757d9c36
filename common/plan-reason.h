/* SPDX-License-Identifier: MIT */
#pragma once

/* Words for a decision; used by plan.c, and by the command line to explain. All strings are ARENA's or constant; NULL without memory. Pure. */

#include "plan.h"

/* "2 × stripe width 768 KiB of md0, raid5 4 × 256 KiB", with the cap if there is one. */
const char *plan_reason_target(const struct geometry *geometry, const struct layer *layer,
                const struct rule_action *action, const struct target *target, struct arena *arena);

/* Whether the array of a target has now what is asked for by it; else the same plan gives it that. */
bool plan_reason_has(const struct target *target);

/* The array at or beneath LAYER that is being reshaped; NULL if none is, or it lies deeper than is worth a search. */
const struct layer *plan_find_reshaping(const struct geometry *geometry, const struct layer *layer);

/* "md0 is being reshaped (raid5, 5 disks)" */
const char *plan_reason_reshaping(const struct geometry *geometry, const struct layer *layer, struct arena *arena);

/* Why a layer with an opaque map (struct geometry) at or beneath it has no target. */
const char *plan_reason_opaque(const struct geometry *geometry, const struct layer *layer, struct arena *arena);
