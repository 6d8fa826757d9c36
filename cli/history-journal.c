/* SPDX-License-Identifier: MIT */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>

#include "cli/history-journal.h"

#define PERSISTENT_DIRECTORY "/var/log/journal"
#define VOLATILE_DIRECTORY   "/run/log/journal"

DEFINE_CLEANUP(DIR *, closedir);

/* --- which files there are */

static bool is_journal(const char *name, const char *prefix) {
        const char *dot = strrchr(name, '.');

        return strncmp(name, prefix, strlen(prefix)) == 0 && dot && strcmp(dot, ".journal") == 0;
}

/* Counts journals in PATH whose names begin with PREFIX, and those of directories in it where NESTED. */
/* NOLINTNEXTLINE(misc-no-recursion): one level deep */
static int count_files(const char *path, const char *prefix, bool nested, struct history_files *files) {
        _cleanup_(closedirp) DIR *directory = opendir(path);
        struct dirent *item;

        if (!directory) {
                files->n_denied += errno == EACCES;
                return -errno;
        }
        while ((item = readdir(directory))) {
                _cleanup_(freep) char *inner = NULL;

                if (is_journal(item->d_name, prefix)) {
                        bool readable = faccessat(dirfd(directory), item->d_name, R_OK, AT_EACCESS) == 0;

                        files->n_readable += readable;
                        files->n_denied += !readable && errno == EACCES;
                } else if (nested && item->d_name[0] != '.') {
                        if (asprintf(&inner, "%s/%s", path, item->d_name) < 0) {
                                inner = NULL;
                                return -ENOMEM;
                        }
                        (void)count_files(inner, prefix, false, files);
                }
        }
        return 0;
}

/* The system's files of this machine below BASE. Where there are none, that is no error. */
static int count_of_machine(const char *base, struct history_files *files) {
        char id[SD_ID128_STRING_MAX];
        _cleanup_(freep) char *path = NULL;
        sd_id128_t machine;
        int r;

        r = sd_id128_get_machine(&machine);
        if (r < 0)
                return r;
        if (asprintf(&path, "%s/%s", base, sd_id128_to_string(machine, id)) < 0) {
                path = NULL;
                return -ENOMEM;
        }
        r = count_files(path, "system", false, files);
        return r == -ENOENT || r == -EACCES ? 0 : r;
}

int history_find_files(const char *directory, struct history_files *ret) {
        struct history_files files = {};
        int r;

        if (directory) {
                r = count_files(directory, "", true, &files);
                files.has_persistent = true;
        } else {
                r = count_of_machine(PERSISTENT_DIRECTORY, &files);
                files.has_persistent = files.n_readable > 0;
                if (r >= 0)
                        r = count_of_machine(VOLATILE_DIRECTORY, &files);
        }
        if (r >= 0)
                *ret = files;
        return r;
}

/* --- entries */

/* Fields of one entry; they are its own. */
struct fields {
        char *values[_HISTORY_FIELD_MAX];
};

static void fields_done(struct fields *fields) {
        for (size_t i = 0; i < _HISTORY_FIELD_MAX; i++)
                free(fields->values[i]);
}

/* NULL where there is none, or where it has a NUL in it: no field of setrad's has. */
static int copy_field(sd_journal *journal, const char *name, char **ret) {
        size_t n_name = strlen(name) + 1, n;
        const void *data;
        const char *value;
        int r;

        r = sd_journal_get_data(journal, name, &data, &n);
        if (r == -ENOENT)
                return 0;
        if (r < 0)
                return r;
        if (n < n_name)
                return 0;
        value = (const char *)data + n_name;
        n -= n_name;
        if (memchr(value, 0, n))
                return 0;
        *ret = strndup(value, n);
        return *ret ? 0 : -ENOMEM;
}

/* Entries of one field are alternatives, those of different fields must all be met. */
static int add_matches(sd_journal *journal) {
        static const char *const trusted[] = {"_UID=0", "_SYSTEMD_UNIT=setrad.service"};
        const char *const *ids = history_message_ids();
        int r;

        for (size_t i = 0; i < ARRAY_SIZE(trusted); i++) {
                r = sd_journal_add_match(journal, trusted[i], 0);
                if (r < 0)
                        return r;
        }
        for (size_t i = 0; ids[i]; i++) {
                char match[sizeof("MESSAGE_ID=") + SD_ID128_STRING_MAX];

                snprintf(match, sizeof(match), "MESSAGE_ID=%s", ids[i]);
                r = sd_journal_add_match(journal, match, 0);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* The entry that the journal is at, if it is asked for. */
static int take_entry(sd_journal *journal, const struct history_query *query, struct history *history) {
        _cleanup_(fields_done) struct fields fields = {};
        struct history_record record = {};
        int r;

        r = sd_journal_get_realtime_usec(journal, &record.time_usec);
        if (r < 0)
                return r;
        if (record.time_usec < query->since_usec || record.time_usec > query->until_usec)
                return 0;
        for (size_t i = 0; i < _HISTORY_FIELD_MAX; i++) {
                r = copy_field(journal, history_field_name((enum history_field)i), &fields.values[i]);
                if (r < 0)
                        return r;
                record.values[i] = fields.values[i];
        }
        if (query->device && !history_is_about(&record, query->device))
                return 0;
        return history_add(history, &record);
}

static int open_journal(const char *directory, sd_journal **ret) {
        if (directory)
                return sd_journal_open_directory(ret, directory, 0);
        return sd_journal_open(ret, SD_JOURNAL_LOCAL_ONLY | SD_JOURNAL_SYSTEM);
}

/*
 * From the end, so that the last ones are found without reading all. Entries out of the time that is asked for are passed
 * over, and do not end it: where the clock was set, times are not in the order of entries.
 */
int history_read(const struct history_query *query, struct history *history) {
        _cleanup_(sd_journal_closep) sd_journal *journal = NULL;
        int r;

        r = open_journal(query->directory, &journal);
        if (r < 0)
                return r;
        r = add_matches(journal);
        if (r < 0)
                return r;
        r = sd_journal_seek_tail(journal);
        if (r < 0)
                return r;
        while (history->n_entries < query->n_max) {
                r = sd_journal_previous(journal);
                if (r < 0)
                        return r;
                if (r == 0)
                        break;
                r = take_entry(journal, query, history);
                if (r < 0 && r != -EBADMSG && r != -E2BIG && r != -EPROTONOSUPPORT)
                        return r;
        }
        history_sort(history);
        return 0;
}
