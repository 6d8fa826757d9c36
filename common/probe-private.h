/* SPDX-License-Identifier: MIT */
#pragma once

/* Between the probe and its kinds of run. */

#include "probe.h"

/* A device's page cache is read in these. */
struct probing {
        const struct probe_setup *setup;
        uint64_t deadline_usec;
        unsigned block_bytes; /* of BUFFER, and of a sequential read */
        void *buffer;
        uint64_t bytes_read; /* by all runs so far */
};

/* One run: what it is to read. */
struct probe_run {
        int fd;
        enum probe_workload workload;
        uint64_t offset, bytes; /* the place */
        uint64_t window_bytes;  /* readahead in whole blocks */
        uint64_t soft_usec;     /* it should be over by then; it must be by the deadline */
};

static inline uint64_t probing_now(const struct probing *probing) {
        return probing->setup->ops->now_usec(probing->setup->ops->userdata);
}

static inline bool probing_is_over(const struct probing *probing) {
        return probing_now(probing) >= probing->deadline_usec;
}

/* The steady rate, or that from the first byte on. *ret_mbps is 0 if there was no time for anything. */
int probe_run_sequential(struct probing *probing, const struct probe_run *run, double *ret_mbps);
