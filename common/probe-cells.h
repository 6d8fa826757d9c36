/* SPDX-License-Identifier: MIT */
#pragma once

/* Where random reads go. Pure; private to the probe. */

#include <stdbool.h>
#include <stdint.h>

/*
 * Of one run. After a hundred misses on one descriptor the kernel no longer reads around them (MMAP_LOTSAMISS), so that
 * a run must stay well below that; with less than the least, one odd read makes the figure.
 */
#define PROBE_READS_MAX   64U
#define PROBE_READS_LEAST 4U

/* The device in as many equal parts as a run has reads, one read in each, and each of them in cells. */
struct probe_cells {
        unsigned n_reads;      /* of every run: as many parts */
        uint64_t part_bytes;   /* from one part to the next */
        uint64_t n_cells;      /* in a part */
        uint64_t cell_bytes;   /* a place and all that is read around it are in one of them */
        uint64_t around_bytes; /* so far a place stays from either end of its cell */
};

struct probe_field {
        uint64_t size_bytes;     /* of the smallest device */
        uint64_t bytes_per_run;  /* at most */
        uint64_t bytes_per_read; /* that count: what is read around a place as well */
        uint64_t window_bytes;   /* the largest readahead of any series */
};

/* False if the device is too small, or the bytes are too few, for a run that shows anything. */
bool probe_cells_compute(const struct probe_field *field, struct probe_cells *ret);

/*
 * Where the run of a number reads in a PART: whenever it is asked the same, and in another cell than all other runs of
 * a measurement as long as there are enough. TURN 0 comes first; others, in the cells of any run, are for where that
 * place is of no use.
 */
uint64_t probe_cells_offset(const struct probe_cells *cells, unsigned run, unsigned turn, unsigned part);

/*
 * The parts of the device in the order in which the run reads them: one of its own, so that a device does not see where
 * the next read goes.
 */
void probe_cells_order(const struct probe_cells *cells, unsigned run, unsigned ret_parts[static PROBE_READS_MAX]);

/* What a read at OFFSET_BYTES with this readahead may bring into the cache; whole pages. */
void probe_cells_around(uint64_t offset_bytes, uint64_t window_bytes, uint64_t *ret_offset_bytes, uint64_t *ret_bytes);
