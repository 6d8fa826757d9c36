/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "common/probe.h"

static uint64_t now_usec(void *userdata) {
        struct timespec ts;

        clock_gettime(CLOCK_MONOTONIC, &ts);
        return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

/* Any other advice would change the descriptor's readahead. */
static int drop_range(void *userdata, int fd, uint64_t offset, uint64_t bytes) {
        return -posix_fadvise(fd, (off_t)offset, (off_t)bytes, POSIX_FADV_DONTNEED);
}

static ssize_t read_block(void *userdata, int fd, void *buffer, size_t size, uint64_t offset) {
        ssize_t n;

        do
                n = pread(fd, buffer, size, (off_t)offset);
        while (n < 0 && errno == EINTR);
        return n < 0 ? -errno : n;
}

const struct probe_ops probe_ops_real = {.now_usec = now_usec, .drop = drop_range, .read = read_block};
