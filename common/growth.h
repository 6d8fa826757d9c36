/* SPDX-License-Identifier: MIT */
#pragma once

/* Arrays that have room for a power of two, so that it follows from how many elements they have. */

#include <stdbool.h>
#include <stddef.h>

/* Whether there is no room for one more than N. */
static inline bool growth_is_due(size_t n) {
        return n == 0 || (n & (n - 1)) == 0;
}

/* How many there is room for, then. N elements are in memory, so that twice as many are a number still. */
static inline size_t growth_room(size_t n) {
        return n > 0 ? n * 2 : 1;
}
