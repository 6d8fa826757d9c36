/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A device with a page cache, and a clock, for tests of the probe. Every window that is fetched takes a fixed time, and
 * meanwhile the next one is being read: it is there after as long again, and can't be dropped before.
 *
 * Readers in threads have a clock each, and the one whose clock is behind goes first, so that what comes out does not
 * depend on how the machine runs them.
 */

#include <pthread.h>

#include "common/probe.h"

#define MODEL_READERS   512
#define MODEL_EXTENTS   1024
#define MODEL_COPY_USEC 5 /* for each block that a reader takes */

/* What the model keeps of a descriptor: a reader with a window that doubles from one block to the full readahead. */
struct model_reader {
        uint64_t readahead_bytes, window_bytes;
        uint64_t latency_usec; /* 0: as the device */
        uint64_t ahead_end;    /* what has been read ahead so far */
        uint64_t start, position;
        uint64_t usec; /* its clock */
        bool begun, active;
};

struct model_extent {
        uint64_t offset, end;
        uint64_t ready_usec; /* being read until then */
        bool others;
};

struct probe_model {
        uint64_t now_usec, latency_usec, size_bytes;
        struct model_reader readers[MODEL_READERS]; /* by descriptor */
        int order[MODEL_READERS];                   /* descriptors as they were first read */
        unsigned n_order;
        struct model_extent extents[MODEL_EXTENTS];
        unsigned n_extents;
        unsigned n_streams; /* readers that begin at once, in threads; 0: one, in none */
        bool blind;         /* what is in the page cache can't be seen */
        uint64_t bytes;     /* asked for */
        uint64_t fetched_bytes;
        bool counts;               /* fetched_bytes may be asked for */
        uint64_t fail_after_bytes; /* of all; 0: never */
        int only_fails;            /* this descriptor; 0: all */
        bool ends;                 /* reads give 0 */
        double slowdown_per_run;   /* drift */
        pthread_t main;            /* the thread that starts others */
        pthread_mutex_t mutex;
        pthread_cond_t turn;
};

void probe_model_init(struct probe_model *model, uint64_t size_bytes);
void probe_model_done(struct probe_model *model);
struct probe_ops probe_model_ops(struct probe_model *model);

/* Others have that range in the page cache. */
void probe_model_hold(struct probe_model *model, uint64_t offset, uint64_t bytes);

/* How much of what others had is there still, and how much of what the probe has brought in. */
uint64_t probe_model_held(const struct probe_model *model);
uint64_t probe_model_own(const struct probe_model *model);
