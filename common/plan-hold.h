/* SPDX-License-Identifier: MIT */
#pragma once

/* What changes wait for; used by plan.c only, as far as it is not in plan.h. Pure. */

#include "plan.h"

/* By layer->index: codes of what is found at the layer or beneath it, as bits. ARENA's; NULL without memory. */
const uint64_t *plan_collect_states(
                const struct topology *topology, const struct findings *findings, struct arena *arena);
