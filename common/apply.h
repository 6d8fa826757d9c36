/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Makes one change: the only place that sets a device's readahead to stay (tune-run.h does for moments). It may block on
 * the device for ever, so it is run in a worker. No logging; what happened is in the result.
 */

#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "probe-compare.h"
#include "probe-device.h"

/* Plain data. */
struct apply_request {
        struct device_identity device;
        uint64_t from_sectors; /* what the plan saw, and what it must still be */
        uint64_t to_sectors;   /* in whole pages: readahead_round() */
        bool probe;
        enum probe_workload workload;
        struct probe_limits probe_limits;
        struct keep_condition keep_if; /* of the probe: else it is put back */
        bool has_array;                /* read the array beneath as well, for comparison */
        struct device_identity array;
        char probe_skipped[128];         /* why there is no probe although the rule asks for one; "" otherwise */
        struct probe_progress *progress; /* of the probe, shared with who waits for it; may be NULL */
};

/* How far it came; also which call failed. */
enum apply_step { APPLY_OPEN, APPLY_GET, APPLY_SET, APPLY_VERIFY, APPLY_PROBE, APPLY_DONE };

/* Plain data. */
struct apply_result {
        int error;               /* 0, or the negative errno of the step that failed */
        enum apply_step step;    /* APPLY_PROBE: a read of the probe failed, the change stands, and error is 0 */
        uint64_t before_sectors; /* BLKRAGET just before */
        uint64_t after_sectors;  /* BLKRAGET afterwards; differs from to_sectors if -EREMOTEIO */
        bool changed;            /* the device has another readahead than before */
        bool put_back;           /* what was measured is not what keep_if asks for: it was changed, and changed back */
        int put_back_error; /* should have been, but: a negative errno. -EAGAIN: it was set by somebody meanwhile */
        struct probe_result probe;
};

/* "open", "BLKRAGET", "BLKRASET", … */
const char *apply_step_name(enum apply_step step);

/*
 * Opens, checks identity, opens the "before" descriptors of the probe, sets, reads back, looks whether others use the
 * device, opens the "after" ones, probes.
 * -ESTALE, -ENODEV: the device is gone or another one. -EAGAIN: its readahead is no longer what the plan saw. Nothing was
 * touched then. -EREMOTEIO: the value read back is not the one that was set. A probe that fails or is skipped does not
 * undo the change: probe.skipped says why. One whose result is not what keep_if asks for does. Returns ret->error.
 */
int apply_change(const struct apply_request *request, struct apply_result *ret);

/* Seams for tests. */
struct apply_ops {
        struct probe_device_ops device;
        int (*set_readahead)(
                        void *userdata, int fd, uint64_t sectors); /* as device_set_readahead(); device's userdata */
        const struct probe_ops *probe;
};

/* apply_change() over OPS. */
int apply_change_with(const struct apply_ops *ops, const struct apply_request *request, struct apply_result *ret);
