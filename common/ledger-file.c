/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/ledger-private.h"

/* 0 with the text in *ret (and a NUL behind it); -EBADMSG if it can't be a ledger. */
static int read_file(int fd, char **ret, size_t *ret_length) {
        _cleanup_(freep) char *text = NULL;
        size_t length = 0;
        struct stat st;

        if (fstat(fd, &st) < 0)
                return -errno;
        if (!S_ISREG(st.st_mode) || st.st_size < 0 || (uint64_t)st.st_size > LEDGER_BYTES_MAX)
                return -EBADMSG;
        text = malloc((size_t)st.st_size + 1);
        if (!text)
                return -ENOMEM;
        while (length < (size_t)st.st_size) {
                ssize_t n = read(fd, text + length, (size_t)st.st_size - length);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                if (n == 0)
                        break;
                length += (size_t)n;
        }
        text[length] = '\0';
        *ret = TAKE_PTR(text);
        *ret_length = length;
        return 0;
}

/* Into an empty ledger. Never blocks, whatever lies at PATH. */
static int load_into(struct ledger *ledger, const char *path) {
        _cleanup_(closep) int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
        _cleanup_(freep) char *text = NULL;
        size_t length = 0;
        int r;

        if (fd < 0 && errno == ENOENT)
                return 0;
        if (fd < 0)
                return errno == ELOOP || errno == ENXIO ? -EBADMSG : -errno;
        r = read_file(fd, &text, &length);
        return r < 0 ? r : ledger_parse(ledger, text, length);
}

int ledger_peek(const char *path, struct ledger **ret) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        int r;

        if (!ledger)
                return -ENOMEM;
        r = load_into(ledger, path);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(ledger);
        return 0;
}

/* It may still tell a person what was changed. Failure is not told: the ledger is replaced by the next save anyhow. */
static void set_aside(const char *path) {
        _cleanup_(freep) char *aside = NULL;

        if (asprintf(&aside, "%s.damaged", path) < 0) {
                aside = NULL;
                return;
        }
        (void)rename(path, aside);
}

int ledger_load(const char *path, struct ledger **ret) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        int r;

        if (!ledger)
                return -ENOMEM;
        r = load_into(ledger, path);
        if (r < 0 && r != -EBADMSG)
                return r;
        if (r == -EBADMSG) {
                ledger_clear(ledger);
                set_aside(path);
        }
        *ret = TAKE_PTR(ledger);
        return r;
}

static int write_all(int fd, const char *text) {
        size_t left = strlen(text);

        while (left > 0) {
                ssize_t n = write(fd, text, left);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                text += n;
                left -= (size_t)n;
        }
        return 0;
}

static int sync_directory(const char *path) {
        _cleanup_(freep) char *copy = strdup(path);
        _cleanup_(closep) int fd = -1;

        if (!copy)
                return -ENOMEM;
        fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0 || fsync(fd) < 0)
                return -errno;
        return 0;
}

/* Everybody may read it: setractl shows it to ordinary users. */
static int write_temporary(int fd, const char *text) {
        int r;

        if (fchmod(fd, 0644) < 0)
                return -errno;
        r = write_all(fd, text);
        if (r < 0)
                return r;
        return fsync(fd) < 0 ? -errno : 0;
}

/* One name for all: what a writer that was killed has left is replaced by the next one. */
static int open_temporary(const char *temporary) {
        int fd;

        if (unlink(temporary) < 0 && errno != ENOENT)
                return -errno;
        fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        return fd < 0 ? -errno : fd;
}

int ledger_save(const struct ledger *ledger, const char *path) {
        _cleanup_(freep) char *temporary = NULL;
        _cleanup_(freep) char *text = ledger_format(ledger);
        _cleanup_(closep) int fd = -1;
        int r;

        if (!text)
                return -ENOMEM;
        if (asprintf(&temporary, "%s.new", path) < 0) {
                temporary = NULL;
                return -ENOMEM;
        }
        fd = open_temporary(temporary);
        if (fd < 0)
                return fd;
        r = write_temporary(fd, text);
        if (r == 0 && rename(temporary, path) < 0)
                r = -errno;
        if (r < 0) {
                unlink(temporary);
                return r;
        }
        return sync_directory(path);
}
