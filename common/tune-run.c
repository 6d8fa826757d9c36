/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "common/ledger-lock.h"
#include "common/probe-shift.h"
#include "common/tune-run.h"

/* For each value: the runs, a warm-up, and one for random reads. */
#define FDS_OF_VALUE (TUNE_RUNS_MAX + 2)
#define FD_WARM_UP   TUNE_RUNS_MAX
#define FD_RANDOM    (TUNE_RUNS_MAX + 1)

/* A run may take this part of the time. */
#define TIME_PART 12

/* What is on record as the rule of a trial. */
#define RULE "setractl tune"

struct run {
        const struct tune_ops *ops;
        const struct tune_request *request;
        struct tune_result *result;
        struct probe_fds fds[TUNE_VALUES_MAX]; /* of each value */
        uint64_t size_bytes;
        uint64_t position_bytes; /* where the next run reads: never twice in one place, but on a small device */
        uint64_t end_usec;
        struct probe_seen seen;
};

const char *tune_step_name(enum tune_step step) {
        static const char *const names[] = {
                        [TUNE_OPEN] = "open",
                        [TUNE_GET] = "BLKRAGET",
                        [TUNE_LEDGER] = "the ledger",
                        [TUNE_SET] = "BLKRASET",
                        [TUNE_RESTORE] = "putting back",
                        [TUNE_READ] = "read",
                        [TUNE_DONE] = "done",
        };

        return names[step];
}

static void run_done(struct run *run) {
        for (size_t i = 0; i < TUNE_VALUES_MAX; i++)
                probe_fds_close(&run->fds[i]);
}

/* --- descriptors at every value */

static int get_readahead(const struct run *run, int fd, uint64_t *ret) {
        return run->ops->device->get_readahead(run->ops->device->userdata, fd, ret);
}

/* -EAGAIN if the device has not SECTORS. */
static int check_readahead(struct run *run, int fd, uint64_t sectors) {
        uint64_t now;
        int r;

        r = get_readahead(run, fd, &now);
        if (r < 0 || now == sectors)
                return r;
        run->result->left_sectors = now;
        return -EAGAIN;
}

static int open_value(struct run *run, size_t i) {
        run->result->step = TUNE_OPEN;
        return probe_fds_open(run->ops->device, &run->request->device, FDS_OF_VALUE, &run->fds[i]);
}

/* What it had, unless somebody has set it meanwhile: then that stays. */
static int restore(struct run *run, int fd, uint64_t sectors) {
        int r;

        r = check_readahead(run, fd, sectors);
        if (r == 0)
                r = run->ops->set_readahead(run->ops->userdata, fd, run->request->now_sectors);
        if (r == 0)
                r = check_readahead(run, fd, run->request->now_sectors);
        if (r < 0 && r != -EAGAIN) {
                run->result->is_left = true;
                run->result->left_sectors = sectors;
        }
        return r;
}

static int try_value(struct run *run, struct ledger_section *section, int fd, size_t i) {
        const struct tune_request *request = run->request;
        uint64_t sectors = request->tune->values[i].sectors;
        const struct ledger_change change = {.label = request->label,
                        .rule = RULE,
                        .from_sectors = request->now_sectors,
                        .to_sectors = sectors,
                        .stack = request->stack,
                        .trial = true};
        int r, restored;

        run->result->step = TUNE_LEDGER;
        r = ledger_section_note(section, &change);
        if (r < 0)
                return r;
        run->result->step = TUNE_SET;
        r = run->ops->set_readahead(run->ops->userdata, fd, sectors);
        if (r < 0)
                return r;
        r = check_readahead(run, fd, sectors);
        if (r == -EAGAIN)
                return r;
        if (r == 0)
                r = open_value(run, i);
        restored = restore(run, fd, sectors);
        if (restored < 0)
                run->result->step = TUNE_RESTORE;
        return restored < 0 ? restored : r;
}

/* Those of what the device has first, which needs no change. */
static int open_values(struct run *run, struct ledger_section *section, int fd) {
        const struct tune *tune = run->request->tune;
        size_t now = tune_find(tune, run->request->now_sectors);
        int r = 0;

        if (now < tune->n_values)
                r = open_value(run, now);
        for (size_t i = 0; r == 0 && i < tune->n_values; i++)
                if (i != now)
                        r = try_value(run, section, fd, i);
        return r;
}

static int in_section(struct run *run, int fd) {
        const struct tune_request *request = run->request;
        _cleanup_(ledger_section_freep) struct ledger_section *section = NULL;
        int r, ended;

        run->result->step = TUNE_LEDGER;
        r = ledger_section_begin(request->ledger_directory, LEDGER_LOCK_TIMEOUT_MSEC, &request->device, &section,
                        &run->result->ledger_damaged);
        if (r < 0)
                return r;
        run->result->step = TUNE_GET;
        r = check_readahead(run, fd, request->now_sectors);
        if (r < 0)
                return r;
        r = open_values(run, section, fd);
        /* What could not be put back stays on record, as pending. */
        ended = run->result->is_left ? 0 : ledger_section_end(section);
        if (r == 0 && ended < 0)
                run->result->step = TUNE_LEDGER;
        return r < 0 ? r : ended;
}

/*
 * A signal that is to end this process, or to stop it (Ctrl-Z), waits until the device has what it had: as long as that has
 * not, nobody else gets the ledger.
 */
static int open_all(struct run *run) {
        const struct probe_device_ops *device = run->ops->device;
        _cleanup_(closep) int fd = -1;
        sigset_t all, before;
        int r;

        run->result->step = TUNE_OPEN;
        fd = device->open(device->userdata, &run->request->device);
        if (fd < 0)
                return fd;
        r = device->get_size(device->userdata, fd, &run->size_bytes);
        if (r < 0)
                return r;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, &before);
        r = in_section(run, fd);
        sigprocmask(SIG_SETMASK, &before, NULL);
        return r;
}

/* --- runs */

static uint64_t now_usec(const struct run *run) {
        return run->ops->probe->now_usec(run->ops->probe->userdata);
}

static void show_progress(const struct run *run) {
        struct probe_progress *progress = run->request->progress;
        const struct tune *tune = run->request->tune;
        unsigned planned = 0;

        if (!progress)
                return;
        progress->bytes_read = tune->bytes_read;
        progress->runs_done++;
        /* The first values, and about as many runs again; nobody knows before. */
        for (size_t i = 0; i < tune->n_values; i++)
                planned += tune->values[i].coarse ? 2 : 0;
        progress->runs_planned = progress->runs_done < planned ? planned : progress->runs_done + 1;
}

/* One run through one descriptor of value I. *ret_bytes and the series' n_runs are 0 where there was no time. */
static int measure(struct run *run, size_t i, unsigned which, enum probe_workload workload, uint64_t bytes,
                uint64_t offset, struct probe_series *ret) {
        uint64_t now = now_usec(run), left = run->end_usec > now ? (run->end_usec - now) / 1000 : 0;
        uint64_t part = run->request->time_msec / TIME_PART;
        struct probe_shift shift;
        const struct probe_ops ops = probe_shift_begin(&shift, run->ops->probe, offset);
        const struct probe_source source = {
                        .fds = &run->fds[i].fds[which],
                        .size_bytes = run->size_bytes - offset,
                        .readahead_bytes = run->request->tune->values[i].sectors * SECTOR_BYTES,
                        .workload = workload,
        };
        const struct probe_setup setup = {
                        .ops = &ops,
                        .limits = {.time_msec = left < part ? left : part,
                                        .bytes_per_run = bytes,
                                        .runs = 1,
                                        .no_warm_up = true},
                        .sources = &source,
                        .n_sources = 1,
        };

        run->result->step = TUNE_READ;
        return probe_measure(&setup, ret, run->result->skipped);
}

static uint64_t stripe_unit(const struct tune *tune) {
        bool fits = tune->stripe_bytes > 0 && tune->stripe_bytes % PROBE_BLOCK_BYTES == 0 &&
                    tune->stripe_bytes <= tune->bytes_per_run;

        return fits ? tune->stripe_bytes : PROBE_BLOCK_BYTES;
}

/*
 * Where a run of so many bytes reads: behind the last one and what the kernel has read ahead there. Which members a window
 * of readahead is on depends on where in a stripe it begins, so that all begin as they do for who reads the device from
 * its start.
 */
static uint64_t take_place(struct run *run, size_t i, uint64_t bytes) {
        uint64_t window_bytes = run->request->tune->values[i].sectors * SECTOR_BYTES,
                 need_bytes = bytes + 2 * window_bytes, unit_bytes = stripe_unit(run->request->tune), start_bytes;

        need_bytes += unit_bytes - need_bytes % unit_bytes;
        if (run->position_bytes + need_bytes > run->size_bytes)
                run->position_bytes = 0;
        start_bytes = run->position_bytes;
        if (start_bytes + need_bytes <= run->size_bytes)
                run->position_bytes += need_bytes;
        return start_bytes > 0 ? start_bytes - probe_lead_bytes(window_bytes, PROBE_BLOCK_BYTES) : 0;
}

/* Of a value that the device has, larger than any that a run can show, the time from the first byte on is more honest. */
static enum probe_workload workload_of(const struct tune *tune, size_t i) {
        return tune->values[i].sectors > tune_shown_max(tune->bytes_per_run) ? PROBE_SEQUENTIAL_COLD : PROBE_SEQUENTIAL;
}

/* False where there was no time for it. */
static int run_value(struct run *run, size_t i, unsigned which, struct probe_series *ret) {
        const struct tune *tune = run->request->tune;
        uint64_t bytes = tune_run_bytes(tune, i);
        int r;

        r = measure(run, i, which, workload_of(tune, i), bytes, take_place(run, i, bytes), ret);
        if (r < 0)
                return r;
        return ret->n_runs > 0;
}

/* What is read first on a machine is slower for reasons of its own. */
static int warm_up(struct run *run) {
        struct probe_series series;
        int r;

        r = run_value(run, 0, FD_WARM_UP, &series);
        run->request->tune->bytes_read += series.bytes_read;
        return r;
}

static int measure_sequential(struct run *run) {
        struct tune *tune = run->request->tune;
        struct probe_series series;
        size_t i;
        int r;

        r = warm_up(run);
        while (r > 0 && now_usec(run) < run->end_usec && tune_next(tune, &i)) {
                r = run_value(run, i, tune->values[i].n_runs, &series);
                if (r > 0)
                        tune_add(tune, i, series.mbps[0], series.bytes_read);
                show_progress(run);
        }
        /* Also where the share of a run was not enough for the windows that it needs. */
        run->result->time_is_over = r == 0 || now_usec(run) >= run->end_usec;
        return r < 0 ? r : 0;
}

/* Of every value that has been measured. */
static int measure_random(struct run *run) {
        struct tune *tune = run->request->tune;

        run->end_usec = now_usec(run) + run->request->time_msec * 1000;
        for (size_t i = 0; i < tune->n_values; i++) {
                struct probe_series series;
                int r;

                if (tune->values[i].n_runs == 0)
                        continue;
                r = measure(run, i, FD_RANDOM, PROBE_RANDOM_MAPPED, tune_run_bytes(tune, i), 0, &series);
                if (r < 0)
                        return r;
                tune->values[i].bytes_asked = series.bytes_asked;
                tune->values[i].bytes_fetched = series.bytes_fetched;
                show_progress(run);
        }
        return 0;
}

static void check_disturbed(struct run *run) {
        const struct tune *tune = run->request->tune;
        uint64_t own = tune->bytes_read, ahead = 0, bytes;

        for (size_t i = 0; i < tune->n_values; i++) {
                if (!probe_bytes_ahead(tune->values[i].sectors, tune->values[i].n_runs + 1, &bytes))
                        return;
                ahead += bytes;
        }
        run->result->disturbed =
                        probe_device_was_disturbed(run->ops->device, &run->request->device, &run->seen, own, ahead);
}

static int measure_all(struct run *run) {
        struct tune_result *result = run->result;
        struct tune_choice choice;
        int r;

        run->end_usec = now_usec(run) + run->request->time_msec * 1000;
        r = measure_sequential(run);
        if (r < 0)
                return r;
        if (!tune_choose(run->request->tune, &choice)) {
                if (!*result->skipped)
                        snprintf(result->skipped, sizeof(result->skipped), "there was no time for one run");
                return 0;
        }
        result->skipped[0] = '\0';
        result->time_is_over = result->time_is_over && !choice.finished;
        check_disturbed(run);
        r = run->request->mixed ? measure_random(run) : 0;
        result->skipped[0] = '\0';
        return r;
}

int tune_run_with(const struct tune_ops *ops, const struct tune_request *request, struct tune_result *ret) {
        const struct device_identity *device = &request->device;
        struct tune_result result = {.step = TUNE_OPEN};
        _cleanup_(run_done) struct run run = {.ops = ops, .request = request, .result = &result};
        int r = 0;

        if (!probe_devices_are_busy(ops->device, &device, 1, &run.seen, result.skipped, sizeof(result.skipped))) {
                r = open_all(&run);
                if (r == 0)
                        r = measure_all(&run);
        }
        result.error = r;
        if (r == 0)
                result.step = TUNE_DONE;
        *ret = result;
        return r;
}

static int real_set_readahead(void *userdata, int fd, uint64_t sectors) {
        return device_set_readahead(fd, sectors);
}

int tune_run(const struct tune_request *request, struct tune_result *ret) {
        static const struct tune_ops ops = {.device = &probe_device_ops_real,
                        .set_readahead = real_set_readahead,
                        .probe = &probe_ops_real};

        return tune_run_with(&ops, request, ret);
}
