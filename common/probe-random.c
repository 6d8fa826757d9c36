/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/probe-cells.h"
#include "common/probe-place.h"

/* A place with something of others around it is no use; so many are tried. */
#define TURNS 16U

static uint64_t greatest(uint64_t a, uint64_t b) {
        return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

bool probe_workload_is_random(enum probe_workload workload) {
        return workload == PROBE_RANDOM_READ || workload == PROBE_RANDOM_MAPPED;
}

uint64_t probe_random_bytes(enum probe_workload workload, uint64_t readahead_bytes) {
        return workload == PROBE_RANDOM_MAPPED ? greatest(readahead_bytes, PROBE_RANDOM_BYTES) : PROBE_RANDOM_BYTES;
}

static bool find_field(const struct probe_setup *setup, struct probe_field *ret) {
        struct probe_field field = {.size_bytes = UINT64_MAX, .bytes_per_run = setup->limits.bytes_per_run};

        for (size_t i = 0; i < setup->n_sources; i++) {
                const struct probe_source *source = &setup->sources[i];

                if (!source->fds || !probe_workload_is_random(source->workload))
                        continue;
                field.size_bytes = least(field.size_bytes, source->size_bytes);
                field.bytes_per_read = greatest(
                                field.bytes_per_read, probe_random_bytes(source->workload, source->readahead_bytes));
                field.window_bytes = greatest(field.window_bytes, source->readahead_bytes);
        }
        *ret = field;
        return field.bytes_per_read > 0;
}

bool probe_random_prepare(
                const struct probe_setup *setup, struct probe_cells *ret, char skipped[static PROBE_SKIPPED_MAX]) {
        struct probe_field field;

        *ret = (struct probe_cells){};
        if (!find_field(setup, &field) || probe_cells_compute(&field, ret))
                return true;
        if (field.bytes_per_run / field.bytes_per_read < PROBE_READS_LEAST)
                snprintf(skipped, PROBE_SKIPPED_MAX,
                                "%" PRIu64 " bytes a run are too few for %u random reads that fetch %" PRIu64 " each",
                                field.bytes_per_run, PROBE_READS_LEAST, field.bytes_per_read);
        else
                snprintf(skipped, PROBE_SKIPPED_MAX, "it is too small for random reads (%" PRIu64 " bytes)",
                                field.size_bytes);
        return false;
}

/*
 * A read next to something cached is not one that the device has to make, and the kernel may take it for a reader's
 * next. 1 if a place is found in this part.
 */
static int find_place(const struct probing *probing, struct probe_run *run, unsigned part, struct probe_tally *tally) {
        const struct probe_ops *ops = probing->setup->ops;

        for (unsigned turn = 0; turn < TURNS && !probing_is_over(probing); turn++) {
                uint64_t place = probe_cells_offset(&probing->cells, run->number, turn, part), offset_bytes, bytes,
                         cached;
                int r;

                probe_cells_around(place, run->readahead_bytes, &offset_bytes, &bytes);
                r = ops->cached(ops->userdata, run->fd, offset_bytes, bytes, &cached);
                if (r < 0)
                        return r;
                tally->bytes += bytes;
                tally->cached_bytes += least(cached, bytes);
                if (cached > 0)
                        continue;
                run->places[run->n_places++] = place;
                return 1;
        }
        return 0;
}

int probe_random_find(const struct probing *probing, struct probe_run *run, struct probe_tally *tally) {
        struct probe_tally seen = {};
        unsigned parts[PROBE_READS_MAX] = {0};

        run->n_places = 0;
        probe_cells_order(&probing->cells, run->number, parts);
        for (unsigned i = 0; i < probing->cells.n_reads; i++) {
                int r = find_place(probing, run, parts[i], &seen);

                if (r < 0)
                        return r;
        }
        if (run->n_places >= PROBE_READS_LEAST)
                return 1;
        *tally = seen;
        return 0;
}

static int read_place(struct probing *probing, const struct probe_run *run, uint64_t offset_bytes) {
        const struct probe_ops *ops = probing->setup->ops;
        ssize_t n;

        if (run->workload == PROBE_RANDOM_MAPPED)
                return ops->fault(ops->userdata, run->fd, offset_bytes);
        n = ops->read(ops->userdata, run->fd, probing->buffer, PROBE_RANDOM_BYTES, offset_bytes);
        return n > 0 ? 0 : n < 0 ? (int)n : -ENODATA;
}

static void count(struct probing *probing, uint64_t bytes) {
        struct probe_progress *progress = probing->setup->progress;

        probing->bytes_read += bytes;
        probing->bytes_around += bytes - PROBE_RANDOM_BYTES;
        if (progress)
                progress->bytes_read += bytes;
}

/*
 * One after the other until it should be over, but as many as a figure needs; never beyond the deadline or the bytes.
 * *ret_n is the number of places that something may have been read around.
 */
static int read_places(struct probing *probing, const struct probe_run *run, unsigned *ret_n, double *ret_mbps) {
        uint64_t cost = probe_random_bytes(run->workload, run->readahead_bytes), left = run->bytes, start, now;
        unsigned n = 0;

        start = now = probing_now(probing);
        while (n < run->n_places && now < probing->deadline_usec && left >= cost) {
                int r;

                if (n >= PROBE_READS_LEAST && now >= run->soft_usec)
                        break;
                r = read_place(probing, run, run->places[n]);
                *ret_n = ++n;
                if (r < 0)
                        return r;
                left -= cost;
                count(probing, cost);
                now = probing_now(probing);
        }
        if (n >= PROBE_READS_LEAST && now > start)
                *ret_mbps = (double)PROBE_RANDOM_BYTES * n / (double)(now - start);
        return 0;
}

/* Nothing was there before, so that all of it is the run's own. */
static int drop_places(const struct probing *probing, const struct probe_run *run, unsigned n) {
        for (unsigned i = 0; i < n; i++) {
                uint64_t offset_bytes, bytes;
                int r;

                probe_cells_around(run->places[i], run->readahead_bytes, &offset_bytes, &bytes);
                r = probe_cache_drop(probing->setup->ops, run->fd, offset_bytes, bytes, NULL, probing->end_usec);
                if (r < 0)
                        return r;
        }
        return 0;
}

int probe_run_random(struct probing *probing, const struct probe_run *run, double *ret_mbps) {
        unsigned n = 0;
        int r, dropped;

        *ret_mbps = 0;
        r = read_places(probing, run, &n, ret_mbps);
        dropped = drop_places(probing, run, n);
        return r < 0 ? r : dropped;
}
