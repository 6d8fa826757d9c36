/* SPDX-License-Identifier: MIT */

/* The call sites here are no news to anyone. */
#define SD_JOURNAL_SUPPRESS_LOCATION

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "daemon/entry.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* The one thing here that is not passed along: whoever says something need not know who listens. */
static int level_max = LOG_INFO;

void entry_set_level(int level) {
        level_max = level;
}

static bool is_in_room(const struct entry *entry, const char *field) {
        return field >= entry->room && field < entry->room + sizeof(entry->room);
}

void entry_done(struct entry *entry) {
        while (entry->n_fields > 0) {
                char *field = entry->fields[--entry->n_fields].iov_base;

                if (!is_in_room(entry, field))
                        free(field);
        }
}

/* Returns its length, of which what has no room is not there. */
__attribute__((format(printf, 4, 0))) static size_t print_field(
                char *buffer, size_t size, const char *name, const char *format, va_list args) {
        int n = snprintf(buffer, size, "%s=", name), n_value;

        if (n < 0)
                return 0;
        n_value = vsnprintf(buffer + ((size_t)n < size ? (size_t)n : size), (size_t)n < size ? size - (size_t)n : 0,
                        format, args);
        return n_value < 0 ? 0 : (size_t)n + (size_t)n_value;
}

/*
 * Fields may have any byte, and programs want names as they are. The message is for people: whatever shows it may be a
 * terminal, journalctl shows none that has a control in it, and a line break would make a message of its own in a log.
 * Returns FIELD, or one that takes its place.
 */
static char *show_message(const struct entry *entry, char *field) {
        char *value = strchr(field, '=') + 1, *message = NULL;
        _cleanup_(freep) char *shown = NULL;

        if (printable_is(value) && !strstr(value, "\\x"))
                return field;
        shown = printable_escape(value);
        if (!shown || asprintf(&message, "MESSAGE=%s", shown) < 0) {
                printable_mask(value);
                return field;
        }
        if (!is_in_room(entry, field))
                free(field);
        return message;
}

void entry_addv(struct entry *entry, const char *name, const char *format, va_list args) {
        size_t n_room = sizeof(entry->room) - entry->n_taken, n;
        char *field = entry->room + entry->n_taken;
        va_list again;

        if (entry->n_fields == ENTRY_FIELDS_MAX)
                return;
        va_copy(again, args);
        n = print_field(field, n_room, name, format, args);
        if (n >= n_room) {
                char *memory = malloc(n + 1);

                if (memory) {
                        (void)print_field(memory, n + 1, name, format, again);
                        field = memory;
                } else
                        n = n_room > 0 ? n_room - 1 : 0;
        }
        va_end(again);
        /* Cut before its value begins. */
        if (n <= strlen(name))
                return;
        if (strcmp(name, "MESSAGE") == 0) {
                field = show_message(entry, field);
                n = strlen(field);
        }
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what was freed is not what asprintf() has made */
        if (is_in_room(entry, field))
                entry->n_taken += n + 1;
        entry->fields[entry->n_fields++] = (struct iovec){.iov_base = field, .iov_len = n};
}

void entry_add(struct entry *entry, const char *name, const char *format, ...) {
        va_list args;

        va_start(args, format);
        entry_addv(entry, name, format, args);
        va_end(args);
}

static const char *message_of(const struct entry *entry) {
        for (size_t i = 0; i < entry->n_fields; i++)
                if (strncmp(entry->fields[i].iov_base, "MESSAGE=", strlen("MESSAGE=")) == 0)
                        return (const char *)entry->fields[i].iov_base + strlen("MESSAGE=");
        return "";
}

static void print_plainly(const char *message) {
        fprintf(stderr, "setrad: %s\n", message);
}

void entry_send(struct entry *entry, int priority, const char *message_id) {
        if (priority > level_max)
                return;
        entry_add(entry, "PRIORITY", "%d", priority);
        entry_add(entry, "SYSLOG_IDENTIFIER", "setrad");
        if (message_id)
                entry_add(entry, "MESSAGE_ID", "%s", message_id);
        /* Without a journal sd_journal_sendv() says that all is well. */
        if (access(JOURNAL_SOCKET, F_OK) < 0 || sd_journal_sendv(entry->fields, (int)entry->n_fields) < 0)
                print_plainly(message_of(entry));
}
