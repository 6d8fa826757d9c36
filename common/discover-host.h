/* SPDX-License-Identifier: MIT */
#pragma once

/* What the machine as a whole says: mounts, swaps, memory, page size. */

#include "sysroot.h"
#include "topology.h"

/* What is missing is noted. Returns 0 or -ENOMEM. */
int host_read(const struct sysroot *root, struct topology *topology);
