/* SPDX-License-Identifier: MIT */
#pragma once

/* Where on a device the runs of a probe read. Pure; private to the probe. */

#include <stdbool.h>
#include <stdint.h>

struct probe_layout {
        uint64_t run_bytes;   /* of every run, or of each reader in one */
        uint64_t least_bytes; /* where there is no place for all of that, so much is worth it */
        uint64_t slot_bytes;  /* from one range to the next */
        unsigned n_zones;     /* parts of the device: one for each round, fewer on a small device */
        unsigned n_slots;     /* ranges in a zone: one for each series, or one for all */
        uint64_t part_bytes;  /* from one part of the device to the next; all of the above is in one */
        uint64_t room_bytes;  /* of a part, for reading */
        unsigned n_parts;     /* as many as there are readers at once */
};

struct probe_extent {
        uint64_t size_bytes;    /* of the smallest device */
        uint64_t bytes_per_run; /* at most */
        uint64_t block_bytes;
        uint64_t window_bytes; /* the largest readahead of any series, in whole blocks */
        unsigned n_parts;      /* the most readers that any run has; 0 and 1: one */
        bool cold;             /* each run from the beginning, as many bytes as there may be */
};

/*
 * Each of the parts is laid out alike. Lays out ROUNDS rounds of SERIES runs each. Ranges start at multiples of the
 * window and stay so far apart that what one run has read ahead beyond its end is not in the range of another. False if
 * the device is too small, or the bytes are too few, for a run that shows anything.
 */
bool probe_layout_compute(
                const struct probe_extent *extent, unsigned rounds, unsigned series, struct probe_layout *ret);

/* Where SERIES (counted among those present) reads in ROUND, in a part. A zone's ranges change hands with each round. */
uint64_t probe_layout_offset(const struct probe_layout *layout, unsigned round, unsigned series);

/* Where the part begins of which READER of N reads in ROUND: parts far from each other, and all of them in turn. */
uint64_t probe_layout_part(const struct probe_layout *layout, unsigned round, unsigned reader, unsigned n);
