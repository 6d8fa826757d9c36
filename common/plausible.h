/* SPDX-License-Identifier: MIT */
#pragma once

/* Which optimal I/O sizes are nonsense, and which readahead kernels make of a layer's limits. Pure. */

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
 * What kernels derive from the layer's limits (blk_apply_bdi_limits()), in sectors and whole pages, before they make at
 * least READAHEAD_FLOOR_SECTORS of it. First, as Linux from 6.17 on: 2 × io_opt in 64 bits; where that is 0 and the layer
 * rotates, 2 × its largest request instead. Second, as up to 6.16: 2 × io_opt cut off at 32 bits. 0 where it is unknown.
 */
void readahead_derive(const struct layer *layer, uint64_t page_bytes, uint64_t ret_sectors[static READAHEADS_DERIVED]);

/*
 * Whether SECTORS are what some kernel would give the layer by itself. Which kernel runs does not matter: a capture does
 * not say, a distribution's may have what a newer one has, and that somebody chose just this number is an accident.
 */
bool readahead_is_derived(const struct layer *layer, uint64_t page_bytes, uint64_t sectors);

/* The same, and it comes of the largest request, as there is no io_opt. */
bool readahead_is_of_request(const struct layer *layer, uint64_t page_bytes, uint64_t sectors);

/*
 * Whether SECTORS, as the readahead of a layer, are above the floor and what kernels derive from an implausible io_opt at
 * or beneath it: geometry->bogus_sectors, of that layer, must be set.
 */
bool readahead_implausible(const struct geometry *geometry, int64_t sectors);
