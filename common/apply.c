/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/apply.h"
#include "common/cleanup.h"
#include "common/topology.h"

/* The descriptors of one series, all opened at the same readahead. */
struct series_fds {
        int fds[PROBE_FDS_MAX];
        unsigned n;
};

struct change {
        const struct apply_ops *ops;
        const struct apply_request *request;
        struct apply_result *result;
        struct series_fds series[_PROBE_ROLE_MAX];
        bool probe; /* still to be done */
        bool counters_known;
        struct io_counters counters; /* of the device, just before the probe */
};

const char *apply_step_name(enum apply_step step) {
        switch (step) {
        case APPLY_OPEN: return "open";
        case APPLY_GET: return "BLKRAGET";
        case APPLY_SET: return "BLKRASET";
        case APPLY_VERIFY: return "reading back";
        case APPLY_PROBE: return "probe";
        case APPLY_DONE: break;
        }
        return "done";
}

static int real_open(void *userdata, const struct device_identity *identity) {
        return device_open(identity);
}

static int real_get_readahead(void *userdata, int fd, uint64_t *ret_sectors) {
        return device_get_readahead(fd, ret_sectors);
}

static int real_set_readahead(void *userdata, int fd, uint64_t sectors) {
        return device_set_readahead(fd, sectors);
}

static int real_get_size(void *userdata, int fd, uint64_t *ret_bytes) {
        return device_get_size(fd, ret_bytes);
}

static int real_get_counters(void *userdata, const struct device_identity *identity, struct io_counters *ret) {
        _cleanup_(closep) int fd = -1;
        char path[64], text[256];
        ssize_t n;

        snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", identity->major, identity->minor);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return -errno;
        n = read(fd, text, sizeof(text) - 1);
        if (n < 0)
                return -errno;
        text[n] = '\0';
        return io_counters_parse(text, ret);
}

static void real_pause(void *userdata, unsigned msec) {
        const struct timespec time = {.tv_sec = msec / 1000, .tv_nsec = (long)(msec % 1000) * 1000000};

        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static const struct apply_ops apply_ops_real = {
                .open = real_open,
                .get_readahead = real_get_readahead,
                .set_readahead = real_set_readahead,
                .get_size = real_get_size,
                .get_counters = real_get_counters,
                .pause = real_pause,
                .probe = &probe_ops_real,
};

static void series_close(struct series_fds *series) {
        while (series->n > 0)
                close(series->fds[--series->n]);
}

static void change_done(struct change *change) {
        for (unsigned i = 0; i < _PROBE_ROLE_MAX; i++)
                series_close(&change->series[i]);
}

static int series_open(struct change *change, enum probe_role which, const struct device_identity *identity) {
        struct series_fds *series = &change->series[which];
        unsigned runs = change->request->probe_limits.runs;

        if (runs > PROBE_RUNS_MAX)
                runs = PROBE_RUNS_MAX;
        while (series->n < runs + 1) {
                int fd = change->ops->open(change->ops->userdata, identity);

                if (fd < 0) {
                        series_close(series);
                        return fd;
                }
                series->fds[series->n++] = fd;
        }
        return 0;
}

static void skip_probe(struct change *change, const char *reason, int error) {
        struct probe_result *probe = &change->result->probe;

        change->probe = false;
        *probe = (struct probe_result){};
        errno = -error;
        if (error < 0)
                snprintf(probe->skipped, sizeof(probe->skipped), "%s: %m", reason);
        else
                snprintf(probe->skipped, sizeof(probe->skipped), "%s", reason);
}

/* These keep the readahead that the device has now. */
static void open_before(struct change *change) {
        int r;

        if (!change->probe)
                return;
        r = series_open(change, PROBE_BEFORE, &change->request->device);
        if (r < 0)
                skip_probe(change, "open", r);
}

static int set_and_verify(struct change *change, int fd) {
        const struct apply_ops *ops = change->ops;
        struct apply_result *result = change->result;
        int r;

        result->step = APPLY_SET;
        r = ops->set_readahead(ops->userdata, fd, change->request->to_sectors);
        if (r < 0)
                return r;
        result->step = APPLY_VERIFY;
        r = ops->get_readahead(ops->userdata, fd, &result->after_sectors);
        if (r < 0)
                return r;
        result->changed = result->after_sectors != result->before_sectors;
        return result->after_sectors == change->request->to_sectors ? 0 : -EREMOTEIO;
}

static int make_change(struct change *change) {
        const struct apply_ops *ops = change->ops;
        struct apply_result *result = change->result;
        _cleanup_(closep) int fd = -1;
        int r;

        result->step = APPLY_OPEN;
        fd = ops->open(ops->userdata, &change->request->device);
        if (fd < 0)
                return fd;
        result->step = APPLY_GET;
        r = ops->get_readahead(ops->userdata, fd, &result->before_sectors);
        if (r < 0)
                return r;
        result->after_sectors = result->before_sectors;
        /* A rule that only raises might lower what somebody has set meanwhile, and the ledger has the older value. */
        if (result->before_sectors != change->request->from_sectors)
                return -EAGAIN;
        open_before(change);
        return set_and_verify(change, fd);
}

/* Whether others use the device, or the array it is compared with, too much for the figures to be its own. */
static bool is_busy(struct change *change) {
        const struct apply_ops *ops = change->ops;
        const struct apply_request *request = change->request;
        const struct device_identity *devices[] = {&request->device, &request->array};
        const size_t n = request->has_array ? 2 : 1;
        struct io_counters first[ARRAY_SIZE(devices)], then[ARRAY_SIZE(devices)];
        bool known[ARRAY_SIZE(devices)], busy = false;
        char reason[sizeof(change->result->probe.skipped)];

        for (size_t i = 0; i < n; i++)
                known[i] = ops->get_counters(ops->userdata, devices[i], &first[i]) == 0;
        ops->pause(ops->userdata, PROBE_LOOK_MSEC);
        for (size_t i = 0; i < n; i++)
                known[i] = ops->get_counters(ops->userdata, devices[i], &then[i]) == 0 && known[i];
        for (size_t i = 0; i < n && !busy; i++)
                busy = known[i] && probe_busy_reason(devices[i]->name, &first[i], &then[i], reason, sizeof(reason));
        if (busy)
                skip_probe(change, reason, 0);
        change->counters_known = known[0];
        if (known[0])
                change->counters = then[0];
        return busy;
}

/* A run reads ahead beyond its end what is under way then: two windows at most. */
#define WINDOWS_AHEAD 2

/* Others that began after the look before: what they have read of the device shows. */
static void check_disturbed(struct change *change) {
        const struct apply_ops *ops = change->ops;
        const struct apply_result *result = change->result;
        const struct probe_series *series = result->probe.series;
        struct io_counters then;
        uint64_t own, ahead;

        if (!change->counters_known || result->probe.verdict == PROBE_NONE ||
                        ops->get_counters(ops->userdata, &change->request->device, &then) < 0)
                return;
        own = series[PROBE_BEFORE].bytes_read + series[PROBE_AFTER].bytes_read;
        if (__builtin_add_overflow(result->before_sectors * change->series[PROBE_BEFORE].n,
                            result->after_sectors * change->series[PROBE_AFTER].n, &ahead) ||
                        __builtin_mul_overflow(ahead, WINDOWS_AHEAD * SECTOR_BYTES, &ahead))
                return;
        if (probe_was_disturbed(&change->counters, &then, own, ahead))
                skip_probe(change, "others were reading meanwhile", 0);
}

static int make_source(const struct change *change, enum probe_role which, uint64_t readahead_sectors,
                struct probe_source *ret) {
        const struct series_fds *series = &change->series[which];
        struct probe_source source = {.fds = series->fds, .workload = change->request->workload};
        int r;

        r = change->ops->get_size(change->ops->userdata, series->fds[0], &source.size_bytes);
        if (r < 0)
                return r;
        if (__builtin_mul_overflow(readahead_sectors, SECTOR_BYTES, &source.readahead_bytes))
                return -ERANGE;
        *ret = source;
        return 0;
}

/* The array is for comparison only: without it the rest is measured all the same. */
static int add_array(struct change *change, struct probe_source *ret) {
        uint64_t sectors;
        int r;

        r = series_open(change, PROBE_ARRAY, &change->request->array);
        if (r < 0)
                return r;
        r = change->ops->get_readahead(change->ops->userdata, change->series[PROBE_ARRAY].fds[0], &sectors);
        if (r < 0)
                return r;
        return make_source(change, PROBE_ARRAY, sectors, ret);
}

static int probe_change(struct change *change) {
        struct probe_source sources[_PROBE_ROLE_MAX] = {};
        const struct apply_result *result = change->result;
        int r;

        r = series_open(change, PROBE_AFTER, &change->request->device);
        if (r < 0)
                return r;
        r = make_source(change, PROBE_BEFORE, result->before_sectors, &sources[PROBE_BEFORE]);
        if (r < 0)
                return r;
        r = make_source(change, PROBE_AFTER, result->after_sectors, &sources[PROBE_AFTER]);
        if (r < 0)
                return r;
        if (change->request->has_array)
                (void)add_array(change, &sources[PROBE_ARRAY]);
        return probe_compare(change->ops->probe, &change->request->probe_limits, sources, &change->result->probe);
}

/* The value that was there before, on a descriptor whose device is known to be the same still. */
static int put_back(struct change *change) {
        const struct apply_ops *ops = change->ops;
        struct apply_result *result = change->result;
        _cleanup_(closep) int fd = -1;
        uint64_t sectors;
        int r;

        fd = ops->open(ops->userdata, &change->request->device);
        if (fd < 0)
                return fd;
        r = ops->get_readahead(ops->userdata, fd, &sectors);
        if (r < 0)
                return r;
        if (sectors == change->request->to_sectors) {
                r = ops->set_readahead(ops->userdata, fd, result->before_sectors);
                if (r < 0)
                        return r;
                r = ops->get_readahead(ops->userdata, fd, &result->after_sectors);
                if (r < 0)
                        return r;
                r = result->after_sectors == result->before_sectors ? 0 : -EREMOTEIO;
        } else {
                result->after_sectors = sectors;
                r = -EAGAIN;
        }
        result->changed = result->after_sectors != result->before_sectors;
        return r;
}

static void measure_change(struct change *change) {
        struct apply_result *result = change->result;
        int r;

        if (is_busy(change))
                return;
        r = probe_change(change);
        if (r < 0) {
                result->step = APPLY_PROBE;
                skip_probe(change, "reading failed", r);
        }
        check_disturbed(change);
        if (keep_condition_is_met(&change->request->keep_if, &result->probe))
                return;
        result->put_back_error = put_back(change);
        result->put_back = result->put_back_error == 0;
}

int apply_change_with(const struct apply_ops *ops, const struct apply_request *request, struct apply_result *ret) {
        struct apply_result result = {};
        _cleanup_(change_done) struct change change = {
                        .ops = ops, .request = request, .result = &result, .probe = request->probe};

        if (!request->probe)
                snprintf(result.probe.skipped, sizeof(result.probe.skipped), "%s", request->probe_skipped);
        result.error = make_change(&change);
        if (result.error == 0)
                result.step = APPLY_DONE;
        if (result.error == 0 && change.probe)
                measure_change(&change);
        *ret = result;
        return result.error;
}

int apply_change(const struct apply_request *request, struct apply_result *ret) {
        return apply_change_with(&apply_ops_real, request, ret);
}
