/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Sectors, KiB and bytes, one from the other. What is read of a machine may be any number: a product that is too large to
 * be one is no number at all, and neither is what is less than nothing.
 */

#include <stdbool.h>
#include <stdint.h>

#include "opt.h"

#define SECTOR_BYTES 512

static inline bool sectors_to_bytes(uint64_t sectors, uint64_t *ret_bytes) {
        return !__builtin_mul_overflow(sectors, (uint64_t)SECTOR_BYTES, ret_bytes);
}

/* For bounds: what is too large for a number is as good as none. */
static inline uint64_t sectors_to_bytes_at_most(uint64_t sectors) {
        uint64_t bytes;

        return sectors_to_bytes(sectors, &bytes) ? bytes : UINT64_MAX;
}

/* Of KiB, in units of which one has so many. */
static inline struct opt_int opt_from_kib(struct opt_int kib, int64_t units) {
        int64_t value;

        if (!kib.known || kib.value < 0 || __builtin_mul_overflow(kib.value, units, &value))
                return opt_none();
        return opt_some(value);
}

static inline struct opt_int sectors_from_kib(struct opt_int kib) {
        return opt_from_kib(kib, 1024 / SECTOR_BYTES);
}

static inline struct opt_int bytes_from_kib(struct opt_int kib) {
        return opt_from_kib(kib, 1024);
}
