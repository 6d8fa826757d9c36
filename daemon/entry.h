/* SPDX-License-Identifier: MIT */
#pragma once

/* A journal entry in the making: a message and fields of its own. */

#include <stddef.h>
#include <sys/uio.h>

#define ENTRY_FIELDS_MAX 40U

struct entry {
        struct iovec fields[ENTRY_FIELDS_MAX];
        size_t n_fields;
};

void entry_done(struct entry *entry);

/* Adds "NAME=value". A field that does not fit or has no memory is left out. */
void entry_add(struct entry *entry, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Entries of less importance than LEVEL (of syslog(3); LOG_INFO until this is called) are not sent from now on. */
void entry_set_level(int level);

/* Sends it with PRIORITY and, unless NULL, MESSAGE_ID; to stderr where there is no journal. */
void entry_send(struct entry *entry, int priority, const char *message_id);
