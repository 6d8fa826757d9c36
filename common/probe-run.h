/* SPDX-License-Identifier: MIT */
#pragma once

/* One run of a measurement: its places, its readers, what it counts. Private to the probe. */

#include "probe-place.h"
#include "probe-range.h"

/* How the runs of a measurement go on. */
struct rounds {
        struct probing probing;
        struct probe_layout layout;
        uint64_t window_bytes; /* the largest of the sources */
        struct probe_series *series;
        size_t present[PROBE_SOURCES_MAX]; /* indices of the sources that are there */
        unsigned n_present;
        unsigned n_runs;                /* in each series */
        unsigned runs_left;             /* of all series, for their share of the time */
        uint64_t late_usec;             /* that the last run was over after its share, as what it had asked for came */
        struct probe_run *readers;      /* of one run */
        unsigned n_readers;             /* that there is room for: the most streams of a source */
        bool in_use[PROBE_SOURCES_MAX]; /* others have its pages in the page cache everywhere: */
        struct probe_tally tally;       /* so many of one of them; */
        int cached_error;               /* or that can't be told */
        bool out_of_bytes;
};

static inline const struct probe_source *source_at(const struct rounds *rounds, size_t i) {
        return &rounds->probing.setup->sources[rounds->present[i]];
}

static inline unsigned source_streams(const struct probe_source *source) {
        return source->streams > 1 ? source->streams : 1;
}

/* In whole blocks, as it is compared with what has been read. */
uint64_t source_window(const struct probe_source *source, unsigned block_bytes);

/*
 * The run of the series present as number I in a round; those that do not count are in the round behind the last. None
 * where there is no place for it, or no time or bytes left.
 */
int probe_one_run(struct rounds *rounds, unsigned round, unsigned i);
