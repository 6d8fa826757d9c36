/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The root directory that everything is read below: "/" of this machine, or that of a captured one. No path and no link
 * leads out of it (openat2(2) with RESOLVE_IN_ROOT). Opening never blocks and only regular files are read, so that a
 * FIFO or device in a capture does no harm.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cleanup.h"
#include "opt.h"

struct record;
struct sysroot;
struct temporary;

/* PATH NULL or "/": this machine. Returns 0 or a negative errno (-ENOENT, -ENOTDIR, -EACCES, …). */
int sysroot_open(const char *path, struct sysroot **ret);
void sysroot_free(struct sysroot *root);
DEFINE_CLEANUP(struct sysroot *, sysroot_free);

/* Whether it is this machine, not a capture. */
bool sysroot_is_live(const struct sysroot *root);

/*
 * What could not be read since sysroot_forget_failures(), although it may well be there. Callers that do without it need not
 * look; whoever puts all of it together does. What is missing, gone meanwhile or makes no sense is no failure.
 */
struct sysroot_failures {
        int error; /* 0: none; of the first one, or of the first one that is a shortage; a negative errno */
        unsigned n;
        char path[256];            /* of the same one */
        size_t n_entries, n_names; /* how much of directories was read, and listed: see sysdir.c */
};
const struct sysroot_failures *sysroot_failures(const struct sysroot *root);
void sysroot_forget_failures(const struct sysroot *root);

/*
 * Whether R is an error that says nothing about what was asked for. One that does is an answer: it is not there, or is something
 * else than was thought.
 */
bool sysroot_is_failure(int r);

/* For what callers read themselves, of PATH. An R that is no failure is passed over. Returns R. */
int sysroot_note_error(const struct sysroot *root, const char *path, int r);

/* Whether this process or the machine lacks something, so that an error says nothing about what was asked for. */
bool sysroot_is_shortage(int r);

/* From now on the directory, which it takes over, goes when the root does. */
void sysroot_own_directory(struct sysroot *root, struct temporary *directory);

/*
 * From now on, what sysroot_read(), _exists(), _is_directory(), _list(), _link_name() and
 * _link_directory_name() find in sys/ is written down in
 * RECORD (NULL: no longer). Of what comes from elsewhere, whoever reads it says what is to be kept.
 */
void sysroot_set_record(struct sysroot *root, struct record *record, bool with_identifiers);
bool sysroot_is_recorded(const struct sysroot *root);

/* Whether what tells this machine and its disks from all others is to be kept too. */
bool sysroot_records_identifiers(const struct sysroot *root);

/* Tells the record, if there is one, of a serial number or the like: names that have it in them may be in it. */
void sysroot_record_serial(const struct sysroot *root, const char *text);

/* Adds a directory, or text to the end of a file, to the record, if there is one. */
void sysroot_record_directory(const struct sysroot *root, const char *path);
void sysroot_record_text(const struct sysroot *root, const char *path, const char *format, ...)
                __attribute__((format(printf, 3, 4)));

/* All paths below are relative to the root, without a leading slash, and printf-formatted. */

/*
 * Reads a small attribute: at most SIZE-1 bytes into BUFFER, without the trailing newline, NUL-terminated. Returns its
 * length; -ENOENT, -EACCES, -ENODEV (device gone while reading), -EFBIG (does not fit), -EINVAL (has a NUL byte, or is
 * no regular file), or another negative errno.
 */
int sysroot_read(const struct sysroot *root, char *buffer, size_t size, const char *format, ...)
                __attribute__((format(printf, 4, 5)));

/* As sysroot_read(), for a serial number or the like: it is recorded only where identifiers are. */
int sysroot_read_serial(const struct sysroot *root, char *buffer, size_t size, const char *format, ...)
                __attribute__((format(printf, 4, 5)));

/* Unknown if the file is missing, empty, or not one decimal number that fits. */
struct opt_int sysroot_read_int(const struct sysroot *root, const char *format, ...)
                __attribute__((format(printf, 2, 3)));

/* A stream over a file, for those that are read line by line. Returns 0 or a negative errno. */
int sysroot_fopen(const struct sysroot *root, FILE **ret, const char *format, ...)
                __attribute__((format(printf, 3, 4)));

/* To be asked when no more comes of such a stream: 0, or -EIO where that was not its end, which is a failure then. */
int sysroot_check_stream(const struct sysroot *root, FILE *stream, const char *path);

bool sysroot_exists(const struct sysroot *root, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Names in a directory that begin with PREFIX, without . and .., in the order of version sort; a NULL-terminated array
 * in one piece of memory that the caller frees. -ENOENT, -ENOTDIR, -EOVERFLOW (more than 100,000 entries, or 10,000,000
 * entries or 1,000,000 names in all), …
 */
int sysroot_list(const struct sysroot *root, const char *prefix, char ***ret, const char *format, ...)
                __attribute__((format(printf, 4, 5)));

/* Last component of a symbolic link's target, e.g. the name of a subsystem or device. Length or a negative errno. */
int sysroot_link_name(const struct sysroot *root, char *buffer, size_t size, const char *format, ...)
                __attribute__((format(printf, 4, 5)));

/* As sysroot_link_name() for the last but one, e.g. "md0" of "../md0/bcache". -EINVAL also where there is none. */
int sysroot_link_directory_name(const struct sysroot *root, char *buffer, size_t size, const char *format, ...)
                __attribute__((format(printf, 4, 5)));

/* Whether a path is a directory, links followed. */
bool sysroot_is_directory(const struct sysroot *root, const char *format, ...) __attribute__((format(printf, 2, 3)));
