/* SPDX-License-Identifier: MIT */

/* The call sites here are no news to anyone. */
#define SD_JOURNAL_SUPPRESS_LOCATION

#include <stdarg.h>
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

void entry_done(struct entry *entry) {
        while (entry->n_fields > 0)
                free(entry->fields[--entry->n_fields].iov_base);
}

/*
 * Fields may have any byte, and programs want names as they are. The message is for people: whatever shows it may be a
 * terminal, journalctl shows none that has a control in it, and a line break would make a message of its own in a log.
 */
static char *make_field(const char *name, const char *value) {
        const bool is_message = strcmp(name, "MESSAGE") == 0;
        _cleanup_(freep) char *shown = is_message ? printable_escape(value) : NULL;
        char *field;

        if (is_message && !shown)
                return NULL;
        return asprintf(&field, "%s=%s", name, shown ?: value) < 0 ? NULL : field;
}

void entry_add(struct entry *entry, const char *name, const char *format, ...) {
        _cleanup_(freep) char *value = NULL;
        char *field;
        va_list args;
        int r;

        if (entry->n_fields == ENTRY_FIELDS_MAX)
                return;

        va_start(args, format);
        r = vasprintf(&value, format, args);
        va_end(args);
        if (r < 0) {
                value = NULL;
                return;
        }
        field = make_field(name, value);
        if (!field)
                return;
        entry->fields[entry->n_fields++] = (struct iovec){.iov_base = field, .iov_len = strlen(field)};
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
