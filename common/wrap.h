/* SPDX-License-Identifier: MIT */
#pragma once

/* Where numbers without a sign are meant to wrap around, which fuzzers take for a mistake anywhere else. */

#include <stdint.h>

#ifdef __clang__
#define _wraps_ __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
#define _wraps_
#endif

/* FNV-1a, 64 bits: what a hash begins with, and what it is with one byte more. */
#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)

_wraps_ static inline uint64_t fnv_add(uint64_t hash, unsigned char byte) {
        return (hash ^ byte) * UINT64_C(0x100000001b3);
}
