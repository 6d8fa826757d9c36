/* SPDX-License-Identifier: MIT */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "common/capture-record.h"
#include "common/sysdir.h"
#include "common/sysroot-private.h"

/* With "." and "..". */
#define ENTRIES_MAX (100000 + 2)

/*
 * Of all directories that one look reads: links let a few entries of an archive be a large directory in each of thousands
 * of devices, so that each lies over each. Fifty thousand layers have two million entries, of which twenty thousand names
 * of others.
 */
#define ALL_ENTRIES_MAX 10000000
#define ALL_NAMES_MAX   1000000

/* For all of a device's directory at once; more where there is more. The kernel wants room for one entry at least. */
#define ENTRIES_ROOM 4096
#define ENTRY_ROOM   1024

/* One after the other is looked at in a directory with so many. */
#define ENTRIES_FEW 128

int sysdir_open(const struct sysroot *root, struct fdbatch *batch, const char *path, struct sysdir *ret) {
        int fd;

        fd = sysroot_lookup(root, path, O_RDONLY | O_DIRECTORY);
        if (fd < 0)
                return fd;
        *ret = (struct sysdir){.root = root, .batch = batch, .name = path, .fd = fd};
        return 0;
}

/* Below the root; "" as NAME is the directory itself. Its length, or -ENAMETOOLONG. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as the directories that are open */
static int make_path(const struct sysdir *dir, const char *name, char path[static PATH_MAX]) {
        int n, k;

        n = dir->parent ? make_path(dir->parent, dir->name, path) : snprintf(path, PATH_MAX, "%s", dir->name);
        if (n < 0 || n >= PATH_MAX)
                return -ENAMETOOLONG;
        if (!*name)
                return n;
        k = snprintf(path + n, (size_t)(PATH_MAX - n), "/%s", name);
        return k < 0 || k >= PATH_MAX - n ? -ENAMETOOLONG : n + k;
}

/* NAME is an entry of DIR; "" is DIR itself. Returns R. Most of what is not there is no failure, and needs no path. */
static int note_error(const struct sysdir *dir, const char *name, int r) {
        char path[PATH_MAX];

        if (!sysroot_is_failure(r) || make_path(dir, name, path) < 0)
                return r;
        return sysroot_note_error(dir->root, path, r);
}

/* What is no directory itself may be a link to one, which must not lead out of the root. */
int sysdir_open_in(const struct sysdir *parent, const char *name, struct sysdir *ret) {
        int fd = openat(parent->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (fd < 0 && (errno == ENOTDIR || errno == ELOOP)) {
                char path[PATH_MAX];
                int n = make_path(parent, name, path);

                fd = n < 0 ? n : sysroot_lookup(parent->root, path, O_RDONLY | O_DIRECTORY);
                if (fd < 0)
                        return fd;
        }
        if (fd < 0)
                return note_error(parent, name, -errno);
        *ret = (struct sysdir){.root = parent->root, .batch = parent->batch, .parent = parent, .name = name, .fd = fd};
        return 0;
}

void sysdir_close(struct sysdir *dir) {
        if (!dir->root)
                return;
        fdbatch_add(dir->batch, dir->fd);
        free(dir->entries);
        free(dir->sorted);
        *dir = (struct sysdir){};
}

/* --- entries */

static struct dirent64 *entry_at(const struct sysdir *dir, size_t offset) {
        return (struct dirent64 *)(void *)(dir->entries + offset);
}

/* Reads on. Returns 1 if there is more now, 0 at the end, or a negative errno. */
static int read_entries(struct sysdir *dir) {
        ssize_t n;

        if (dir->complete)
                return 0;
        if (dir->root->failures->n_entries > ALL_ENTRIES_MAX)
                return -EOVERFLOW;
        if (dir->allocated - dir->used < ENTRY_ROOM) {
                size_t allocated = dir->allocated ? dir->allocated * 2 : ENTRIES_ROOM;
                char *entries = realloc(dir->entries, allocated);

                if (!entries)
                        return -ENOMEM;
                dir->entries = entries;
                dir->allocated = allocated;
        }
        n = getdents64(dir->fd, dir->entries + dir->used, dir->allocated - dir->used);
        if (n < 0)
                return -errno;
        dir->complete = n == 0;
        for (size_t end = dir->used + (size_t)n; dir->used < end; dir->n_entries++) {
                dir->used += entry_at(dir, dir->used)->d_reclen;
                dir->root->failures->n_entries++;
        }
        return n > 0;
}

static const struct dirent64 *find_among(const struct sysdir *dir, size_t from, const char *name) {
        for (size_t at = from; at < dir->used; at += entry_at(dir, at)->d_reclen)
                if (strcmp(entry_at(dir, at)->d_name, name) == 0)
                        return entry_at(dir, at);
        return NULL;
}

static int read_all_entries(struct sysdir *dir) {
        int r;

        do
                r = dir->n_entries > ENTRIES_MAX ? -EOVERFLOW : read_entries(dir);
        while (r > 0);
        return r;
}

static int compare_sorted(const void *a, const void *b) {
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int sort_entries(struct sysdir *dir) {
        size_t n = 0;
        int r;

        r = read_all_entries(dir);
        if (r < 0)
                return r;
        dir->sorted = malloc(dir->n_entries * sizeof(*dir->sorted));
        if (!dir->sorted)
                return -ENOMEM;
        for (size_t at = 0; at < dir->used; at += entry_at(dir, at)->d_reclen)
                dir->sorted[n++] = entry_at(dir, at)->d_name;
        qsort(dir->sorted, n, sizeof(*dir->sorted), compare_sorted);
        return 0;
}

static const struct dirent64 *find_sorted(const struct sysdir *dir, const char *name) {
        const char *const *found = bsearch(&name, dir->sorted, dir->n_entries, sizeof(*dir->sorted), compare_sorted);

        return found ? (const void *)(*found - offsetof(struct dirent64, d_name)) : NULL;
}

/* *ret is NULL where there is none. Returns 0, or a negative errno where the directory can't be read to its end. */
static int find_entry(struct sysdir *dir, const char *name, const struct dirent64 **ret) {
        size_t from = 0;
        int r;

        while (!dir->sorted && dir->n_entries <= ENTRIES_FEW) {
                *ret = find_among(dir, from, name);
                from = dir->used;
                if (*ret)
                        return 0;
                r = read_entries(dir);
                if (r <= 0)
                        return r;
        }
        if (!dir->sorted) {
                r = sort_entries(dir);
                if (r < 0)
                        return r;
        }
        *ret = find_sorted(dir, name);
        return 0;
}

/* Its d_type; DT_UNKNOWN is for what has to be looked up from the root, links too. -ENOENT: there is none. */
static int find_type(struct sysdir *dir, const char *name) {
        const struct dirent64 *entry;

        if (find_entry(dir, name, &entry) < 0)
                return DT_UNKNOWN;
        if (!entry)
                return -ENOENT;
        return entry->d_type == DT_LNK ? DT_UNKNOWN : entry->d_type;
}

static void record_entry(const struct sysdir *dir, const char *name, bool is_directory) {
        char path[PATH_MAX];
        struct record *record;

        if (!sysroot_is_recorded(dir->root) || make_path(dir, name, path) < 0)
                return;
        record = sysroot_record_for(dir->root, path);
        if (record && is_directory)
                record_directory(record, path);
        else if (record)
                record_presence(record, path);
}

bool sysdir_has(struct sysdir *dir, const char *name) {
        int type = find_type(dir, name);
        char path[PATH_MAX];

        if (type == DT_UNKNOWN)
                return make_path(dir, name, path) >= 0 && sysroot_exists(dir->root, "%s", path);
        if (type < 0)
                return false;
        record_entry(dir, name, type == DT_DIR);
        return true;
}

bool sysdir_has_directory(struct sysdir *dir, const char *name) {
        int type = find_type(dir, name);
        char path[PATH_MAX];

        if (type == DT_UNKNOWN)
                return make_path(dir, name, path) >= 0 && sysroot_is_directory(dir->root, "%s", path);
        if (type != DT_DIR)
                return false;
        record_entry(dir, name, true);
        return true;
}

/* --- attributes */

/*
 * Whether it may be opened: in a capture only what is known to be a regular file. 0, a negative errno, or -ELOOP for what
 * has to be looked up from the root.
 */
static int check_entry(struct sysdir *dir, const char *name) {
        int type;

        if (sysroot_is_live(dir->root))
                return 0;
        type = find_type(dir, name);
        switch (type) {
        case DT_REG: return 0;
        case DT_DIR: return -EISDIR;
        case DT_UNKNOWN: return -ELOOP;
        default: return type < 0 ? type : -EINVAL;
        }
}

static int read_from_root(const struct sysdir *dir, const char *name, char *buffer, size_t size) {
        char path[PATH_MAX];
        int n = make_path(dir, name, path);

        return n < 0 ? n : sysroot_read(dir->root, buffer, size, "%s", path);
}

/* An attribute comes whole: what is shorter than the buffer has come to its end. Returns its length. */
static ssize_t read_entry(struct sysdir *dir, const char *name, char *buffer, size_t size) {
        int fd = openat(dir->fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
        ssize_t n;

        if (fd < 0)
                return -errno;
        do
                n = read(fd, buffer, size);
        while (n < 0 && errno == EINTR);
        if (n < 0)
                n = -errno;
        fdbatch_add(dir->batch, fd);
        return n;
}

int sysdir_read(struct sysdir *dir, const char *name, char *buffer, size_t size) {
        struct record *record = NULL;
        char path[PATH_MAX];
        ssize_t n;

        n = check_entry(dir, name);
        if (n == 0)
                n = read_entry(dir, name, buffer, size);
        if (n == -ELOOP)
                return read_from_root(dir, name, buffer, size);
        if (n < 0)
                return note_error(dir, name, (int)n);
        if (sysroot_is_recorded(dir->root) && make_path(dir, name, path) >= 0)
                record = sysroot_record_for(dir->root, path);
        return sysroot_take_attribute(record, path, buffer, (size_t)n, size);
}

struct opt_int sysdir_read_int(struct sysdir *dir, const char *name) {
        char text[32];

        return sysdir_read(dir, name, text, sizeof(text)) < 0 ? opt_none() : sysroot_parse_int(text);
}

/* --- lists */

static bool is_listed(const char *name, const char *prefix) {
        return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strncmp(name, prefix, strlen(prefix)) == 0;
}

static int compare_names(const void *a, const void *b) {
        return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* The names are in the array's memory, behind its end. Returns 0, -EOVERFLOW or -ENOMEM. */
static int copy_names(const struct sysdir *dir, const char *prefix, char ***ret) {
        size_t n = 0, bytes = 0;
        char **names, *text;

        for (size_t at = 0; at < dir->used; at += entry_at(dir, at)->d_reclen) {
                const char *name = entry_at(dir, at)->d_name;

                if (is_listed(name, prefix)) {
                        bytes += strlen(name) + 1;
                        n++;
                }
        }
        dir->root->failures->n_names += n;
        if (dir->root->failures->n_names > ALL_NAMES_MAX)
                return -EOVERFLOW;
        names = malloc((n + 1) * sizeof(*names) + bytes);
        if (!names)
                return -ENOMEM;
        text = (char *)(names + n + 1);
        n = 0;
        for (size_t at = 0; at < dir->used; at += entry_at(dir, at)->d_reclen)
                if (is_listed(entry_at(dir, at)->d_name, prefix)) {
                        size_t length = strlen(entry_at(dir, at)->d_name);

                        names[n++] = memcpy(text, entry_at(dir, at)->d_name, length + 1);
                        text += length + 1;
                }
        names[n] = NULL;
        qsort(names, n, sizeof(*names), compare_names);
        *ret = names;
        return 0;
}

/* Names of devices, in a directory of devices: what else there is to know of each is asked for by path. */
static void record_names(const struct sysdir *dir, char *const *names) {
        char path[PATH_MAX];

        if (make_path(dir, "", path) < 0 || !sysroot_record_for(dir->root, path))
                return;
        record_directory(dir->root->record, path);
        for (; *names; names++) {
                if (make_path(dir, *names, path) < 0) {
                        record_fail(dir->root->record);
                        return;
                }
                record_directory(dir->root->record, path);
        }
}

int sysdir_list(struct sysdir *dir, const char *prefix, char ***ret) {
        char **names;
        int r;

        r = read_all_entries(dir);
        if (r >= 0)
                r = copy_names(dir, prefix, &names);
        if (r < 0)
                return note_error(dir, "", r);
        if (sysroot_is_recorded(dir->root))
                record_names(dir, names);
        *ret = names;
        return 0;
}
