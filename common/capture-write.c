/* SPDX-License-Identifier: MIT */

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "common/capture-record.h"
#include "common/capture.h"
#include "common/new-file.h"

DEFINE_CLEANUP(struct archive *, archive_write_free);
DEFINE_CLEANUP(struct archive_entry *, archive_entry_free);

int capture_compression_by_name(const char *name, enum capture_compression *ret) {
        static const struct {
                const char *suffix;
                enum capture_compression compression;
        } suffixes[] = {
                        {".tar", CAPTURE_PLAIN},
                        {".tar.gz", CAPTURE_GZIP},
                        {".tgz", CAPTURE_GZIP},
                        {".tar.xz", CAPTURE_XZ},
                        {".txz", CAPTURE_XZ},
                        {".tar.zst", CAPTURE_ZSTD},
                        {".tzst", CAPTURE_ZSTD},
        };
        size_t length = strlen(name);

        for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
                size_t n = strlen(suffixes[i].suffix);

                if (length > n && name[length - n - 1] != '/' && strcmp(name + length - n, suffixes[i].suffix) == 0) {
                        *ret = suffixes[i].compression;
                        return 0;
                }
        }
        return -EINVAL;
}

/* A negative errno for what libarchive has met, or its own words where that is none. */
static int fail(struct archive *archive, char **ret_reason) {
        const char *text = archive_error_string(archive);
        int error = archive_errno(archive);

        if (error > 0)
                return -error;
        *ret_reason = text ? strdup(text) : NULL;
        return -EIO;
}

/* ARCHIVE_WARN: it would run a program for that, which is as good. */
static int add_filter(struct archive *archive, enum capture_compression compression) {
        switch (compression) {
        case CAPTURE_GZIP: return archive_write_add_filter_gzip(archive);
        case CAPTURE_XZ: return archive_write_add_filter_xz(archive);
        case CAPTURE_ZSTD: return archive_write_add_filter_zstd(archive);
        case CAPTURE_PLAIN: break;
        }
        return ARCHIVE_OK;
}

static int write_entry(
                struct archive *archive, struct archive_entry *entry, const struct record_entry *item, time_t now) {
        archive_entry_clear(entry);
        archive_entry_set_pathname(entry, item->path);
        archive_entry_set_mtime(entry, now, 0);
        switch (item->type) {
        case RECORD_DIRECTORY:
                archive_entry_set_filetype(entry, AE_IFDIR);
                archive_entry_set_perm(entry, 0755);
                break;
        case RECORD_FILE:
                archive_entry_set_filetype(entry, AE_IFREG);
                archive_entry_set_perm(entry, 0644);
                archive_entry_set_size(entry, (la_int64_t)item->size);
                break;
        case RECORD_LINK:
                archive_entry_set_filetype(entry, AE_IFLNK);
                archive_entry_set_perm(entry, 0777);
                archive_entry_set_symlink(entry, item->text);
                break;
        }
        if (archive_write_header(archive, entry) < ARCHIVE_WARN)
                return -1;
        if (item->type == RECORD_FILE && archive_write_data(archive, item->text, item->size) != (la_ssize_t)item->size)
                return -1;
        return 0;
}

int capture_write(struct record *record, int fd, enum capture_compression compression, char **ret_reason) {
        _cleanup_(archive_write_freep) struct archive *archive = archive_write_new();
        _cleanup_(archive_entry_freep) struct archive_entry *entry = archive_entry_new();
        const struct record_entry *items;
        time_t now = time(NULL);
        size_t n;
        int r;

        *ret_reason = NULL;
        if (!archive || !entry)
                return -ENOMEM;
        r = record_list(record, &items, &n);
        if (r < 0)
                return r;
        if (archive_write_set_format_pax_restricted(archive) != ARCHIVE_OK ||
                        add_filter(archive, compression) < ARCHIVE_WARN ||
                        archive_write_open_fd(archive, fd) != ARCHIVE_OK)
                return fail(archive, ret_reason);
        for (size_t i = 0; i < n; i++)
                if (write_entry(archive, entry, &items[i], now) < 0)
                        return fail(archive, ret_reason);
        return archive_write_close(archive) == ARCHIVE_OK ? 0 : fail(archive, ret_reason);
}

int capture_write_file(struct record *record, const char *path, enum capture_compression compression, bool replace,
                char **ret_reason) {
        _cleanup_(new_file_done) struct new_file file = {.fd = -1};
        int r;

        *ret_reason = NULL;
        r = new_file_open(path, replace, &file);
        if (r < 0)
                return r;
        r = capture_write(record, file.fd, compression, ret_reason);
        return r < 0 ? r : new_file_finish(&file);
}
