/* SPDX-License-Identifier: MIT */
#pragma once

/* The time since boot, for deadlines and durations. Never read by what is pure. */

#include <stdint.h>
#include <time.h>

static inline uint64_t monotonic_usec(void) {
        struct timespec now = {};

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static inline uint64_t monotonic_msec(void) {
        return monotonic_usec() / 1000;
}
