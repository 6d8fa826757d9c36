/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How often a device's readahead is set again that was changed behind setrad's back: a number of times an hour, so that
 * two programs never fight for ever. Pure but for what it remembers: the time is given.
 */

#include "common/cleanup.h"
#include "common/device.h"
#include "common/drift.h"

#define DRIFTLIMIT_PER_HOUR_MAX 60U

struct driftlimit;

/* NULL when memory is short. */
struct driftlimit *driftlimit_new(void);
void driftlimit_free(struct driftlimit *limit);
DEFINE_CLEANUP(struct driftlimit *, driftlimit_free);

enum driftlimit_answer {
        DRIFTLIMIT_GO,      /* set it again; this one is counted */
        DRIFTLIMIT_STOP,    /* not any more; told once */
        DRIFTLIMIT_STOPPED, /* the same, but it has been told */
};

/* What driftlimit_take() would answer now, without counting it or (DRIFTLIMIT_STOP) taking it for told. */
enum driftlimit_answer driftlimit_ask(struct driftlimit *limit, const struct device_identity *device, enum drift drift,
                unsigned per_hour, uint64_t now_usec);

/*
 * Whether DEVICE may be set again now (NOW_USEC: CLOCK_MONOTONIC), at most PER_HOUR (1 to DRIFTLIMIT_PER_HOUR_MAX) times in any hour. After
 * the kernel's resets (DRIFT_RESET) it may when an hour has gone by; against somebody else (DRIFT_OTHER) only after
 * driftlimit_forgive(). Without memory: DRIFTLIMIT_STOPPED.
 */
enum driftlimit_answer driftlimit_take(struct driftlimit *limit, const struct device_identity *device, enum drift drift,
                unsigned per_hour, uint64_t now_usec);

/* Nothing has happened yet: to DEVICE, or (NULL) to any. */
void driftlimit_forgive(struct driftlimit *limit, const struct device_identity *device);
