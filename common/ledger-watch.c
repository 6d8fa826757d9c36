/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/ledger-watch.h"

int ledger_watch(const char *path) {
        int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

        return fd < 0 ? -errno : fd;
}

/* A save puts a new file in the old one's place, and as long as the old one is held open no other can have its inode. */
bool ledger_watch_is_same(int watch, const char *path) {
        struct stat before, now;

        if (watch < 0)
                return watch == -ENOENT && lstat(path, &now) < 0 && errno == ENOENT;
        return fstat(watch, &before) == 0 && lstat(path, &now) == 0 && before.st_dev == now.st_dev &&
               before.st_ino == now.st_ino;
}
