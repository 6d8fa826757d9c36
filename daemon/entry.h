/* SPDX-License-Identifier: MIT */
#pragma once

/* A journal entry in the making: a message and fields of its own. */

#include <stdarg.h>
#include <stddef.h>
#include <sys/uio.h>

#define ENTRY_FIELDS_MAX 40U
#define ENTRY_ROOM       2048U

struct entry {
        struct iovec fields[ENTRY_FIELDS_MAX];
        size_t n_fields;
        char room[ENTRY_ROOM]; /* most have all their fields here, so that what is wrong can be told without memory */
        size_t n_taken;
};

void entry_done(struct entry *entry);

/*
 * Adds "NAME=value". One that is long and has no memory is cut where the room that there is ends; one field too many is left
 * out.
 */
void entry_add(struct entry *entry, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void entry_addv(struct entry *entry, const char *name, const char *format, va_list args)
                __attribute__((format(printf, 3, 0)));

/* Entries of less importance than LEVEL (of syslog(3); LOG_INFO until this is called) are not sent from now on. */
void entry_set_level(int level);

/* Sends it with PRIORITY and, unless NULL, MESSAGE_ID; to stderr where there is no journal. */
void entry_send(struct entry *entry, int priority, const char *message_id);
