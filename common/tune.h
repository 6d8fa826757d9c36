/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Finds the smallest readahead with which a device is read about as fast as with any: which value is to be measured next,
 * and which one to choose. Pure: figures in, values out. Values are in 512-byte sectors.
 *
 * A few values far apart come first. Then it goes to and fro around the one that matters, and only what could still be
 * chosen, and the best, are measured again.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt.h"

#define TUNE_VALUES_MAX 48
#define TUNE_RUNS_MAX   9

/* So much less than the best is about as fast. */
#define TUNE_SLACK 0.03

/* What it may read in all, in runs of full length: a third of what a sweep over twelve values with three runs each reads. */
#define TUNE_RUNS_OF_BYTES 12

/* Larger values than this are not measured. */
#define TUNE_SECTORS_MAX UINT64_C(131072)

/* With fewer windows than this the rate of a run is as much chance as the device's. */
#define TUNE_WINDOWS_LEAST 8

struct tune_bounds {
        uint64_t page_bytes;
        uint64_t max_sectors;        /* no value is larger than this, or than a run can show, but for the last two */
        uint64_t stripe_sectors;     /* multiples of it are tried; 0: it has none */
        struct opt_int now_sectors;  /* that the device has; always measured */
        struct opt_int plan_sectors; /* that the plan gives it; likewise */
        uint64_t bytes_per_run;      /* at most */
};

struct tune_value {
        uint64_t sectors;
        bool coarse; /* one of the first */
        unsigned n_runs;
        double mbps[TUNE_RUNS_MAX]; /* in the order of the runs */
        double median_mbps, mad_mbps;
        uint64_t bytes_read;
        uint64_t bytes_asked, bytes_fetched; /* at random, through a mapping; both 0: not measured */
};

/* Plain data: a worker may share it with its parent. */
struct tune {
        struct tune_value values[TUNE_VALUES_MAX]; /* ascending */
        size_t n_values;
        uint64_t bytes_per_run;
        uint64_t stripe_bytes; /* 0: it has none */
        uint64_t bytes_read;   /* in all, the warm-up included */
};

void tune_begin(struct tune *tune, const struct tune_bounds *bounds);

/* The index of the value to measure next. False: the choice is as certain as it will be, or so much has been read. */
bool tune_next(const struct tune *tune, size_t *ret);

/* The largest value that a run of so many bytes can show. */
uint64_t tune_shown_max(uint64_t bytes_per_run);

/* How much a run of this value reads: enough windows, but a part of bytes_per_run at least, and no more than that. */
uint64_t tune_run_bytes(const struct tune *tune, size_t i);

/* A run of value I is done. */
void tune_add(struct tune *tune, size_t i, double mbps, uint64_t bytes_read);

struct tune_choice {
        size_t chosen, best; /* indices */
        bool finished;       /* false: it was ended before the choice was certain */
        bool is_certain;     /* false: the next smaller value may be about as fast, these runs can't tell */
        bool could_be_more;  /* the largest value is the best, by more than the slack: a larger one may be better yet */
};

/* False if nothing has been measured. */
bool tune_choose(const struct tune *tune, struct tune_choice *ret);

/* By its sectors; TUNE_VALUES_MAX if there is none. */
size_t tune_find(const struct tune *tune, uint64_t sectors);

/* How many times what a program asks for is fetched from the device; 0 if not measured. */
double tune_amplification(const struct tune_value *value);
