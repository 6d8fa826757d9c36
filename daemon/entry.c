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
        r = asprintf(&field, "%s=%s", name, value);
        if (r < 0)
                return;
        entry->fields[entry->n_fields++] = (struct iovec){.iov_base = field, .iov_len = (size_t)r};
}

static const char *message_of(const struct entry *entry) {
        for (size_t i = 0; i < entry->n_fields; i++)
                if (strncmp(entry->fields[i].iov_base, "MESSAGE=", strlen("MESSAGE=")) == 0)
                        return (const char *)entry->fields[i].iov_base + strlen("MESSAGE=");
        return "";
}

/* The journal takes any byte; whoever reads stderr might be a terminal, and labels are what somebody has made of them. */
static void print_plainly(const char *message) {
        fputs("setrad: ", stderr);
        for (; *message; message++)
                fputc((unsigned char)*message < ' ' || *message == 0x7f ? '?' : *message, stderr);
        fputc('\n', stderr);
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
