/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "common/cleanup.h"
#include "common/probe-place.h"

/* Places that are tried, at most: in the slot, in its zone, and in the whole part. */
#define SLOT_PLACES 8
#define ZONE_PLACES 16
#define PART_PLACES 64

/* When there is a place, a better one is looked for in this part of the run's time: it may take a while. */
#define SEARCH_SHARE 8

/* The shortest beginning of a place that is looked at by itself, then twice as much, and so on. */
#define BEGINNING_BYTES (UINT64_C(1) << 20)

struct search {
        const struct probing *probing;
        const struct probe_wish *wish;
        struct probe_run *run; /* the best place so far is set in it */
        uint64_t cached_bytes; /* there */
        uint64_t until_usec;
        bool found;
};

/* Places that do not overlap, evenly spread, from the one with number FIRST on; each SHIFT further. */
struct spread {
        struct probe_stretch stretch;
        unsigned n, first;
        uint64_t shift;
};

static uint64_t least(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

static bool may_be_shorter(const struct probe_wish *wish) {
        return wish->bytes_least < wish->bytes;
}

static int cached_bytes(const struct search *search, uint64_t offset_bytes, uint64_t bytes, uint64_t *ret) {
        const struct probe_ops *ops = search->probing->setup->ops;

        return ops->cached(ops->userdata, search->run->fd, offset_bytes, bytes, ret);
}

/* How much from OFFSET_BYTES on has so little cached, in each beginning of it, that a run may end anywhere. */
static int fit_bytes(const struct search *search, uint64_t offset_bytes, uint64_t bytes, uint64_t *ret) {
        uint64_t fit = 0, size = least(BEGINNING_BYTES, bytes), cached;
        int r;

        for (;;) {
                r = cached_bytes(search, offset_bytes, size, &cached);
                if (r < 0)
                        return r;
                if (cached > size / PROBE_CACHED_SHARE)
                        break;
                fit = size;
                if (size == bytes)
                        break;
                size = size > bytes / 2 ? bytes : size * 2;
        }
        *ret = fit;
        return 0;
}

/* Nothing better is to be had. A long run takes the first place that has room for it: the beginning, if that has. */
static bool is_settled(const struct search *search) {
        uint64_t now = probing_now(search->probing);

        if (!search->found)
                return now >= search->probing->deadline_usec;
        return (search->run->bytes == search->wish->bytes &&
                               (search->cached_bytes == 0 || may_be_shorter(search->wish))) ||
               now >= search->until_usec;
}

/* Takes a place if it is the best so far: more to read is better, then less that is cached. */
static void take(struct search *search, const struct probe_run *place, uint64_t cached) {
        struct probe_run *best = search->run;

        if (place->bytes < search->wish->bytes_least || (search->found && place->bytes < best->bytes))
                return;
        if (search->found && place->bytes == best->bytes && cached >= search->cached_bytes)
                return;
        search->found = true;
        search->cached_bytes = cached;
        best->offset_bytes = place->offset_bytes;
        best->bytes = place->bytes;
        best->room_bytes = place->room_bytes;
}

static int try_place(struct search *search, uint64_t offset_bytes) {
        const struct probe_wish *wish = search->wish;
        uint64_t end_bytes = wish->part.offset_bytes + wish->part.bytes, cached, fit;
        struct probe_run place = {.offset_bytes = offset_bytes};
        int r;

        if (offset_bytes + wish->lead_bytes < wish->part.offset_bytes || offset_bytes >= end_bytes ||
                        end_bytes - offset_bytes < wish->bytes_least)
                return 0;
        place.bytes = least(wish->bytes, end_bytes - offset_bytes);
        place.room_bytes = least(place.bytes + wish->ahead_bytes, wish->device_bytes - offset_bytes);
        r = cached_bytes(search, offset_bytes, place.room_bytes, &cached);
        if (r < 0)
                return r;
        fit = place.room_bytes;
        if (cached > 0)
                r = fit_bytes(search, offset_bytes, place.room_bytes, &fit);
        if (r < 0)
                return r;
        if (fit < place.room_bytes) {
                place.room_bytes = fit;
                place.bytes = fit > wish->ahead_bytes ? fit - wish->ahead_bytes : 0;
                place.bytes -= place.bytes % search->probing->block_bytes;
        }
        take(search, &place, cached);
        return 0;
}

static uint64_t spread_offset(const struct spread *spread, unsigned i) {
        return spread->stretch.offset_bytes + spread->stretch.bytes / spread->n * ((i + spread->first) % spread->n) +
               spread->shift;
}

static uint64_t place_offset(const struct probe_wish *wish, uint64_t offset_bytes) {
        offset_bytes -= offset_bytes % wish->unit_bytes;
        return offset_bytes > wish->lead_bytes ? offset_bytes - wish->lead_bytes : 0;
}

static int try_spread(struct search *search, const struct spread *spread) {
        for (unsigned i = 0; i < spread->n && !is_settled(search); i++) {
                int r = try_place(search, place_offset(search->wish, spread_offset(spread, i)));

                if (r < 0)
                        return r;
        }
        return 0;
}

/* So many as have room beside each other. What may be shorter is looked for all over, but first where it belongs. */
static unsigned places_in(const struct probe_wish *wish, const struct probe_stretch *stretch, unsigned max) {
        uint64_t n = stretch->bytes / (wish->bytes + wish->ahead_bytes);

        if (may_be_shorter(wish))
                return stretch == &wish->part ? max : 1;
        return n < 1 ? 1 : n < max ? (unsigned)n : max;
}

static int tally_up(const struct search *search, const struct spread *spread, struct probe_tally *ret) {
        const struct probe_wish *wish = search->wish;
        uint64_t bytes = least(spread->stretch.bytes / spread->n, wish->bytes + wish->ahead_bytes), cached;

        *ret = (struct probe_tally){};
        for (unsigned i = 0; i < spread->n; i++) {
                int r = cached_bytes(search, spread_offset(spread, i), bytes, &cached);

                if (r < 0)
                        return r;
                ret->bytes += bytes;
                ret->cached_bytes += least(cached, bytes);
        }
        return 0;
}

int probe_place_find(const struct probing *probing, const struct probe_wish *wish, struct probe_run *run,
                struct probe_tally *tally) {
        const uint64_t now = probing_now(probing);
        struct search search = {.probing = probing,
                        .wish = wish,
                        .run = run,
                        .until_usec = now + (run->soft_usec > now ? (run->soft_usec - now) / SEARCH_SHARE : 0)};
        const unsigned n_slot = places_in(wish, &wish->slot, SLOT_PLACES),
                       n_zone = places_in(wish, &wish->zone, ZONE_PLACES),
                       n_part = places_in(wish, &wish->part, PART_PLACES);
        const uint64_t shift = (wish->bytes + wish->ahead_bytes) / 2;
        const struct spread all = {wish->part, n_part, wish->turn, 0};
        const struct spread spreads[] = {
                        {wish->slot, n_slot, 0, 0},
                        {wish->zone, n_zone, wish->turn, 0},
                        {wish->zone, n_zone, wish->turn, shift},
                        all,
                        {wish->part, n_part, wish->turn, shift},
        };
        int r;

        for (size_t i = 0; i < ARRAY_SIZE(spreads) && !is_settled(&search); i++) {
                r = try_spread(&search, &spreads[i]);
                if (r < 0)
                        return r;
        }
        if (search.found) {
                r = probe_cache_look(probing->setup->ops, run->fd, run->offset_bytes, run->room_bytes, &run->held);
                if (r != -E2BIG)
                        return r < 0 ? r : 1;
        }
        r = tally_up(&search, &all, tally);
        return r < 0 ? r : 0;
}
