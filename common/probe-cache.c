/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "common/probe-cache.h"

/* Of the smallest pages. Where they are larger, parts of one tell of all of it, and are kept with it. */
#define PAGE_LEAST 4096U

/* From one look at what is still being read to the next; twice as long each time. */
#define PAUSE_FIRST_USEC 1000U
#define PAUSE_LAST_USEC  16000U

/* Ranges that are to be looked at: a half waits for each halving of one. */
#define HALVES_MAX 64

struct look {
        const struct probe_ops *ops;
        int fd;
        struct probe_held held;
        struct probe_held_extent todo[HALVES_MAX]; /* the one that comes first is the last */
        unsigned n_todo;
};

static int keep(struct probe_held *held, const struct probe_held_extent *extent) {
        struct probe_held_extent *last = held->n > 0 ? &held->extents[held->n - 1] : NULL;

        if (last && last->offset_bytes + last->bytes == extent->offset_bytes)
                last->bytes += extent->bytes;
        else if (held->n < PROBE_HELD_MAX)
                held->extents[held->n++] = *extent;
        else
                return -E2BIG;
        held->bytes += extent->bytes;
        return 0;
}

static uint64_t first_half(uint64_t bytes) {
        uint64_t half = bytes / 2;

        return half - half % PAGE_LEAST;
}

static int look_next(struct look *look) {
        struct probe_held_extent range = look->todo[--look->n_todo];
        uint64_t cached, half = first_half(range.bytes);
        int r;

        r = look->ops->cached(look->ops->userdata, look->fd, range.offset_bytes, range.bytes, &cached);
        if (r < 0 || cached == 0)
                return r;
        if (cached >= range.bytes || half == 0)
                return keep(&look->held, &range);
        if (look->n_todo + 2 > HALVES_MAX)
                return -E2BIG;
        look->todo[look->n_todo++] = (struct probe_held_extent){range.offset_bytes + half, range.bytes - half};
        look->todo[look->n_todo++] = (struct probe_held_extent){range.offset_bytes, half};
        return 0;
}

int probe_cache_look(
                const struct probe_ops *ops, int fd, uint64_t offset_bytes, uint64_t bytes, struct probe_held *ret) {
        struct look look = {.ops = ops, .fd = fd, .todo = {{offset_bytes, bytes}}, .n_todo = bytes > 0};

        while (look.n_todo > 0) {
                int r = look_next(&look);

                if (r < 0)
                        return r;
        }
        *ret = look.held;
        return 0;
}

/* Parts of a range that are not held, one after the other. */
struct gaps {
        const struct probe_held *held;
        uint64_t offset_bytes, end_bytes; /* what is left */
        unsigned next;                    /* extent */
};

static bool next_gap(struct gaps *gaps, uint64_t *ret_offset_bytes, uint64_t *ret_bytes) {
        while (gaps->offset_bytes < gaps->end_bytes) {
                uint64_t offset_bytes = gaps->offset_bytes, gap_end = gaps->end_bytes;

                gaps->offset_bytes = gaps->end_bytes;
                if (gaps->held && gaps->next < gaps->held->n) {
                        const struct probe_held_extent *extent = &gaps->held->extents[gaps->next++];

                        gap_end = extent->offset_bytes < gap_end ? extent->offset_bytes : gap_end;
                        gaps->offset_bytes = extent->offset_bytes + extent->bytes;
                        if (gaps->offset_bytes < offset_bytes)
                                gaps->offset_bytes = offset_bytes;
                }
                if (gap_end <= offset_bytes)
                        continue;
                *ret_offset_bytes = offset_bytes;
                *ret_bytes = gap_end - offset_bytes;
                return true;
        }
        return false;
}

/* *ret_left is what is still there of what was to be dropped. */
static int drop_gaps(const struct probe_ops *ops, int fd, struct gaps gaps, uint64_t *ret_left) {
        uint64_t offset_bytes, bytes, cached, left = 0;
        int r;

        while (next_gap(&gaps, &offset_bytes, &bytes)) {
                r = ops->drop(ops->userdata, fd, offset_bytes, bytes);
                if (r < 0)
                        return r;
                r = ops->cached(ops->userdata, fd, offset_bytes, bytes, &cached);
                if (r < 0)
                        return r;
                left += cached;
        }
        *ret_left = left;
        return 0;
}

/* Where that can't be told, something may be. */
static bool is_reading(const struct probe_ops *ops, int fd) {
        uint64_t n;

        return ops->in_flight(ops->userdata, fd, &n) < 0 || n > 0;
}

int probe_cache_drop(const struct probe_ops *ops, int fd, uint64_t offset_bytes, uint64_t bytes,
                const struct probe_held *held, uint64_t until_usec) {
        const struct gaps gaps = {.held = held, .offset_bytes = offset_bytes, .end_bytes = offset_bytes + bytes};
        uint64_t now = ops->now_usec(ops->userdata), pause = PAUSE_FIRST_USEC, left;

        if (until_usec > now && until_usec - now > PROBE_DROP_MSEC * UINT64_C(1000))
                until_usec = now + PROBE_DROP_MSEC * UINT64_C(1000);
        for (;;) {
                /* Asked first: what ends between the two looks is dropped, then. */
                bool reading = is_reading(ops, fd);
                int r = drop_gaps(ops, fd, gaps, &left);

                if (r < 0)
                        return r;
                now = ops->now_usec(ops->userdata);
                if ((left == 0 && !reading) || now >= until_usec)
                        return 0;
                ops->pause(ops->userdata, pause < until_usec - now ? pause : until_usec - now);
                if (pause < PAUSE_LAST_USEC)
                        pause *= 2;
        }
}
