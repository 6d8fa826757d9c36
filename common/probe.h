/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Measures how fast devices are read through the page cache: one or more series, a run of each by turns (A B B A …).
 *
 * The kernel copies the readahead into a descriptor's state when it is opened, so that descriptors opened at different
 * readahead can be read in turn without touching the device's value again.
 *
 * The block size matters: for a single read that is larger than the readahead the kernel makes its window as large as
 * the read, up to the device's max_sectors_kb (ondemand_readahead(), in 6.12 ractl_max_pages()). So dd bs=1M and
 * hdparm -t see far more of a device with a small readahead than programs that read in blocks of 128 KiB or less.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROBE_RUNS_MAX     16
#define PROBE_FDS_MAX      (PROBE_RUNS_MAX + 1)
#define PROBE_SOURCES_MAX  128
#define PROBE_STREAMS_MAX  64
#define PROBE_SKIPPED_MAX  128
#define PROBE_BLOCK_BYTES  (UINT64_C(128) * 1024) /* as cp and cat read */
#define PROBE_BLOCK_MAX    (16U << 20)
#define PROBE_RANDOM_BYTES 4096U /* of one random read */

/*
 * What is read of a place before the windows of readahead begin: at the device's start the kernel reads ahead at once,
 * elsewhere it reads the first block by itself, unless that is larger than the readahead. How fast windows come from an
 * array depends on where in a stripe they begin.
 */
static inline uint64_t probe_lead_bytes(uint64_t readahead_bytes, uint64_t block_bytes) {
        return readahead_bytes < block_bytes ? 0 : block_bytes;
}

enum probe_workload {
        /*
         * One reader, block after block. The clock is started when readahead has ramped up to its full window (it
         * doubles from a small one), and stopped at a whole number of pairs of windows, so that as much has been read
         * ahead at its end as at its start: the steady rate.
         */
        PROBE_SEQUENTIAL,
        /* The same with the clock on from the first byte, until time or bytes are over: as hdparm -t and dd tell it. */
        PROBE_SEQUENTIAL_COLD,
        /*
         * PROBE_RANDOM_BYTES here and there, one after the other, by read(): the kernel fetches no more than that of
         * what is no reader's next, so that readahead makes no difference.
         */
        PROBE_RANDOM_READ,
        /*
         * The same by faults on a mapping, as LMDB and others read: the kernel fetches a whole window around each. The
         * rate is that of what was asked for.
         */
        PROBE_RANDOM_MAPPED,
        _PROBE_WORKLOAD_MAX,
};

bool probe_workload_is_random(enum probe_workload workload);

struct probe_limits {
        uint64_t time_msec; /* for all runs together */
        /*
         * At most, all streams and the ramp-up included; not what is read ahead beyond its end. Of random reads through
         * a mapping each counts as a whole window: that is what the device has to give, and the cache to take.
         */
        uint64_t bytes_per_run;
        uint64_t bytes;       /* of all runs together, counted likewise; 0: no bound of its own */
        unsigned runs;        /* in each series; 1 … PROBE_RUNS_MAX */
        unsigned block_bytes; /* of one sequential read, whole pages; 0: PROBE_BLOCK_BYTES; PROBE_BLOCK_MAX at most */
        bool no_warm_up;      /* else one run that counts for nothing comes first */
};

/* What a series reads. All zero: it is absent. */
struct probe_source {
        const int *fds;           /* fresh ones: one for each run, one more for the warm-up; times streams */
        uint64_t size_bytes;      /* of the device */
        uint64_t readahead_bytes; /* that these descriptors have */
        enum probe_workload workload;
        unsigned streams; /* readers at once, each at a place of its own; 0 and 1: one. For PROBE_SEQUENTIAL only */
};

struct probe_series {
        unsigned n_runs;
        double mbps[PROBE_RUNS_MAX]; /* 10⁶ bytes a second of all streams together, in the order of the runs */
        double median_mbps;
        double mad_mbps;     /* median absolute deviation */
        uint64_t bytes_read; /* with ramp-up and warm-up; counted as in the limits */
        /* Of the runs that count: asked for, and fetched from the device meanwhile; both 0 where that is not known. */
        uint64_t bytes_asked, bytes_fetched;
};

/*
 * Seams for tests: a clock and a reader. All but now_usec and pause return 0 or a negative errno, where not told
 * otherwise. Where a source has streams, now_usec and read are called by several threads at once, each with a descriptor
 * of its own, and must be safe for that; all else is called by one thread.
 */
struct probe_ops {
        uint64_t (*now_usec)(void *userdata);
        void (*pause)(void *userdata, uint64_t usec);
        /* Takes a range out of the page cache; what is still being read stays, and is no error. */
        int (*drop)(void *userdata, int fd, uint64_t offset_bytes, uint64_t bytes);
        /* As pread(), with a negative errno. */
        ssize_t (*read)(void *userdata, int fd, void *buffer, size_t size, uint64_t offset_bytes);
        /* Touches the page at OFFSET_BYTES through a mapping of the descriptor's. */
        int (*fault)(void *userdata, int fd, uint64_t offset_bytes);
        /* How much of a range is in the page cache; what is still being read may be left out. -EPERM: can't be seen. */
        int (*cached)(void *userdata, int fd, uint64_t offset_bytes, uint64_t bytes, uint64_t *ret_bytes);
        /* How many reads and writes of the device are under way. */
        int (*in_flight)(void *userdata, int fd, uint64_t *ret);
        /* How much has been read from the device since it is there, by its counters. */
        int (*fetched)(void *userdata, int fd, uint64_t *ret_bytes);
        void *userdata;
};

extern const struct probe_ops probe_ops_real;

/* How far it is, for those who show that; in memory that a worker shares with its parent. */
struct probe_progress {
        _Atomic uint64_t bytes_read;
        _Atomic unsigned runs_done, runs_planned;
};

struct probe_setup {
        const struct probe_ops *ops;
        struct probe_limits limits;
        const struct probe_source *sources;
        size_t n_sources; /* PROBE_SOURCES_MAX at most */
        /* Asked after each round, with the medians of the runs so far: true ends the measuring. May be NULL. */
        bool (*enough)(const struct probe_series *series, size_t n_series, void *userdata);
        void *userdata;
        struct probe_progress *progress; /* may be NULL */
};

/*
 * Runs the series interleaved, each run with its share of the time that is left, and fills in one element of SERIES for
 * each source, with median and spread. Runs of one round read the same part of the device, each its own range of it
 * where the device is large enough, so that neither the place nor a cache below tells them apart; rounds are spread over
 * the device. Returns 0 or a negative errno of a read. A device too small or a budget too short for one run in each
 * series is no error: SKIPPED says why, else it is "". Both are set if 0 is returned.
 */
int probe_measure(const struct probe_setup *setup, struct probe_series *series, char skipped[static PROBE_SKIPPED_MAX]);

/* Median and spread from the runs that are in SERIES. Pure. */
void probe_series_judge(struct probe_series *series);

/* The median of N > 0 values, which it sorts. Pure. */
double probe_median(double *values, size_t n);
