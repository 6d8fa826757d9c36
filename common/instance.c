/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/instance.h"

/* Root's alone, also one that is there already: who may read a file may lock it for reading, which shuts writers out. */
static int open_file(const char *directory) {
        _cleanup_(closep) int directory_fd = -1, fd = -1;

        if (mkdir(directory, 0755) < 0 && errno != EEXIST)
                return -errno;
        directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory_fd < 0)
                return -errno;
        fd = openat(directory_fd, "setrad.pid", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
        if (fd < 0 || fchmod(fd, 0600) < 0)
                return -errno;
        return TAKE_FD(fd);
}

static pid_t read_pid(int fd) {
        char text[16] = "";
        ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

        return n > 0 ? (pid_t)strtol(text, NULL, 10) : 0;
}

int instance_lock(const char *directory, int *ret, pid_t *ret_other) {
        _cleanup_(closep) int fd = open_file(directory);

        if (fd < 0)
                return fd;
        if (fcntl(fd, F_OFD_SETLK, &(struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET}) < 0) {
                if (errno != EAGAIN && errno != EACCES)
                        return -errno;
                *ret_other = read_pid(fd);
                return -EBUSY;
        }
        /* Only for people and for the message above: the lock is what counts. */
        if (ftruncate(fd, 0) < 0 || dprintf(fd, "%ld\n", (long)getpid()) < 0)
                return -errno;
        *ret = TAKE_FD(fd);
        return 0;
}

/*
 * Asks for the lock without taking it: a service that is just starting must not find it taken. Only one for writing is in
 * the way of F_RDLCK, and only such a one is setrad's: the PID is not believed for anybody else's.
 */
int instance_find(const char *directory, pid_t *ret) {
        struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
        _cleanup_(closep) int fd = -1;
        char path[PATH_MAX];
        pid_t pid;
        int n;

        n = snprintf(path, sizeof(path), "%s/setrad.pid", directory);
        if (n < 0 || n >= PATH_MAX)
                return -ENAMETOOLONG;
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
        if (fd < 0)
                return errno == ENOENT ? -ESRCH : -errno;
        if (fcntl(fd, F_OFD_GETLK, &lock) < 0)
                return -errno;
        pid = read_pid(fd);
        if (lock.l_type == F_UNLCK || pid <= 1)
                return -ESRCH;
        *ret = pid;
        return 0;
}
