/* SPDX-License-Identifier: MIT */
#pragma once

/* Which optimal I/O sizes are nonsense, and which readahead kernels have made of them. Pure. */

#include <stdbool.h>
#include <stdint.h>

#include "geometry.h"
#include "topology.h"

/*
 * Whether the layer's io_opt can't be true: no multiple of the physical block or of io_min; 65535 or 32767, or such a
 * count of blocks (whole or cut to 4 KiB); 16 MiB or more. Not so where it is a stripe width of the layer or of anything
 * beneath, or a least common multiple of such: geometry->stripes must be set. False where io_opt is 0 or unknown.
 */
bool io_opt_implausible(const struct layer *layer, const struct geometry *geometry);

#define READAHEADS_DERIVED 2

/*
 * The readaheads, in sectors and whole pages, that kernels derive from an io_opt: 2 × io_opt in 64 bits (Linux 7.2), and
 * cut off at 32 bits (5.10 to 6.12, measured).
 */
void readahead_derive(uint64_t io_opt_bytes, uint64_t page_bytes, uint64_t ret_sectors[static READAHEADS_DERIVED]);

/*
 * Whether SECTORS, as the readahead of a layer, are above the floor and what kernels derive from an implausible io_opt at
 * or beneath it: geometry->bogus_sectors, of that layer, must be set.
 */
bool readahead_implausible(const struct geometry *geometry, int64_t sectors);
