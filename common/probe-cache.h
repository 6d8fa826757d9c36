/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a probe does to the page cache: it looks before it reads, and takes out afterwards what it has brought in, but
 * never what was there before. Private to the probe. May be called by threads, each with a descriptor of its own.
 */

#include "probe.h"

/* Parts of a range that are kept; what is cached in more of them makes the range unfit for a probe. */
#define PROBE_HELD_MAX 64

/* So long what is still being read ahead is waited for: until then it can't be taken out. */
#define PROBE_DROP_MSEC 200U

/* What others have in the cache of a range. */
struct probe_held {
        uint64_t bytes; /* of all extents */
        unsigned n;
        struct probe_held_extent {
                uint64_t offset_bytes, bytes;
        } extents[PROBE_HELD_MAX]; /* in order, apart from each other */
};

/*
 * What of a range is cached, found by halving. 0, or a negative errno: -E2BIG if it is in more parts than can be kept;
 * then *ret is not set.
 */
int probe_cache_look(
                const struct probe_ops *ops, int fd, uint64_t offset_bytes, uint64_t bytes, struct probe_held *ret);

/*
 * Takes a range out of the cache but for what HELD says was there before (NULL: nothing). Waits for pages that are
 * still being read, as they are locked: until UNTIL_USEC at most, and PROBE_DROP_MSEC. So what one run has read ahead is
 * not in the next one's time either.
 */
int probe_cache_drop(const struct probe_ops *ops, int fd, uint64_t offset_bytes, uint64_t bytes,
                const struct probe_held *held, uint64_t until_usec);
