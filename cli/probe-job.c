/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/probe-job.h"
#include "common/cleanup.h"
#include "common/probe-interval.h"

/* One measuring of several series by turns. */
struct passing {
        const struct probe_job *job;
        const struct probe_pass *pass;
        struct probe_fds *fds;
        struct probe_source *sources;
        struct probe_series *series; /* of this pass */
        struct probe_series *before; /* what there was of each before it */
};

size_t probe_desk_size(const struct probe_report *report) {
        return sizeof(struct probe_desk) + report->n_items * sizeof(struct probe_take);
}

/* What both have, A's runs first, as far as there is room for B's. */
static void add_series(struct probe_series *a, const struct probe_series *b) {
        for (unsigned i = 0; i < b->n_runs && a->n_runs < PROBE_RUNS_MAX; i++)
                a->mbps[a->n_runs++] = b->mbps[i];
        a->bytes_read += b->bytes_read;
        a->bytes_asked += b->bytes_asked;
        a->bytes_fetched += b->bytes_fetched;
        probe_series_judge(a);
}

static void put_on_desk(struct passing *passing, const struct probe_series *series) {
        struct probe_desk *desk = passing->job->desk;

        desk->in_writing = true;
        for (size_t i = 0; i < passing->pass->n; i++) {
                struct probe_take *take = &desk->takes[passing->pass->first + i];

                take->series = passing->before[i];
                if (passing->pass->limits.runs == 1 && take->series.n_runs < PROBE_RUNS_MAX)
                        take->run_bytes[take->series.n_runs] = series[i].bytes_read;
                add_series(&take->series, &series[i]);
        }
        desk->in_writing = false;
}

/* After each round. */
static bool is_enough(const struct probe_series *series, size_t n, void *userdata) {
        struct passing *passing = userdata;

        put_on_desk(passing, series);
        for (size_t i = 0; i < n; i++)
                if (!probe_median_is_certain(&series[i], PROBE_CERTAIN_SHARE))
                        return false;
        return passing->pass->ends_early;
}

static int open_item(struct passing *passing, size_t i) {
        const struct probe_job *job = passing->job;
        const struct probe_device_ops *ops = job->device_ops;
        const struct probe_item *item = &job->report->items[passing->pass->first + i];
        struct probe_take *take = &job->desk->takes[passing->pass->first + i];
        struct probe_source *source = &passing->sources[i];
        int r;

        r = probe_fds_open(ops, &job->devices[passing->pass->first + i],
                        probe_fds_needed(&passing->pass->limits, item->streams), &passing->fds[i]);
        if (r < 0)
                return r;
        r = ops->get_readahead(ops->userdata, passing->fds[i].fds[0], &take->readahead_sectors);
        if (r < 0)
                return r;
        source->workload = item->workload;
        source->streams = item->streams;
        return probe_source_set(ops, &passing->fds[i], take->readahead_sectors, source);
}

static int measure_pass(struct passing *passing) {
        const struct probe_job *job = passing->job;
        struct probe_desk *desk = job->desk;
        const struct probe_setup setup = {
                        .ops = job->probe_ops,
                        .limits = passing->pass->limits,
                        .sources = passing->sources,
                        .n_sources = passing->pass->n,
                        .enough = is_enough,
                        .userdata = passing,
                        .progress = &desk->progress,
        };
        int r;

        desk->step = PROBE_STEP_OPEN;
        for (size_t i = 0; i < passing->pass->n; i++) {
                desk->failed = passing->pass->first + i;
                passing->before[i] = desk->takes[desk->failed].series;
                r = open_item(passing, i);
                if (r < 0)
                        return r;
        }
        desk->step = PROBE_STEP_READ;
        r = probe_measure(&setup, passing->series, desk->skipped);
        if (r == 0)
                put_on_desk(passing, passing->series);
        return r;
}

static void close_all(struct probe_fds *fds, size_t n) {
        for (size_t i = 0; fds && i < n; i++)
                probe_fds_close(&fds[i]);
}

static int run_pass(const struct probe_job *job, const struct probe_pass *pass) {
        _cleanup_(freep) struct probe_fds *fds = calloc(pass->n, sizeof(*fds));
        _cleanup_(freep) struct probe_source *sources = calloc(pass->n, sizeof(*sources));
        _cleanup_(freep) struct probe_series *series = calloc(pass->n, sizeof(*series));
        _cleanup_(freep) struct probe_series *before = calloc(pass->n, sizeof(*before));
        struct passing passing = {
                        .job = job, .pass = pass, .fds = fds, .sources = sources, .series = series, .before = before};
        int r;

        if (!fds || !sources || !series || !before)
                return -ENOMEM;
        r = measure_pass(&passing);
        close_all(fds, pass->n);
        return r;
}

/* SEEN has an element for each that is watched. */
static bool is_busy(const struct probe_job *job, struct probe_seen *seen) {
        size_t n = job->report->n_watched;
        _cleanup_(freep) const struct device_identity **devices = calloc(n, sizeof(*devices));
        char reason[PROBE_SKIPPED_MAX];

        job->desk->step = PROBE_STEP_LOOK;
        for (size_t i = 0; devices && i < n; i++)
                devices[i] = &job->watched[i];
        if (!devices || !probe_devices_are_busy(job->device_ops, devices, n, seen, reason, sizeof(reason)) ||
                        job->report->request.force)
                return false;
        memcpy(job->desk->skipped, reason, sizeof(reason));
        return true;
}

/* Of the layer itself: more is read beneath it than by it. What random reads fetch is more than they ask for, by far. */
static bool is_disturbed(const struct probe_job *job, const struct probe_seen *seen) {
        const struct probe_report *report = job->report;
        uint64_t own = 0, ahead = 0, bytes;

        if (report->request.form == PROBE_FORM_RANDOM)
                return false;
        for (size_t i = 0; i < report->n_items; i++) {
                const struct probe_take *take = &job->desk->takes[i];
                unsigned runs = (take->series.n_runs + 1) * report->items[i].streams;

                if (report->items[i].layer != report->layer)
                        continue;
                if (!probe_bytes_ahead(take->readahead_sectors, runs, &bytes) ||
                                __builtin_add_overflow(ahead, bytes, &ahead))
                        return false;
                own += take->series.bytes_read;
        }
        return probe_device_was_disturbed(job->device_ops, &job->watched[0], seen, own, ahead);
}

static void run_passes(const struct probe_job *job) {
        struct probe_desk *desk = job->desk;

        for (size_t i = 0; i < job->report->n_passes && desk->skipped[0] == '\0' && desk->error == 0; i++)
                desk->error = run_pass(job, &job->report->passes[i]);
}

int probe_job_run(const void *input, void *result) {
        const struct probe_job *job = input;
        _cleanup_(freep) struct probe_seen *seen = calloc(job->report->n_watched, sizeof(*seen));

        if (!seen) {
                job->desk->error = -ENOMEM;
                return 0;
        }
        probe_fds_allow();
        if (is_busy(job, seen))
                return 0;
        run_passes(job);
        if (job->desk->error < 0)
                return 0;
        job->desk->disturbed = is_disturbed(job, &seen[0]);
        job->desk->step = PROBE_STEP_DONE;
        return 0;
}

bool probe_desk_take(const struct probe_desk *desk, struct probe_report *report) {
        bool measured = false;

        if (desk->in_writing)
                return false;
        for (size_t i = 0; i < report->n_items; i++) {
                if (desk->takes[i].series.n_runs == 0)
                        continue;
                measured = true;
                report->items[i].series = desk->takes[i].series;
                report->items[i].readahead_sectors = desk->takes[i].readahead_sectors;
                memcpy(report->items[i].run_bytes, desk->takes[i].run_bytes, sizeof(desk->takes[i].run_bytes));
        }
        report->disturbed = desk->disturbed;
        return measured;
}
