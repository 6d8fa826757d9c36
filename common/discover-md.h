/* SPDX-License-Identifier: MIT */
#pragma once

/* md/ of an array. */

#include "sysroot.h"
#include "topology.h"

/* Fills in layer->md and layer->kind from PATH/md. Returns 0 or -ENOMEM. */
int md_read(const struct sysroot *root, struct topology *topology, const char *path, struct layer *layer);
