/* SPDX-License-Identifier: MIT */

/*
 * Archives are somebody else's: every name is looked at, sizes are bounded, no link is followed on the way to a file,
 * and nothing but directories, files and links is made. Links may point anywhere, as struct sysroot stays inside.
 */

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "common/capture-private.h"
#include "common/cleanup.h"

#define ENTRIES_MAX     200000
#define BYTES_MAX       ((int64_t)256 << 20)
#define NAME_LENGTH_MAX 1024 /* with that of the directory around it, well below PATH_MAX */
#define DEPTH_MAX       64
#define BLOCK_BYTES     65536

DEFINE_CLEANUP(struct archive *, archive_read_free);

struct unpacking {
        struct archive *archive;
        int directory;
        size_t n_entries;
        int64_t bytes; /* that are left */
        char **reason;
};

/* Returns ERROR, with the reason for people. */
__attribute__((format(printf, 3, 4))) static int refuse(
                struct unpacking *unpacking, int error, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        if (vasprintf(unpacking->reason, format, arguments) < 0)
                *unpacking->reason = NULL;
        va_end(arguments);
        return error;
}

static int refuse_damaged(struct unpacking *unpacking) {
        const char *text = archive_error_string(unpacking->archive);

        return refuse(unpacking, -EBADMSG, "it is no tar archive, or is damaged%s%s", text ? ": " : "", text ?: "");
}

/* Relative, without "..", not too long or too deep. */
static bool is_safe_name(const char *name) {
        if (!name || name[0] == '/' || strlen(name) > NAME_LENGTH_MAX)
                return false;
        for (unsigned depth = 0; *name; depth++) {
                size_t n = strcspn(name, "/");

                if (depth >= DEPTH_MAX || (n == 2 && memcmp(name, "..", 2) == 0))
                        return false;
                name += n;
                name += strspn(name, "/");
        }
        return true;
}

int capture_open_below(int directory, const char *name, int flags) {
        struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC | O_NOFOLLOW),
                        .mode = (flags & O_CREAT) ? 0600 : 0,
                        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
        long fd;

        fd = syscall(SYS_openat2, directory, name, &how, sizeof(how));
        return fd < 0 ? -errno : (int)fd;
}

static int count_entry(struct unpacking *unpacking) {
        if (++unpacking->n_entries > ENTRIES_MAX)
                return refuse(unpacking, -EFBIG, "it holds more than %d entries", ENTRIES_MAX);
        return 0;
}

/* Makes a directory if there is none, and opens it. */
static int enter_directory(struct unpacking *unpacking, int parent, const char *name) {
        int r;

        if (mkdirat(parent, name, 0700) == 0) {
                r = count_entry(unpacking);
                if (r < 0)
                        return r;
        } else if (errno != EEXIST)
                return -errno;
        return capture_open_below(parent, name, O_RDONLY | O_DIRECTORY);
}

/* Makes the directories above NAME, and opens the innermost; *ret_name is what is left of the name, "" or "." of none. */
static int open_parent(struct unpacking *unpacking, char *name, const char **ret_name) {
        _cleanup_(closep) int parent = dup(unpacking->directory);

        if (parent < 0)
                return -errno;
        for (char *slash = strchr(name, '/'); slash; slash = strchr(name, '/')) {
                int fd;

                *slash = 0;
                fd = *name && strcmp(name, ".") != 0 ? enter_directory(unpacking, parent, name) : dup(parent);
                if (fd < 0)
                        return fd;
                close(parent);
                parent = fd;
                name = slash + 1;
        }
        *ret_name = name;
        return TAKE_FD(parent);
}

int capture_write_all(int fd, const char *text, size_t size) {
        while (size > 0) {
                ssize_t n = write(fd, text, size);

                if (n < 0 && errno != EINTR)
                        return -errno;
                if (n > 0) {
                        text += n;
                        size -= (size_t)n;
                }
        }
        return 0;
}

static int write_block(struct unpacking *unpacking, int fd, const char *block, size_t size) {
        unpacking->bytes -= (int64_t)size;
        if (unpacking->bytes < 0)
                return refuse(unpacking, -EFBIG, "it holds more than %d MiB", (int)(BYTES_MAX >> 20));
        return capture_write_all(fd, block, size);
}

static int unpack_file(struct unpacking *unpacking, int parent, const char *name) {
        _cleanup_(closep) int fd = -1;
        char block[BLOCK_BYTES];

        fd = capture_open_below(parent, name, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK);
        if (fd < 0)
                return fd;
        for (;;) {
                la_ssize_t n = archive_read_data(unpacking->archive, block, sizeof(block));
                int r;

                if (n == 0)
                        return 0;
                if (n == ARCHIVE_RETRY)
                        continue;
                if (n < 0)
                        return refuse_damaged(unpacking);
                r = write_block(unpacking, fd, block, (size_t)n);
                if (r < 0)
                        return r;
        }
}

/* The last of several entries with one name counts. */
static int unpack_link(int parent, const char *name, const char *target) {
        if (!target || !*target)
                return -EINVAL;
        if (symlinkat(target, parent, name) == 0)
                return 0;
        if (errno != EEXIST || unlinkat(parent, name, 0) < 0 || symlinkat(target, parent, name) < 0)
                return -errno;
        return 0;
}

static int unpack_directory(struct unpacking *unpacking, int parent, const char *name) {
        _cleanup_(closep) int fd = enter_directory(unpacking, parent, name);

        return fd < 0 ? fd : 0;
}

static int unpack_at(struct unpacking *unpacking, struct archive_entry *entry, char *path) {
        _cleanup_(closep) int parent = -1;
        const char *name = path;

        parent = open_parent(unpacking, path, &name);
        if (parent < 0)
                return parent;
        if (!*name || strcmp(name, ".") == 0)
                return 0;
        switch (archive_entry_filetype(entry)) {
        case AE_IFREG: return unpack_file(unpacking, parent, name);
        case AE_IFDIR: return unpack_directory(unpacking, parent, name);
        default: return unpack_link(parent, name, archive_entry_symlink(entry));
        }
}

/* What is no file may have content all the same, which is read to its end: of a file it is counted as it is written. */
static int count_content(struct unpacking *unpacking, struct archive_entry *entry) {
        la_int64_t size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0;

        if (size > unpacking->bytes)
                return refuse(unpacking, -EFBIG, "it holds more than %d MiB", (int)(BYTES_MAX >> 20));
        if (archive_entry_filetype(entry) != AE_IFREG && size > 0)
                unpacking->bytes -= size;
        return 0;
}

static int unpack_entry(struct unpacking *unpacking, struct archive_entry *entry) {
        const char *path = archive_entry_pathname(entry);
        _cleanup_(freep) char *copy = NULL;
        int r;

        r = count_entry(unpacking);
        if (r < 0)
                return r;
        if (!is_safe_name(path))
                return refuse(unpacking, -EPERM,
                                "the name of an entry leads out of it, or is too long or deep: '%.256s'", path ?: "");
        if (archive_entry_hardlink(entry))
                return refuse(unpacking, -EPERM, "'%s' is a hard link", path);
        r = count_content(unpacking, entry);
        if (r < 0)
                return r;
        /* Nodes of devices and the like: of no use to anyone. */
        if (archive_entry_filetype(entry) != AE_IFREG && archive_entry_filetype(entry) != AE_IFDIR &&
                        archive_entry_filetype(entry) != AE_IFLNK)
                return 0;

        copy = strdup(path);
        if (!copy)
                return -ENOMEM;
        r = unpack_at(unpacking, entry, copy);
        if (r < 0 && r != -ENOMEM && !*unpacking->reason)
                return refuse(unpacking, r, "'%s' can't be unpacked: %s", path, strerrordesc_np(-r));
        return r;
}

static int unpack_all(struct unpacking *unpacking) {
        for (;;) {
                struct archive_entry *entry;
                int r;

                r = archive_read_next_header(unpacking->archive, &entry);
                if (r == ARCHIVE_EOF)
                        return 0;
                if (r == ARCHIVE_RETRY)
                        continue;
                if (r < ARCHIVE_WARN)
                        return refuse_damaged(unpacking);
                r = unpack_entry(unpacking, entry);
                if (r < 0)
                        return r;
        }
}

/* All of libarchive's that need no program of their own: a capture must not choose what is run. */
static int add_filters(struct archive *archive) {
        static int (*const add[])(struct archive *) = {
                        archive_read_support_format_tar,
                        archive_read_support_filter_bzip2,
                        archive_read_support_filter_compress,
                        archive_read_support_filter_gzip,
                        archive_read_support_filter_lz4,
                        archive_read_support_filter_lzip,
                        archive_read_support_filter_lzma,
                        archive_read_support_filter_xz,
                        archive_read_support_filter_zstd,
        };

        for (size_t i = 0; i < ARRAY_SIZE(add); i++)
                if (add[i](archive) < ARCHIVE_WARN)
                        return -ENOMEM;
        return 0;
}

int capture_unpack(int fd, int directory, char **ret_reason) {
        _cleanup_(archive_read_freep) struct archive *archive = archive_read_new();
        struct unpacking unpacking = {
                        .archive = archive, .directory = directory, .bytes = BYTES_MAX, .reason = ret_reason};

        if (!archive || add_filters(archive) < 0)
                return -ENOMEM;
        if (archive_read_open_fd(archive, fd, BLOCK_BYTES) != ARCHIVE_OK)
                return refuse_damaged(&unpacking);
        return unpack_all(&unpacking);
}
