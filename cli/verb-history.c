/* SPDX-License-Identifier: MIT */

/* setractl history: what the service did, from the journal. */

#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "cli/find-layer.h"
#include "cli/history-journal.h"
#include "cli/history-table.h"
#include "cli/json.h"
#include "cli/text.h"
#include "cli/timespec.h"
#include "cli/verb.h"
#include "common/discover.h"

static uint64_t now_usec(void) {
        struct timespec now = {};

        clock_gettime(CLOCK_REALTIME, &now);
        return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Leaves *time as it is where TEXT is NULL. */
static int read_time(const char *option, const char *text, uint64_t now, uint64_t *time) {
        int r = text ? timespec_parse(text, now, time) : 0;

        if (r < 0)
                text_error("--%s: '%s' is no time; one is '2026-11-30 20:00', 'today', 'yesterday', '20:00', '-1h', "
                           "'2 days ago' or '@SECONDS'",
                                option, text);
        return r;
}

static int read_number(const char *text, size_t *number) {
        unsigned long value;
        char *end;

        if (!text)
                return 0;
        errno = 0;
        value = strtoul(text, &end, 10);
        if (!isdigit((unsigned char)*text) || errno != 0 || *end != '\0' || value == 0) {
                text_error("--lines: '%s' is no number of entries, which is 1 or more", text);
                return -EINVAL;
        }
        *number = value;
        return 0;
}

static int read_query(const struct options *options, struct history_query *query) {
        uint64_t now = now_usec();

        *query = (struct history_query){
                        .directory = options->directory,
                        .until_usec = UINT64_MAX,
                        .n_max = SIZE_MAX,
        };
        if (read_time("since", options->since, now, &query->since_usec) < 0 ||
                        read_time("until", options->until, now, &query->until_usec) < 0 ||
                        read_number(options->lines, &query->n_max) < 0)
                return -EINVAL;
        if (query->since_usec > query->until_usec) {
                text_error("--since is later than --until");
                return -EINVAL;
        }
        return 0;
}

/* A partition shares its disk's readahead. NULL where there is no such device, or none can be found out. */
static const struct layer *find_device(const struct topology *topology, const char *text) {
        const struct layer *layer = find_layer_on_machine(topology, text);

        return layer && layer->parent ? layer->parent : layer;
}

/* On stderr what can't be read. Returns 0, or a negative errno where that is all. */
static int check_files(const char *directory) {
        struct history_files files;
        int r;

        r = history_find_files(directory, &files);
        if (r == -EACCES || (r == 0 && files.n_readable == 0 && files.n_denied > 0)) {
                text_error("cannot read the journal%s%s: permission denied; root can, and members of the group "
                           "systemd-journal or adm",
                                directory ? " in " : "", directory ?: "");
                return -EACCES;
        }
        if (r < 0) {
                text_error("cannot read the journal%s%s: %s", directory ? " in " : "", directory ?: "", strerror(-r));
                return r;
        }
        if (files.n_readable == 0) {
                text_error("there is no journal%s%s",
                                directory ? " in " : " on this machine: does systemd-journald run?", directory ?: "");
                return -ENOENT;
        }
        if (files.n_denied > 0)
                text_note("a part of the journal can't be read: permission denied");
        if (!files.has_persistent)
                text_note("the journal is not kept over a boot (there is none in /var/log/journal): this is all since "
                          "the last one");
        return 0;
}

static void print_nothing(const struct options *options, const struct history_query *query) {
        const struct history_device *device = query->device;
        const char *when = options->since || options->until ? " in that time" : "";

        if (!device)
                text_print(stdout, "Nothing on record%s: the journal tells of no change by setrad.service.", when);
        else if (device->label || query->directory)
                text_print(stdout, "Nothing on record%s of %s.", when, device->label ?: device->text);
        else
                text_print(stdout, "Nothing on record%s of %s, and there is no such device here.", when, device->text);
}

static int print_history(
                const struct options *options, const struct history *history, const struct history_query *query) {
        bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
        int r;

        if (options->json)
                return json_print(stdout, json_history(history));
        if (history->n_entries == 0) {
                print_nothing(options, query);
                return 0;
        }
        r = history_print_table(stdout, history, utf8);
        return r < 0 || !query->device ? r : history_print_lines(stdout, history, utf8);
}

enum exit_status verb_history(struct context *context) {
        _cleanup_(history_done) struct history history = {};
        _cleanup_(topology_freep) struct topology *topology = NULL;
        const struct options *options = &context->options;
        struct history_device device = {};
        struct history_query query;
        int r;

        if (options->n_arguments > 1) {
                text_error("history takes one device, or none for all: '%s'", options->arguments[1]);
                return STATUS_USAGE;
        }
        if (read_query(options, &query) < 0)
                return STATUS_USAGE;
        if (options->n_arguments > 0) {
                const struct layer *layer = NULL;

                device.text = options->arguments[0];
                /* Devices that are gone are on record, too: what can't be discovered is no failure. */
                if (!options->directory && context_open(context) == 0 && discover(context->root, &topology) == 0)
                        layer = find_device(topology, device.text);
                device.label = layer ? layer->label : NULL;
                query.device = &device;
        }
        if (check_files(options->directory) < 0)
                return STATUS_FAILED;
        r = history_read(&query, &history);
        if (r == 0)
                r = print_history(options, &history, &query);
        if (r < 0) {
                text_error("cannot show the history: %s", strerror(-r));
                return STATUS_FAILED;
        }
        return STATUS_DONE;
}
