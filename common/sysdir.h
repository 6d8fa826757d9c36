/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A directory below a root, opened once: what is in it, and attributes read from it by their names. On a machine with
 * thousands of devices that is a quarter of the system calls that paths from the root take.
 */

#include "fdbatch.h"
#include "sysroot.h"

struct sysdir {
        const struct sysroot *root;
        struct fdbatch *batch;       /* what closes what it opens */
        const struct sysdir *parent; /* NULL: name is a path below the root */
        const char *name;
        int fd;
        char *entries; /* as getdents64(2) gives them, as far as they have been read */
        size_t used, allocated, n_entries;
        const char **sorted; /* names of a large one: in struct dirent64; NULL: not needed yet */
        bool complete;
};

/*
 * PATH is below the root. It, and the batch, have to stay as long as the directory. Returns 0 or a negative errno (-ENOENT,
 * -ENOTDIR, -EACCES, …).
 */
int sysdir_open(const struct sysroot *root, struct fdbatch *batch, const char *path, struct sysdir *ret);

/* A directory in another, which has to stay as long. Errors likewise. */
int sysdir_open_in(const struct sysdir *parent, const char *name, struct sysdir *ret);

void sysdir_close(struct sysdir *dir);

/* Whether it has an entry of that name; a directory, or a link to one. */
bool sysdir_has(struct sysdir *dir, const char *name);
bool sysdir_has_directory(struct sysdir *dir, const char *name);

/* As sysroot_read() and sysroot_read_int(), of an entry. */
int sysdir_read(struct sysdir *dir, const char *name, char *buffer, size_t size);
struct opt_int sysdir_read_int(struct sysdir *dir, const char *name);

/* As sysroot_list(). */
int sysdir_list(struct sysdir *dir, const char *prefix, char ***ret);
