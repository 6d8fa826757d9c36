/* SPDX-License-Identifier: MIT */
#pragma once

/* Between the probe and its kinds of run. */

#include "probe-cache.h"
#include "probe-cells.h"
#include "probe.h"

/* After the end of a run: the window that is being read ahead, and the one after it. */
#define PROBE_WINDOWS_AHEAD 2

/*
 * A run with fewer windows in all is measured from its start: else most of what is measured would have been read ahead
 * before, and a device would seem faster than it is.
 */
#define PROBE_WINDOWS_LEAST 4

/* What the runs of a measurement share. */
struct probing {
        const struct probe_setup *setup;
        uint64_t deadline_usec; /* of reading */
        uint64_t end_usec;      /* of all: until then pages that are still being read may be waited for */
        unsigned block_bytes;   /* of BUFFER, and of a sequential read */
        void *buffer;
        uint64_t bytes_read;      /* by all runs so far */
        uint64_t bytes_around;    /* of them, what was not asked for: around the places of random reads */
        struct probe_cells cells; /* of random reads */
};

/* One run, or one reader of it: what it is to read. */
struct probe_run {
        int fd;
        enum probe_workload workload;
        uint64_t offset_bytes, bytes; /* the place */
        uint64_t window_bytes;        /* readahead in whole blocks */
        uint64_t room_bytes;          /* from OFFSET_BYTES on: the place, and what may be read ahead beyond it */
        struct probe_held held;       /* what others have in the page cache of that */
        uint64_t readahead_bytes;
        unsigned number;                  /* in the measurement: no other run has it */
        uint64_t places[PROBE_READS_MAX]; /* of random reads, in the order in which they are made */
        unsigned n_places;
        uint64_t soft_usec; /* it should be over by then; it must be by the deadline */
};

static inline uint64_t probing_now(const struct probing *probing) {
        return probing->setup->ops->now_usec(probing->setup->ops->userdata);
}

static inline bool probing_is_over(const struct probing *probing) {
        return probing_now(probing) >= probing->deadline_usec;
}

/* A sequential reader: how far it is. */
struct probe_reading {
        const struct probing *probing;
        const struct probe_run *run;
        void *buffer;
        uint64_t position_bytes, end_bytes;
};

/* One block more, or what is left before the end. May be called by threads. */
int probe_read_next(struct probe_reading *reading);

/* Windows that are read before the clock is started, in bytes; 0: none. */
uint64_t probe_ramp_bytes(const struct probe_run *run);

/* What is counted comes in whole ones of these: pairs of windows, or blocks where there is no room for that. */
uint64_t probe_unit_bytes(const struct probe_reading *reading);

/* Counts what has been read, and takes it out of the page cache, with what has been read ahead. */
int probe_reading_done(struct probing *probing, const struct probe_reading *reading);

/* The steady rate, or that from the first byte on. *ret_mbps is 0 if there was no time for anything. */
int probe_run_sequential(struct probing *probing, const struct probe_run *run, double *ret_mbps);

/* The same of N > 1 readers at once, in threads: of all together. */
int probe_run_streams(struct probing *probing, const struct probe_run *runs, unsigned n, double *ret_mbps);

struct probe_tally;

/*
 * Finds the cells for the sources that are read at random, if there are any. False, with the reason, if the device is
 * too small for them or the bytes are too few.
 */
bool probe_random_prepare(
                const struct probe_setup *setup, struct probe_cells *ret, char skipped[static PROBE_SKIPPED_MAX]);

/* What one random read counts in limits: a window, through a mapping. */
uint64_t probe_random_bytes(enum probe_workload workload, uint64_t readahead_bytes);

/*
 * Sets the places of RUN, none of them with anything cached around. 1 if there are PROBE_READS_LEAST at least, 0 if not,
 * and *tally is set; or a negative errno.
 */
int probe_random_find(const struct probing *probing, struct probe_run *run, struct probe_tally *tally);

/*
 * The rate of what was asked for, from the first read to the end of the last. Takes out of the page cache what it has
 * brought in. *ret_mbps is 0 if there was no time for PROBE_READS_LEAST reads.
 */
int probe_run_random(struct probing *probing, const struct probe_run *run, double *ret_mbps);
