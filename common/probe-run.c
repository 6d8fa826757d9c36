/* SPDX-License-Identifier: MIT */

#include "common/probe-run.h"

static uint64_t least(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

/* In whole blocks, as it is compared with what has been read. */
uint64_t source_window(const struct probe_source *source, unsigned block_bytes) {
        uint64_t blocks = source->readahead_bytes / block_bytes + (source->readahead_bytes % block_bytes != 0), bytes;

        if (__builtin_mul_overflow(blocks > 0 ? blocks : 1, block_bytes, &bytes))
                return source->readahead_bytes;
        return bytes;
}

/* The share of the next run in the time that is left, less what the one before took longer than its own. */
static uint64_t soft_deadline(const struct rounds *rounds) {
        uint64_t now = probing_now(&rounds->probing), deadline = rounds->probing.deadline_usec, share;

        if (now >= deadline)
                return now;
        share = (deadline - now) / rounds->runs_left;
        return now + share - least(rounds->late_usec, share / 2);
}

static uint64_t most_bytes(const struct rounds *rounds, const struct probe_source *source) {
        if (probe_workload_is_random(source->workload))
                return rounds->probing.setup->limits.bytes_per_run;
        return rounds->layout.run_bytes;
}

/* What each reader of the next run may read: what is left of the budget bounds it. */
static uint64_t reader_bytes(const struct rounds *rounds, const struct probe_source *source) {
        uint64_t bytes = rounds->probing.setup->limits.bytes, most = most_bytes(rounds, source), left, share;

        if (bytes == 0)
                return most;
        left = bytes > rounds->probing.bytes_read ? bytes - rounds->probing.bytes_read : 0;
        share = left / source_streams(source);
        if (share >= most)
                return most;
        return share - share % rounds->probing.block_bytes;
}

/* A run that the budget cuts too short would only tell that it was. */
static bool is_worth_it(const struct rounds *rounds, const struct probe_source *source, uint64_t bytes) {
        uint64_t window = source_window(source, rounds->probing.block_bytes);

        if (probe_workload_is_random(source->workload))
                return bytes / probe_random_bytes(source->workload, source->readahead_bytes) >= PROBE_READS_LEAST;
        return bytes == rounds->layout.run_bytes || (bytes > 0 && bytes / window >= PROBE_WINDOWS_LEAST);
}

static void show_progress(const struct rounds *rounds) {
        struct probe_progress *progress = rounds->probing.setup->progress;

        if (!progress)
                return;
        progress->bytes_read = rounds->probing.bytes_read;
        progress->runs_done++;
}

/* Where reader K reads in a run of the series present as number I. */
static int find_place(struct rounds *rounds, unsigned round, unsigned i, unsigned k, struct probe_run *run) {
        const struct probe_source *source = source_at(rounds, i);
        const struct probe_layout *layout = &rounds->layout;
        uint64_t part = probe_layout_part(layout, round, k, source_streams(source)),
                 zone = layout->slot_bytes * layout->n_slots;
        const struct probe_wish wish = {
                        .bytes = run->bytes,
                        .bytes_least = least(layout->least_bytes, run->bytes),
                        .ahead_bytes = run->window_bytes * PROBE_WINDOWS_AHEAD,
                        .unit_bytes = rounds->window_bytes,
                        .lead_bytes = probe_lead_bytes(source->readahead_bytes, rounds->probing.block_bytes),
                        .device_bytes = source->size_bytes,
                        .slot = {part + probe_layout_offset(layout, round, i), layout->slot_bytes},
                        .zone = {part + zone * (round % layout->n_zones), zone},
                        .part = {part, layout->room_bytes},
                        .turn = round * rounds->n_present + i,
        };

        return probe_place_find(&rounds->probing, &wish, run, &rounds->tally);
}

/* Sets the readers of a run; false if there is no place for one of them. */
static bool find_places(struct rounds *rounds, unsigned round, unsigned i, uint64_t bytes) {
        const struct probe_source *source = source_at(rounds, i);
        unsigned n = source_streams(source);
        uint64_t soft_usec = soft_deadline(rounds);

        for (unsigned k = 0; k < n; k++) {
                struct probe_run *run = &rounds->readers[k];
                int r;

                *run = (struct probe_run){
                                .fd = source->fds[round * n + k],
                                .workload = source->workload,
                                .bytes = bytes,
                                .window_bytes = source_window(source, rounds->probing.block_bytes),
                                .readahead_bytes = source->readahead_bytes,
                                .number = round * rounds->n_present + i,
                                .soft_usec = soft_usec,
                };
                if (probe_workload_is_random(source->workload))
                        r = probe_random_find(&rounds->probing, run, &rounds->tally);
                else
                        r = find_place(rounds, round, i, k, run);
                if (r > 0)
                        continue;
                rounds->cached_error = r;
                rounds->in_use[rounds->present[i]] = !probing_is_over(&rounds->probing);
                return false;
        }
        return true;
}

static int run_readers(struct rounds *rounds, const struct probe_source *source, double *ret_mbps) {
        unsigned n = source_streams(source);

        if (probe_workload_is_random(source->workload))
                return probe_run_random(&rounds->probing, rounds->readers, ret_mbps);
        if (n > 1)
                return probe_run_streams(&rounds->probing, rounds->readers, n, ret_mbps);
        return probe_run_sequential(&rounds->probing, rounds->readers, ret_mbps);
}

/* By the counters of the device; 0 where they do not tell. */
static uint64_t fetched_bytes(const struct rounds *rounds) {
        const struct probe_ops *ops = rounds->probing.setup->ops;
        uint64_t bytes;

        return ops->fetched(ops->userdata, rounds->readers->fd, &bytes) < 0 ? 0 : bytes;
}

static int read_and_count(struct rounds *rounds, unsigned round, unsigned i) {
        const struct probe_source *source = source_at(rounds, i);
        struct probe_series *series = &rounds->series[rounds->present[i]];
        uint64_t bytes_before = rounds->probing.bytes_read, fetched_before = fetched_bytes(rounds), bytes, fetched, now;
        uint64_t around_before = rounds->probing.bytes_around;
        double mbps = 0;
        int r;

        r = run_readers(rounds, source, &mbps);
        if (r < 0)
                return r;
        now = probing_now(&rounds->probing);
        rounds->late_usec = now > rounds->readers->soft_usec ? now - rounds->readers->soft_usec : 0;
        bytes = rounds->probing.bytes_read - bytes_before;
        fetched = fetched_bytes(rounds);
        series->bytes_read += bytes;
        if (mbps <= 0 || round == rounds->n_runs)
                return 0;
        series->mbps[series->n_runs++] = mbps;
        /* Nothing fetched is a device that does not count. */
        if (fetched > fetched_before) {
                series->bytes_asked += bytes - (rounds->probing.bytes_around - around_before);
                series->bytes_fetched += fetched - fetched_before;
        }
        return 0;
}

int probe_one_run(struct rounds *rounds, unsigned round, unsigned i) {
        const struct probe_source *source = source_at(rounds, i);
        uint64_t bytes = reader_bytes(rounds, source);
        int r = 0;

        if (!is_worth_it(rounds, source, bytes))
                rounds->out_of_bytes = true;
        if (rounds->out_of_bytes || probing_is_over(&rounds->probing))
                return 0;
        /* Where there was no place once, there will be none soon: all of the device has been looked at. */
        if (!rounds->in_use[rounds->present[i]] && find_places(rounds, round, i, bytes))
                r = read_and_count(rounds, round, i);
        if (r < 0)
                return r;
        rounds->runs_left--;
        show_progress(rounds);
        return 0;
}
