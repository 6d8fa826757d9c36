/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/new-file.h"

/* "DIRECTORY/.NAME.XXXXXX" for "DIRECTORY/NAME": on the same file system. */
static char *temporary_name(const char *path) {
        const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
        char *temporary = NULL;

        if (asprintf(&temporary, "%.*s.%s.XXXXXX", (int)(name - path), path, name) < 0)
                return NULL;
        return temporary;
}

/* A regular file may be replaced if that is wanted; a device, say, never. */
int new_file_check(const char *path, bool replace) {
        struct stat st;

        if (stat(path, &st) < 0)
                return errno == ENOENT ? 0 : -errno;
        return replace && S_ISREG(st.st_mode) ? 0 : -EEXIST;
}

int new_file_open(const char *path, bool replace, struct new_file *ret) {
        _cleanup_(freep) char *temporary = NULL;
        int fd, r;

        r = new_file_check(path, replace);
        if (r < 0)
                return r;
        temporary = temporary_name(path);
        if (!temporary)
                return -ENOMEM;
        fd = mkostemp(temporary, O_CLOEXEC);
        if (fd < 0)
                return -errno;
        *ret = (struct new_file){.fd = fd, .path = path, .temporary = TAKE_PTR(temporary), .replace = replace};
        return 0;
}

static int put_in_place(const char *temporary, const char *path, bool replace) {
        if (replace)
                return rename(temporary, path) < 0 ? -errno : 0;
        if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
                return 0;
        if (errno != EINVAL && errno != ENOSYS)
                return -errno;
        /* On a file system that can't do that; link() does not replace either. */
        if (link(temporary, path) < 0)
                return -errno;
        (void)unlink(temporary);
        return 0;
}

int new_file_finish(struct new_file *file) {
        int r;

        r = put_in_place(file->temporary, file->path, file->replace);
        if (r < 0)
                return r;
        free(TAKE_PTR(file->temporary));
        return 0;
}

void new_file_done(struct new_file *file) {
        closep(&file->fd);
        if (file->temporary)
                (void)unlink(file->temporary);
        free(file->temporary);
        *file = (struct new_file){.fd = -1};
}
