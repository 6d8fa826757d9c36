/* SPDX-License-Identifier: MIT */
#pragma once

/* Why a layer no longer has the readahead that setrad gave it. Pure. */

#include "topology.h"

enum drift {
        DRIFT_NONE,     /* setrad has not changed the layer, or it still has what it was given */
        DRIFT_RESET,    /* the kernel or LVM worked it out anew, which loses what was set: set it again */
        DRIFT_OTHER,    /* somebody set it */
        DRIFT_REVERTED, /* the administrator, or keep-if, had setrad take it back */
};

/* "none", "reset", "other", "reverted" */
const char *drift_name(enum drift drift);

/*
 * By what the ledger says of the layer (layer->set). It was reset if its value is one that kernels derive from its limits
 * (readahead_is_derived()), or the stack from it down is not as it was, or a change event of the map came since
 * (layer->reloaded: LVM resumes a map so, BLKRASET by hand sends none). Only after topology_finish().
 */
enum drift drift_judge(const struct topology *topology, const struct layer *layer);
