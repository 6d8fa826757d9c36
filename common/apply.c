/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/apply.h"
#include "common/cleanup.h"
#include "common/topology.h"

struct change {
        const struct apply_ops *ops;
        const struct apply_request *request;
        struct apply_result *result;
        struct probe_fds fds[_PROBE_ROLE_MAX];
        bool probe;             /* still to be done */
        struct probe_seen seen; /* of the device, just before the probe */
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

static int real_set_readahead(void *userdata, int fd, uint64_t sectors) {
        return device_set_readahead(fd, sectors);
}

static void change_done(struct change *change) {
        for (unsigned i = 0; i < _PROBE_ROLE_MAX; i++)
                probe_fds_close(&change->fds[i]);
}

static int open_fds(struct change *change, enum probe_role which, const struct device_identity *identity) {
        return probe_fds_open(&change->ops->device, identity, probe_fds_needed(&change->request->probe_limits, 1),
                        &change->fds[which]);
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
        r = open_fds(change, PROBE_BEFORE, &change->request->device);
        if (r < 0)
                skip_probe(change, "open", r);
}

static int set_and_verify(struct change *change, int fd) {
        const struct apply_ops *ops = change->ops;
        const struct probe_device_ops *device = &ops->device;
        struct apply_result *result = change->result;
        int r;

        result->step = APPLY_SET;
        r = ops->set_readahead(device->userdata, fd, change->request->to_sectors);
        if (r < 0)
                return r;
        /* As long as nothing else is known: what may be changed must stay on record. */
        result->after_sectors = change->request->to_sectors;
        result->changed = result->after_sectors != result->before_sectors;
        result->step = APPLY_VERIFY;
        r = device->get_readahead(device->userdata, fd, &result->after_sectors);
        if (r < 0)
                return r;
        result->changed = result->after_sectors != result->before_sectors;
        return result->after_sectors == change->request->to_sectors ? 0 : -EREMOTEIO;
}

static int make_change(struct change *change) {
        const struct probe_device_ops *device = &change->ops->device;
        struct apply_result *result = change->result;
        _cleanup_(closep) int fd = -1;
        int r;

        result->step = APPLY_OPEN;
        fd = device->open(device->userdata, &change->request->device);
        if (fd < 0)
                return fd;
        result->step = APPLY_GET;
        r = device->get_readahead(device->userdata, fd, &result->before_sectors);
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
        const struct apply_request *request = change->request;
        const struct device_identity *devices[] = {&request->device, &request->array};
        struct probe_seen seen[ARRAY_SIZE(devices)] = {};
        char reason[sizeof(change->result->probe.skipped)];
        bool busy;

        busy = probe_devices_are_busy(
                        &change->ops->device, devices, request->has_array ? 2 : 1, seen, reason, sizeof(reason));
        if (busy)
                skip_probe(change, reason, 0);
        change->seen = seen[0];
        return busy;
}

/* Others that began after the look before: what they have read of the device shows. */
static void check_disturbed(struct change *change) {
        const struct apply_result *result = change->result;
        const struct probe_series *series = result->probe.series;
        uint64_t own = series[PROBE_BEFORE].bytes_read + series[PROBE_AFTER].bytes_read, ahead, ahead_after;

        if (result->probe.verdict == PROBE_NONE ||
                        !probe_bytes_ahead(result->before_sectors, change->fds[PROBE_BEFORE].n, &ahead) ||
                        !probe_bytes_ahead(result->after_sectors, change->fds[PROBE_AFTER].n, &ahead_after) ||
                        __builtin_add_overflow(ahead, ahead_after, &ahead))
                return;
        if (probe_device_was_disturbed(&change->ops->device, &change->request->device, &change->seen, own, ahead))
                skip_probe(change, "others were reading meanwhile", 0);
}

static int make_source(const struct change *change, enum probe_role which, uint64_t readahead_sectors,
                struct probe_source *ret) {
        struct probe_source source = {.workload = change->request->workload};
        int r;

        r = probe_source_set(&change->ops->device, &change->fds[which], readahead_sectors, &source);
        if (r < 0)
                return r;
        *ret = source;
        return 0;
}

/* The array is for comparison only: without it the rest is measured all the same. */
static int add_array(struct change *change, struct probe_source *ret) {
        const struct probe_device_ops *device = &change->ops->device;
        uint64_t sectors;
        int r;

        r = open_fds(change, PROBE_ARRAY, &change->request->array);
        if (r < 0)
                return r;
        r = device->get_readahead(device->userdata, change->fds[PROBE_ARRAY].fds[0], &sectors);
        if (r < 0)
                return r;
        return make_source(change, PROBE_ARRAY, sectors, ret);
}

static int probe_change(struct change *change) {
        struct probe_source sources[_PROBE_ROLE_MAX] = {};
        const struct apply_result *result = change->result;
        int r;

        r = open_fds(change, PROBE_AFTER, &change->request->device);
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
        return probe_compare(change->ops->probe, &change->request->probe_limits, sources, change->request->progress,
                        &change->result->probe);
}

/* The value that was there before, on a descriptor whose device is known to be the same still. */
static int put_back(struct change *change) {
        const struct apply_ops *ops = change->ops;
        const struct probe_device_ops *device = &ops->device;
        struct apply_result *result = change->result;
        _cleanup_(closep) int fd = -1;
        uint64_t sectors;
        int r;

        fd = device->open(device->userdata, &change->request->device);
        if (fd < 0)
                return fd;
        r = device->get_readahead(device->userdata, fd, &sectors);
        if (r < 0)
                return r;
        if (sectors == change->request->to_sectors) {
                r = ops->set_readahead(device->userdata, fd, result->before_sectors);
                if (r < 0)
                        return r;
                r = device->get_readahead(device->userdata, fd, &result->after_sectors);
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
        const struct apply_ops ops = {
                        .device = probe_device_ops_real, .set_readahead = real_set_readahead, .probe = &probe_ops_real};

        return apply_change_with(&ops, request, ret);
}
