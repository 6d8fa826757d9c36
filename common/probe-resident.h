/* SPDX-License-Identifier: MIT */
#pragma once

/* What the kernel tells of its page cache. Private to the probe. */

#include <stdint.h>

/*
 * probe_ops.cached: by cachestat(), where there is one (6.5), else by mincore(), which leaves out what is still being
 * read. Either tells the truth only to who owns the file or may write to it; others get -EPERM.
 */
int probe_resident_bytes(void *userdata, int fd, uint64_t offset_bytes, uint64_t bytes, uint64_t *ret_bytes);

/* The second way alone. */
int probe_resident_by_mincore(int fd, uint64_t offset_bytes, uint64_t bytes, uint64_t *ret_bytes);
