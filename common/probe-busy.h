/* SPDX-License-Identifier: MIT */
#pragma once

/* Whether others use a device so much that figures of a probe would be theirs as much as its own. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe-compare.h"

/* So long a device is watched before it is read. */
#define PROBE_LOOK_MSEC 200U

/* Reads and writes in that time that are not worth a word: the odd flush of a journal. */
#define PROBE_OTHERS_MAX 4U

/* Others may read so much while a probe runs, as a part of what it reads itself: a quarter. */
#define PROBE_OTHERS_SHARE 4U

/* Of a device's "stat" in sysfs; counted since the device is there. */
struct io_counters {
        uint64_t reads, writes; /* completed */
        uint64_t sectors_read;
        uint64_t in_flight; /* now */
};

/* Returns 0, or -EINVAL for what is no such text. */
int io_counters_parse(const char *text, struct io_counters *ret);

/* What the counters of device NAME say, PROBE_LOOK_MSEC apart: why it must not be read now; false if nothing. */
bool probe_busy_reason(const char *name, const struct io_counters *first, const struct io_counters *then, char *reason,
                size_t size);

/*
 * Whether more has been read from a device between two looks at it than a probe has read there, and AHEAD_BYTES, which
 * the kernel may have read ahead beyond the ends of its runs.
 */
bool probe_was_disturbed(const struct io_counters *first, const struct io_counters *then, uint64_t own_bytes,
                uint64_t ahead_bytes);
