/* SPDX-License-Identifier: MIT */
#pragma once

/* Between the root directory and the directories in it (sysdir.h). */

#include "sysroot.h"

struct sysroot {
        int fd;
        bool live;
        struct temporary *temporary; /* may be NULL */
        struct record *record;       /* the caller's; may be NULL */
        bool with_identifiers;
        struct sysroot_failures *failures;
};

/* PATH is relative, as all here. Returns a descriptor or a negative errno. */
int sysroot_lookup(const struct sysroot *root, const char *path, int flags);

/* The record, if PATH belongs in it by itself: one in sysfs. May be NULL. */
struct record *sysroot_record_for(const struct sysroot *root, const char *path);

/*
 * Makes a string of the N bytes that were read of an attribute into a buffer of SIZE, and writes them down in RECORD (may
 * be NULL). Errors as sysroot_read().
 */
int sysroot_take_attribute(struct record *record, const char *path, char *buffer, size_t n, size_t size);

struct opt_int sysroot_parse_int(const char *text);
