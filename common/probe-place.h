/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Finds a place for a run that others have nothing of in the page cache, or next to nothing: what is there makes reading
 * seem fast, and must not be dropped. Private to the probe.
 */

#include "probe-private.h"

/* So much of a place, as a part of it, may be cached: it is kept. This holds for its beginning, too. */
#define PROBE_CACHED_SHARE 64U

/* Where there is no place: what has been looked at. */
struct probe_tally {
        uint64_t bytes, cached_bytes;
};

struct probe_stretch {
        uint64_t offset_bytes, bytes;
};

struct probe_wish {
        uint64_t bytes;       /* to be read */
        uint64_t bytes_least; /* fewer than that where there is no place for all; same as BYTES: all or nothing */
        uint64_t ahead_bytes; /* may be read ahead beyond the end */
        uint64_t unit_bytes;  /* places are at whole ones of it, */
        uint64_t lead_bytes;  /* but so much before, unless that is at the device's start */
        uint64_t device_bytes;
        struct probe_stretch slot; /* its beginning is where the run belongs */
        struct probe_stretch zone; /* next comes what is around it */
        struct probe_stretch part; /* and last all that the reader may use */
        unsigned turn;             /* another one for each run: where it begins to look in zone and part */
};

/*
 * Sets offset_bytes, bytes, room_bytes and held of RUN, whose descriptor is the one to be looked at. 1 if there is a
 * place, 0 if not, and *tally is set; or a negative errno.
 */
int probe_place_find(const struct probing *probing, const struct probe_wish *wish, struct probe_run *run,
                struct probe_tally *tally);
