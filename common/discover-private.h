/* SPDX-License-Identifier: MIT */
#pragma once

/* Steps of discovery; for discover.c and discover-news.c. Each returns 0 or -ENOMEM. */

#include "discover-block.h"
#include "ledger-view.h"
#include "sysroot.h"
#include "topology.h"

/* Where the root has its devices. */
const char *discover_directory(const struct sysroot *root);

/* What udev and device-mapper know of the devices, but for those that are carried over. */
int discover_properties(const struct sysroot *root, struct topology *topology);

/*
 * Finishes the topology, and adds what can be read only then: power, and the ledger with the readaheads. VIEW was
 * begun before the first of them was read.
 */
int discover_finish(const struct sysroot *root, struct topology *topology, struct ledger_view *view);

/*
 * How a look ends that began with sysroot_forget_failures(), and came to R: without descriptors or memory what is there looks
 * as if it were missing, so then nothing is told of the machine. *RET is set where 0 is returned.
 */
int discover_result(const struct sysroot *root, int r, struct topology **topology, struct topology **ret);
