/* SPDX-License-Identifier: MIT */
#pragma once

/* md/ of an array. */

#include "sysdir.h"
#include "topology.h"

/* Fills in layer->md and layer->kind from md/ in that of the device. Returns 0 or -ENOMEM. */
int md_read(struct sysdir *device, struct topology *topology, struct layer *layer);
