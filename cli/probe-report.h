/* SPDX-License-Identifier: MIT */
#pragma once

/* What setractl probe is asked to measure, and what came of it. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/finding.h"
#include "common/probe.h"

enum probe_form {
        PROBE_FORM_RATE,    /* the steady rate of one reader */
        PROBE_FORM_HDPARM,  /* as hdparm -t reads */
        PROBE_FORM_DD,      /* as dd reads */
        PROBE_FORM_STREAMS, /* of one reader and of several */
        PROBE_FORM_RANDOM,  /* random reads, by mmap and by read() */
        PROBE_FORM_BELOW,   /* the steady rate of every layer beneath as well, and of members of arrays */
};

struct probe_request {
        enum probe_form form;
        unsigned streams;     /* PROBE_FORM_STREAMS */
        unsigned runs;        /* at most, of each series */
        uint64_t time_msec;   /* for all runs together; 0: by the form, and how much there is to read */
        uint64_t bytes;       /* of all runs together; 0: no bound */
        unsigned block_bytes; /* of one read; 0: the usual */
        uint64_t count;       /* PROBE_FORM_DD: blocks */
        bool force;
};

#define PROBE_REQUEST_RUNS 15U /* where it is not said, so that the median may become certain */

/* It is certain enough, and no more is read, when its interval is within that. */
#define PROBE_CERTAIN_SHARE 0.02

/* One series. */
struct probe_item {
        const struct layer *layer;
        const struct layer *array; /* that it is a member of, and measured as one; NULL: as a layer of the stack */
        enum probe_workload workload;
        unsigned streams;
        uint64_t readahead_sectors; /* as the topology has it; once it is measured, as its descriptors have had it */
        struct probe_series series;
        uint64_t run_bytes[PROBE_RUNS_MAX]; /* read by each run; of the forms of tools only */
};

/* Items that are measured by turns. */
struct probe_pass {
        size_t first, n;
        struct probe_limits limits;
        bool ends_early;
};

struct probe_report {
        const struct layer *layer;
        struct probe_request request;
        struct probe_item *items; /* of PROBE_FORM_BELOW the layers, top to bottom, then the members of each array */
        size_t n_items, n_layers;
        struct probe_pass *passes;
        size_t n_passes;
        const struct layer **watched; /* that others must not use meanwhile: LAYER first, and the arrays beneath it */
        size_t n_watched;
        struct findings findings;
        bool disturbed; /* others have read much of LAYER meanwhile */
};

/*
 * What is to be measured of LAYER, in ARENA, without figures yet. Returns 0, -ENOMEM, or -E2BIG where there is more to
 * measure than PROBE_SOURCES_MAX.
 */
int probe_report_plan(const struct layer *layer, const struct probe_request *request, struct arena *arena,
                struct probe_report *ret);

/* So long all of it takes at most. */
uint64_t probe_report_msec(const struct probe_report *report);

/* Of one read of ITEM. */
unsigned probe_item_block_bytes(const struct probe_report *report, const struct probe_item *item);

/* Medians and findings from the runs that are in the items. Returns 0 or -ENOMEM. */
int probe_report_judge(struct probe_report *report, struct arena *arena);

/* The item that LAYER was measured as; NULL: none. */
const struct probe_item *probe_report_find(const struct probe_report *report, const struct layer *layer);
