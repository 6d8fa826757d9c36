/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The options that the commands which measure have in common. TEXT is what was given; where it is NULL the value is left
 * as it is. Each returns 0, or -EINVAL after saying on stderr what is wrong.
 */

#include <stdint.h>

/* --time: 100 ms to an hour. */
int measure_parse_time(const char *text, uint64_t *msec);

/* --bytes: LEAST_BYTES, a multiple of 1 MiB, or more. */
int measure_parse_bytes(const char *text, uint64_t least_bytes, uint64_t *bytes);
