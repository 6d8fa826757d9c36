/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What was read of a machine, as a tree of small files: written down while discovery reads, and then stored. Nothing here
 * fails at once: memory that was short shows in record_list().
 */

#include <stdbool.h>
#include <stddef.h>

#include "capture-identifier.h"
#include "cleanup.h"

enum record_type { RECORD_DIRECTORY, RECORD_FILE, RECORD_LINK };

struct record_entry {
        const char *path; /* relative, without "." and ".." */
        enum record_type type;
        const char *text; /* content of a file, target of a link; "" for a directory */
        size_t size;      /* of it */
};

struct record;

/* NULL when memory is short. */
struct record *record_new(void);
void record_free(struct record *record);
DEFINE_CLEANUP(struct record *, record_free);

bool record_has(const struct record *record, const char *path);

/* That there is a directory, or a file whose content does not matter. What is known of the path already stays. */
void record_directory(struct record *record, const char *path);
void record_presence(struct record *record, const char *path);

/* A file with that content, or a link; instead of what was there. */
void record_file(struct record *record, const char *path, const char *text, size_t size);
void record_link(struct record *record, const char *path, const char *target);

/* Adds to the end of a file, which is made if there is none. */
void record_append(struct record *record, const char *path, const char *text, size_t size);

/* What tells the machine or a disk from all others was read: it is to be found again in what was written down. */
void record_identifier(struct record *record, enum identifier_type type, const char *text);
struct identifiers *record_identifiers(struct record *record);

/* Something that belonged in it could not be written down: memory was short. */
void record_fail(struct record *record);

/*
 * All that was written down, sorted by path, with the directories above each; the array is the record's. Returns 0, or
 * -ENOMEM if memory was short now or before.
 */
int record_list(struct record *record, const struct record_entry **ret, size_t *ret_n);
