/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Stripe geometry of every layer, worked out from md's attributes and dm's tables, never from io_opt: that one goes
 * stale, and some devices make it up. Beside it, what io_opt and readahead are worth in its light. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology.h"

/* More than any machine has of different widths: what keeps a made-up capture from taking all memory. */
#define GEOMETRY_NUMBERS_MAX 1024U

struct geometry {
        bool known;     /* false: no stripe, or (next two) none that can be told now; those below are then 0 */
        bool reshaping; /* an array at or beneath this layer is being reshaped */
        const struct layer *inactive; /* an array beneath this layer that is inactive; NULL if none is */
        const struct layer *pathless; /* a multipath map at or beneath this layer that has no path left; NULL if none */
        /* A map at or beneath this layer that reads from several devices nobody knows how; NULL if none, or known. */
        const struct layer *opaque;
        uint64_t chunk_bytes;      /* of one member; 0 where those of a nested stripe differ */
        unsigned data_disks;       /* members that hold data in one stripe, those of nested stripes added up */
        uint64_t stripe_bytes;     /* stripe width: what a read must span to keep every data disk busy */
        uint64_t own_stripe_bytes; /* chunk × data disks of this very layer; 0 if it does not stripe itself */
        uint64_t own_chunk_bytes;  /* of that stripe */
        const struct layer **from; /* the layers it comes from */
        size_t n_from;

        /*
         * The nearest arrays beneath (md, dm-striped, dm-raid), not this layer itself; beneath one of a map, the nearest
         * md arrays as well.
         */
        const struct layer *const *arrays;
        size_t n_arrays;

        /* Distinct stripe widths at and beneath this layer, in bytes, sorted; at most GEOMETRY_NUMBERS_MAX. */
        const uint64_t *stripes;
        size_t n_stripes;

        bool io_opt_implausible;    /* see plausible.h */
        bool readahead_implausible; /* see plausible.h */
        /* Readaheads that kernels derive from the implausible io_opts at and beneath this layer; likewise. */
        const uint64_t *bogus_sectors;
        size_t n_bogus;
};

/*
 * Sets *ret to an array with one element for each layer of the (finished) topology, by layer->index; all of it lives in
 * ARENA. Returns 0 or -ENOMEM.
 *
 * Rules (Linux drivers/md): raid0 n; raid4 and raid5 n-1; raid6 n-2; raid10 near n/copies (n where that is not whole),
 * far and offset n; raid1 and linear none of their own. A layer without a stripe of its own has that of what it reads
 * its data from, the widest if there are several; a stripe over stripes has the sum over its legs.
 */
int geometry_compute(const struct topology *topology, struct arena *arena, struct geometry **ret);

/* Data disks of an md array or dm-raid map; 0 if the level does not stripe or the numbers make no sense. */
unsigned geometry_data_disks(enum layer_kind kind, int64_t raid_disks, int64_t layout);

/* Whether the layer is an array: md of any level that is running, dm-striped, or dm-raid. */
bool geometry_is_array(const struct layer *layer);

/* Whether a width is one of the stripe widths at or beneath the layer, or a least common multiple of such. */
bool geometry_explains(const struct geometry *geometry, uint64_t bytes);

/*
 * The least common multiple of both, if WIDTH_BYTES divides BYTES as MULTIPLE_BYTES does; else the latter. From 1 on, over
 * some widths, it comes to BYTES if and only if BYTES is the least common multiple of any of them. Never overflows.
 */
uint64_t geometry_add_multiple(uint64_t multiple_bytes, uint64_t width_bytes, uint64_t bytes);

/*
 * The layers that LAYER reads its data from, without journals, spares, metadata, logs and caches: *ret_n of them in
 * ARENA. Returns 0 or -ENOMEM.
 */
int geometry_data_sources(const struct layer *layer, struct arena *arena, const struct layer ***ret, size_t *ret_n);
