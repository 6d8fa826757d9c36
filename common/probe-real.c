/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/probe-busy.h"
#include "common/probe-fault.h"
#include "common/probe-resident.h"
#include "common/probe.h"
#include "common/topology.h"

static uint64_t now_usec(void *userdata) {
        struct timespec ts;

        clock_gettime(CLOCK_MONOTONIC, &ts);
        return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void pause_usec(void *userdata, uint64_t usec) {
        struct timespec ts = {.tv_sec = (time_t)(usec / 1000000), .tv_nsec = (long)(usec % 1000000) * 1000};

        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

/* Any other advice would change the descriptor's readahead. */
static int drop_range(void *userdata, int fd, uint64_t offset_bytes, uint64_t bytes) {
        return -posix_fadvise(fd, (off_t)offset_bytes, (off_t)bytes, POSIX_FADV_DONTNEED);
}

static ssize_t read_block(void *userdata, int fd, void *buffer, size_t size, uint64_t offset_bytes) {
        ssize_t n;

        do
                n = pread(fd, buffer, size, (off_t)offset_bytes);
        while (n < 0 && errno == EINTR);
        return n < 0 ? -errno : n;
}

static int get_counters(int fd, struct io_counters *ret) {
        _cleanup_(fclosep) FILE *f = NULL;
        char path[64], line[512];
        struct stat st;

        if (fstat(fd, &st) < 0)
                return -errno;
        if (!S_ISBLK(st.st_mode))
                return -ENOTBLK;
        /* A partition has a "stat" of its own. */
        snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(st.st_rdev), minor(st.st_rdev));
        f = fopen(path, "re");
        if (!f)
                return -errno;
        if (!fgets(line, sizeof(line), f))
                return -EIO;
        return io_counters_parse(line, ret);
}

static int in_flight(void *userdata, int fd, uint64_t *ret) {
        struct io_counters counters = {};
        int r = get_counters(fd, &counters);

        if (r < 0)
                return r;
        *ret = counters.in_flight;
        return 0;
}

static int fetched_bytes(void *userdata, int fd, uint64_t *ret_bytes) {
        struct io_counters counters = {};
        int r = get_counters(fd, &counters);

        if (r < 0)
                return r;
        return sectors_to_bytes(counters.sectors_read, ret_bytes) ? 0 : -ERANGE;
}

const struct probe_ops probe_ops_real = {
                .now_usec = now_usec,
                .pause = pause_usec,
                .drop = drop_range,
                .read = read_block,
                .fault = probe_fault,
                .cached = probe_resident_bytes,
                .in_flight = in_flight,
                .fetched = fetched_bytes,
};
