/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "config/policy-error.h"
#include "config/policy-file.h"
#include "config/policy-tree.h"

/* As much of the file as there is, and one byte more than is allowed, by which too much shows. */
static int read_all(int fd, char *buffer, size_t size, size_t *ret_length) {
        size_t length = 0;

        while (length < size) {
                ssize_t n = read(fd, buffer + length, size - length);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                if (n == 0)
                        break;
                length += (size_t)n;
        }
        *ret_length = length;
        return 0;
}

static bool is_dev_null(const struct stat *st) {
        return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

/* Returns 0, 1 if it is /dev/null, or a negative errno. */
static int open_file(const char *path, int *ret) {
        _cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        struct stat st;

        if (fd < 0 || fstat(fd, &st) < 0)
                return -errno;
        if (is_dev_null(&st))
                return 1;
        if (!S_ISREG(st.st_mode))
                return S_ISDIR(st.st_mode) ? -EISDIR : -EBADF;
        *ret = TAKE_FD(fd);
        return 0;
}

int policy_file_error(struct policy_errors *errors, const char *path, int r) {
        const char *what = r == -EBADF ? "Not a regular file" : strerror(-r);
        int added;

        if (r == -ENOENT)
                what = "No such file, or a link that leads nowhere";
        added = policy_errors_add(errors, path, 0, 0, "cannot read it: %s", what);
        return added == -ENOMEM ? added : r;
}

int policy_file_read(const char *path, struct policy_errors *errors, char **ret, size_t *ret_length) {
        _cleanup_(freep) char *buffer = NULL;
        _cleanup_(closep) int fd = -1;
        int r, opened;

        opened = open_file(path, &fd);
        if (opened > 0)
                return 1;
        r = policy_errors_add_file(errors, path);
        if (r < 0)
                return r;
        if (opened < 0)
                return policy_file_error(errors, path, opened);

        buffer = malloc(TREE_BYTES_MAX + 1);
        if (!buffer)
                return -ENOMEM;
        r = read_all(fd, buffer, TREE_BYTES_MAX + 1, ret_length);
        if (r < 0)
                return policy_file_error(errors, path, r);
        *ret = TAKE_PTR(buffer);
        return 0;
}
