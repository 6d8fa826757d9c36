/* SPDX-License-Identifier: MIT */

#include "common/probe-shift.h"

static uint64_t now_usec(void *userdata) {
        const struct probe_shift *shift = userdata;

        return shift->ops->now_usec(shift->ops->userdata);
}

static void pause_shifted(void *userdata, uint64_t usec) {
        const struct probe_shift *shift = userdata;

        shift->ops->pause(shift->ops->userdata, usec);
}

static int drop(void *userdata, int fd, uint64_t offset_bytes, uint64_t bytes) {
        const struct probe_shift *shift = userdata;

        return shift->ops->drop(shift->ops->userdata, fd, offset_bytes + shift->offset_bytes, bytes);
}

static ssize_t read_shifted(void *userdata, int fd, void *buffer, size_t size, uint64_t offset_bytes) {
        const struct probe_shift *shift = userdata;

        return shift->ops->read(shift->ops->userdata, fd, buffer, size, offset_bytes + shift->offset_bytes);
}

static int fault(void *userdata, int fd, uint64_t offset_bytes) {
        const struct probe_shift *shift = userdata;

        return shift->ops->fault(shift->ops->userdata, fd, offset_bytes + shift->offset_bytes);
}

static int cached(void *userdata, int fd, uint64_t offset_bytes, uint64_t bytes, uint64_t *ret_bytes) {
        const struct probe_shift *shift = userdata;

        return shift->ops->cached(shift->ops->userdata, fd, offset_bytes + shift->offset_bytes, bytes, ret_bytes);
}

static int in_flight(void *userdata, int fd, uint64_t *ret) {
        const struct probe_shift *shift = userdata;

        return shift->ops->in_flight(shift->ops->userdata, fd, ret);
}

static int fetched(void *userdata, int fd, uint64_t *ret_bytes) {
        const struct probe_shift *shift = userdata;

        return shift->ops->fetched(shift->ops->userdata, fd, ret_bytes);
}

struct probe_ops probe_shift_begin(struct probe_shift *shift, const struct probe_ops *ops, uint64_t offset_bytes) {
        *shift = (struct probe_shift){.ops = ops, .offset_bytes = offset_bytes};
        return (struct probe_ops){
                        .now_usec = now_usec,
                        .pause = pause_shifted,
                        .drop = drop,
                        .read = read_shifted,
                        .fault = fault,
                        .cached = cached,
                        .in_flight = in_flight,
                        .fetched = fetched,
                        .userdata = shift,
        };
}
