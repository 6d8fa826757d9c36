/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "common/capture-private.h"
#include "common/capture-record.h"
#include "common/capture-report.h"
#include "common/capture.h"
#include "common/temporary.h"

/* The single directory in PATH; NULL if there is none, or other things. */
static char *find_only_directory(const char *path) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        _cleanup_(freep) char **names = NULL;
        _cleanup_(freep) char *inner = NULL;
        struct stat st;

        if (sysroot_open(path, &root) < 0 || sysroot_is_directory(root, "sys") ||
                        sysroot_list(root, "", &names, "/") < 0)
                return NULL;
        if (!names[0] || names[1])
                return NULL;
        if (asprintf(&inner, "%s/%s", path, names[0]) < 0) {
                inner = NULL;
                return NULL;
        }
        /* Not a link: that would lead out before anything stays inside. */
        return lstat(inner, &st) == 0 && S_ISDIR(st.st_mode) ? TAKE_PTR(inner) : NULL;
}

/* Writes what was taken from a report where it can be read as any other capture. */
static int write_tree(struct record *record, int directory) {
        const struct record_entry *list;
        size_t n;
        int r;

        r = record_list(record, &list, &n);
        if (r < 0)
                return r;
        for (size_t i = 0; i < n; i++) {
                _cleanup_(closep) int fd = -1;

                if (list[i].type == RECORD_DIRECTORY) {
                        if (mkdirat(directory, list[i].path, 0700) < 0)
                                return -errno;
                        continue;
                }
                fd = capture_open_below(directory, list[i].path, O_WRONLY | O_CREAT | O_EXCL);
                if (fd < 0)
                        return fd;
                r = capture_write_all(fd, list[i].text, list[i].size);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int import_report(const struct sysroot *report, int directory) {
        _cleanup_(record_freep) struct record *record = record_new();
        int r;

        if (!record)
                return -ENOMEM;
        r = report_import(report, record);
        return r < 0 ? r : write_tree(record, directory);
}

/* A private directory with what FILL writes there, as a root that it goes with. */
static int open_temporary(int (*fill)(void *userdata, int directory), void *userdata, struct sysroot **ret) {
        _cleanup_(temporary_freep) struct temporary *temporary = NULL;
        _cleanup_(freep) char *inner = NULL;
        _cleanup_(closep) int directory = -1;
        const char *path;
        int r;

        r = temporary_new(&temporary);
        if (r < 0)
                return r;
        path = temporary_path(temporary);
        directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        r = directory < 0 ? -errno : fill(userdata, directory);
        if (r < 0)
                return r;
        inner = find_only_directory(path);
        r = sysroot_open(inner ?: path, ret);
        if (r >= 0)
                sysroot_own_directory(*ret, TAKE_PTR(temporary));
        return r;
}

struct archive_source {
        int fd;
        char **reason;
};

static int fill_from_archive(void *userdata, int directory) {
        struct archive_source *source = userdata;

        return capture_unpack(source->fd, directory, source->reason);
}

static int fill_from_report(void *userdata, int directory) {
        return import_report(userdata, directory);
}

static int open_report(const struct sysroot *report, struct sysroot **ret, char **ret_reason) {
        int r;

        r = open_temporary(fill_from_report, (void *)report, ret);
        if (r == -ENOENT)
                *ret_reason = strdup("it is a support report without sys/block, and without what lsblk, udevadm or "
                                     "blockdev say of block devices");
        return r;
}

int capture_open(const char *path, struct sysroot **ret, char **ret_reason) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        _cleanup_(closep) int fd = -1;
        struct stat st;
        int r;

        *ret_reason = NULL;
        if (!path)
                return sysroot_open(NULL, ret);
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        if (fd < 0 || fstat(fd, &st) < 0)
                return -errno;
        if (S_ISDIR(st.st_mode))
                r = sysroot_open(path, &root);
        else
                r = open_temporary(fill_from_archive, &(struct archive_source){.fd = fd, .reason = ret_reason}, &root);
        if (r < 0)
                return r;
        if (report_is_one(root))
                return open_report(root, ret, ret_reason);
        *ret = TAKE_PTR(root);
        return 0;
}
