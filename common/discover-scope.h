/* SPDX-License-Identifier: MIT */
#pragma once

/* What of a machine has to be read after some of its devices have changed, and what can be carried over. */

#include "sysroot.h"
#include "topology.h"

struct scope {
        const struct topology *previous;
        bool *anew; /* by index of PREVIOUS's layers: to be read anew */
};

/*
 * NAMES are the devices that there are now, as entries of DIRECTORY below the root. To be read anew are, of PREVIOUS's
 * layers, those in TOUCHED (NULL-terminated sysnames; NULL: none), those that are gone, in a cycle, or are maps whose
 * table could not be read; a partition's disk with it; and all that lies over one of these, in PREVIOUS or by its
 * holders/ as they are now. A device that PREVIOUS has not has to be read too, with what holds it, and its disk.
 * Returns 0 or -ENOMEM.
 */
int scope_find(const struct sysroot *root, const struct topology *previous, char *const *touched, const char *directory,
                char *const *names, struct scope *ret);
void scope_done(struct scope *scope);

/* The layer that NAME's is to be a copy of; NULL if the device is to be read. An empty scope carries nothing over. */
const struct layer *scope_carried(const struct scope *scope, const char *name);
