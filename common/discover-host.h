/* SPDX-License-Identifier: MIT */
#pragma once

/* What the machine as a whole says: mounts, swaps, memory, page size. */

#include "sysroot.h"
#include "topology.h"

#define HOST_MOUNTINFO "proc/self/mountinfo"
#define HOST_SWAPS     "proc/swaps"

/* What is missing is noted. Each returns 0 or -ENOMEM. The first reads page size and memory. */
int host_read_memory(const struct sysroot *root, struct topology *topology);
int host_read_mounts(const struct sysroot *root, struct topology *topology);
int host_read_swaps(const struct sysroot *root, struct topology *topology);

/* For a capture, if there is to be one: the mounts and swaps of TOPOLOGY, which is finished. */
void host_record(const struct sysroot *root, const struct topology *topology);
