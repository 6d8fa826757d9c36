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

        if (last && last->offset + last->bytes == extent->offset)
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

        r = look->ops->cached(look->ops->userdata, look->fd, range.offset, range.bytes, &cached);
        if (r < 0 || cached == 0)
                return r;
        if (cached >= range.bytes || half == 0)
                return keep(&look->held, &range);
        if (look->n_todo + 2 > HALVES_MAX)
                return -E2BIG;
        look->todo[look->n_todo++] = (struct probe_held_extent){range.offset + half, range.bytes - half};
        look->todo[look->n_todo++] = (struct probe_held_extent){range.offset, half};
        return 0;
}

int probe_cache_look(const struct probe_ops *ops, int fd, uint64_t offset, uint64_t bytes, struct probe_held *ret) {
        struct look look = {.ops = ops, .fd = fd, .todo = {{offset, bytes}}, .n_todo = bytes > 0};

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
        uint64_t offset, end; /* what is left */
        unsigned next;        /* extent */
};

static bool next_gap(struct gaps *gaps, uint64_t *ret_offset, uint64_t *ret_bytes) {
        while (gaps->offset < gaps->end) {
                uint64_t offset = gaps->offset, gap_end = gaps->end;

                gaps->offset = gaps->end;
                if (gaps->held && gaps->next < gaps->held->n) {
                        const struct probe_held_extent *extent = &gaps->held->extents[gaps->next++];

                        gap_end = extent->offset < gap_end ? extent->offset : gap_end;
                        gaps->offset = extent->offset + extent->bytes;
                        if (gaps->offset < offset)
                                gaps->offset = offset;
                }
                if (gap_end <= offset)
                        continue;
                *ret_offset = offset;
                *ret_bytes = gap_end - offset;
                return true;
        }
        return false;
}

/* *ret_left is what is still there of what was to be dropped. */
static int drop_gaps(const struct probe_ops *ops, int fd, struct gaps gaps, uint64_t *ret_left) {
        uint64_t offset, bytes, cached, left = 0;
        int r;

        while (next_gap(&gaps, &offset, &bytes)) {
                r = ops->drop(ops->userdata, fd, offset, bytes);
                if (r < 0)
                        return r;
                r = ops->cached(ops->userdata, fd, offset, bytes, &cached);
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

int probe_cache_drop(const struct probe_ops *ops, int fd, uint64_t offset, uint64_t bytes,
                const struct probe_held *held, uint64_t until_usec) {
        const struct gaps gaps = {.held = held, .offset = offset, .end = offset + bytes};
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
