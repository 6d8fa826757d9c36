/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/ledger-lock.h"

#define RETRY_MSEC 50U

static int open_lock(const char *directory) {
        _cleanup_(closep) int directory_fd = -1;
        int fd;

        if (mkdir(directory, 0755) < 0 && errno != EEXIST)
                return -errno;
        directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory_fd < 0)
                return -errno;
        fd = openat(directory_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
        return fd < 0 ? -errno : fd;
}

/* FD with the lock, or a negative errno: then it is closed. */
static int lock(int fd, int operation, unsigned timeout_msec) {
        const struct timespec pause = {.tv_nsec = RETRY_MSEC * 1000000L};
        _cleanup_(closep) int owned = fd;

        if (fd < 0)
                return fd;
        /* Polled: flock(2) has no timeout, and an alarm would be process-wide. */
        for (unsigned waited = 0; flock(fd, operation | LOCK_NB) < 0; waited += RETRY_MSEC) {
                if (errno != EWOULDBLOCK && errno != EINTR)
                        return -errno;
                if (waited >= timeout_msec)
                        return -ETIMEDOUT;
                nanosleep(&pause, NULL);
        }
        return TAKE_FD(owned);
}

int ledger_lock(const char *directory, unsigned timeout_msec) {
        return lock(open_lock(directory), LOCK_EX, timeout_msec);
}

int ledger_lock_shared(const char *directory, unsigned timeout_msec) {
        char path[PATH_MAX];
        int n, fd;

        n = snprintf(path, sizeof(path), "%s/lock", directory);
        if (n < 0 || n >= PATH_MAX)
                return -ENAMETOOLONG;
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
        return lock(fd < 0 ? -errno : fd, LOCK_SH, timeout_msec);
}
