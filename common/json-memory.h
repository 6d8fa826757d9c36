/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whether jansson was short of memory. It says so of a whole value, but leaves bytes out of a text that it reads or writes
 * without a word; so its allocations are watched.
 */

#include <stdbool.h>

/* From here on, in this thread. */
void json_memory_watch(void);
bool json_memory_was_short(void);
