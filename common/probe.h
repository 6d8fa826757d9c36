/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Measures sequential buffered reads. The kernel copies the readahead into a descriptor's state when it is opened, so
 * the descriptors for "before" are opened first, the change is made, those for "after" are opened, and then both are
 * read in turn (A B B A …) without touching the device's value again.
 *
 * A run drops its own range's pages, reads on until readahead has ramped up to its full window (it doubles from a small
 * one) and only then starts the clock; it is stopped at a whole number of pairs of windows, so that as much has been read ahead
 * at its end as at its start. What it shows is therefore the steady rate, as a long dd does.
 *
 * The block size matters: for a single read that is larger than the readahead the kernel makes its window as large as
 * the read, up to the device's max_sectors_kb (page_cache_ra_order() and its ancestors). So dd bs=1M and hdparm -t see
 * far more of a device with a small readahead than programs that read in blocks of 128 KiB or less.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROBE_RUNS_MAX    16
#define PROBE_FDS_MAX     (PROBE_RUNS_MAX + 1)
#define PROBE_BLOCK_BYTES (128U * 1024U) /* as cp and cat read */
#define PROBE_BLOCK_MAX   (16U << 20)

/* Series: which descriptors a run reads. */
enum probe_series {
        PROBE_BEFORE,
        PROBE_AFTER,
        PROBE_ARRAY, /* the array beneath, for comparison; may be absent */
        _PROBE_SERIES_MAX,
};

struct probe_limits {
        uint64_t time_msec;     /* for all runs together */
        uint64_t bytes_per_run; /* at most, the ramp-up included; what is read ahead beyond its end is not counted */
        unsigned runs;          /* in each series; 1 … PROBE_RUNS_MAX */
        unsigned block_bytes;   /* of one read, whole pages; 0: PROBE_BLOCK_BYTES; PROBE_BLOCK_MAX at most */
};

/* What a series reads. All zero: it is absent. */
struct probe_source {
        const int *fds;           /* fresh ones: one for each run, and one more for the warm-up */
        uint64_t size_bytes;      /* of the device */
        uint64_t readahead_bytes; /* that these descriptors have */
};

enum probe_verdict {
        PROBE_NONE, /* not measured: see skipped */
        PROBE_FASTER,
        PROBE_SLOWER,
        PROBE_NO_DIFFERENCE, /* none that these runs can show */
};

/* "gain >= 0.97" or "gain > 1.05": a change stays if reading became that much faster, or no slower than that. */
struct keep_condition {
        bool given;      /* else it stays, whatever the gain */
        bool or_equal;   /* >=, not > */
        double min_gain; /* median after ÷ median before */
};

struct probe_series_result {
        unsigned n_runs;
        double mbps[PROBE_RUNS_MAX]; /* 10⁶ bytes a second, in the order of the runs */
        double median_mbps;
        double mad_mbps;     /* median absolute deviation */
        uint64_t bytes_read; /* the warm-up included */
};

/* Plain data: it comes back from a worker through a pipe. */
struct probe_result {
        enum probe_verdict verdict;
        struct probe_series_result series[_PROBE_SERIES_MAX];
        double gain;         /* median after ÷ median before; 0 if not measured */
        uint64_t bytes_read; /* by all series */
        char skipped[128];   /* why it was not measured; "" otherwise */
};

/*
 * Whether a change may stay: always if nothing was measured. "gain >= 0.97" asks for no loss, so only one that the runs
 * show is against it; with a factor above 1 it asks for a gain, which the runs must then show. Pure.
 */
bool keep_condition_is_met(const struct keep_condition *condition, const struct probe_result *result);

/* "faster", "slower", "no difference"; "" for PROBE_NONE */
const char *probe_verdict_name(enum probe_verdict verdict);

/* Seams for tests: a clock and a reader. */
struct probe_ops {
        uint64_t (*now_usec)(void *userdata);
        /* Takes a range out of the page cache. 0 or a negative errno. */
        int (*drop)(void *userdata, int fd, uint64_t offset, uint64_t bytes);
        /* As pread(), with a negative errno. */
        ssize_t (*read)(void *userdata, int fd, void *buffer, size_t size, uint64_t offset);
        void *userdata;
};

extern const struct probe_ops probe_ops_real;

/*
 * Runs the series interleaved, each run with its share of the time that is left, and fills in medians, spread and
 * verdict. Runs of one round read the same part of the device, each its own range of it where the device is large
 * enough, so that neither the place nor a cache below tells them apart; rounds are spread over the device. Returns 0 or
 * a negative errno of a read; a device too small or a budget too short for one run in each series is "skipped", not an
 * error. *ret is set if 0 is returned.
 */
int probe_run(const struct probe_ops *ops, const struct probe_limits *limits,
                const struct probe_source sources[static _PROBE_SERIES_MAX], struct probe_result *ret);

/*
 * Medians, spread, gain and verdict from the runs that are in RESULT. Pure.
 *
 * Faster or slower is said if both hold: the medians differ by PROBE_EFFECT_MIN at least, and the order of the runs'
 * figures has a chance of at most PROBE_CHANCE_MAX if before and after were alike (exact two-sided rank-sum test). A
 * threshold in units of the MAD would need more runs for the same certainty: over five runs the MAD itself is off by a
 * factor of two too often. Three runs against three show nothing by this rule, five do.
 */
#define PROBE_EFFECT_MIN 0.03
#define PROBE_CHANCE_MAX 0.05
void probe_judge(struct probe_result *result);

/* The median of N > 0 values, which it sorts. Pure. */
double probe_median(double *values, size_t n);
