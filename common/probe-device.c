/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/probe-device.h"
#include "common/topology.h"

#define WINDOWS_AHEAD 2U

static int real_open(void *userdata, const struct device_identity *identity) {
        return device_open(identity);
}

static int real_get_readahead(void *userdata, int fd, uint64_t *ret_sectors) {
        return device_get_readahead(fd, ret_sectors);
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
        do
                n = read(fd, text, sizeof(text) - 1);
        while (n < 0 && errno == EINTR);
        if (n < 0)
                return -errno;
        text[n] = '\0';
        return io_counters_parse(text, ret);
}

static void real_pause(void *userdata, unsigned msec) {
        const struct timespec time = {.tv_sec = msec / 1000, .tv_nsec = (long)(msec % 1000) * 1000000};

        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

const struct probe_device_ops probe_device_ops_real = {
                .open = real_open,
                .get_readahead = real_get_readahead,
                .get_size = real_get_size,
                .get_counters = real_get_counters,
                .pause = real_pause,
};

unsigned probe_fds_needed(const struct probe_limits *limits, unsigned streams) {
        unsigned runs = limits->runs < 1 ? 1 : limits->runs < PROBE_RUNS_MAX ? limits->runs : PROBE_RUNS_MAX;

        return (runs + !limits->no_warm_up) * (streams > 1 ? streams : 1);
}

void probe_fds_allow(void) {
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
                limit.rlim_cur = limit.rlim_max;
                (void)setrlimit(RLIMIT_NOFILE, &limit);
        }
}

int probe_fds_open(const struct probe_device_ops *ops, const struct device_identity *identity, unsigned n,
                struct probe_fds *ret) {
        _cleanup_(probe_fds_close) struct probe_fds fds = {.fds = calloc(n, sizeof(int))};

        if (!fds.fds)
                return -ENOMEM;
        while (fds.n < n) {
                int fd = ops->open(ops->userdata, identity);

                if (fd < 0)
                        return fd;
                fds.fds[fds.n++] = fd;
        }
        *ret = fds;
        fds = (struct probe_fds){};
        return 0;
}

void probe_fds_close(struct probe_fds *fds) {
        while (fds->n > 0)
                close(fds->fds[--fds->n]);
        free(fds->fds);
        fds->fds = NULL;
}

int probe_source_set(const struct probe_device_ops *ops, const struct probe_fds *fds, uint64_t readahead_sectors,
                struct probe_source *ret) {
        uint64_t size_bytes, readahead_bytes;
        int r;

        r = ops->get_size(ops->userdata, fds->fds[0], &size_bytes);
        if (r < 0)
                return r;
        if (!sectors_to_bytes(readahead_sectors, &readahead_bytes))
                return -ERANGE;
        ret->fds = fds->fds;
        ret->size_bytes = size_bytes;
        ret->readahead_bytes = readahead_bytes;
        return 0;
}

bool probe_devices_are_busy(const struct probe_device_ops *ops, const struct device_identity *const *devices, size_t n,
                struct probe_seen *seen, char *reason, size_t size) {
        bool busy = false;

        for (size_t i = 0; i < n; i++)
                seen[i].known = ops->get_counters(ops->userdata, devices[i], &seen[i].counters) == 0;
        ops->pause(ops->userdata, PROBE_LOOK_MSEC);
        for (size_t i = 0; i < n; i++) {
                struct io_counters then;

                if (ops->get_counters(ops->userdata, devices[i], &then) < 0)
                        seen[i].known = false;
                if (!seen[i].known)
                        continue;
                busy = busy || probe_busy_reason(devices[i]->name, &seen[i].counters, &then, reason, size);
                seen[i].counters = then;
        }
        return busy;
}

bool probe_device_was_disturbed(const struct probe_device_ops *ops, const struct device_identity *device,
                const struct probe_seen *seen, uint64_t own_bytes, uint64_t ahead_bytes) {
        struct io_counters then;

        return seen->known && ops->get_counters(ops->userdata, device, &then) == 0 &&
               probe_was_disturbed(&seen->counters, &then, own_bytes, ahead_bytes);
}

bool probe_bytes_ahead(uint64_t readahead_sectors, unsigned runs, uint64_t *ret_bytes) {
        return !__builtin_mul_overflow(readahead_sectors, runs, ret_bytes) &&
               !__builtin_mul_overflow(*ret_bytes, WINDOWS_AHEAD * SECTOR_BYTES, ret_bytes);
}
