/* SPDX-License-Identifier: MIT */

/*
 * Entries of the journal: a line "NAME=VALUE" for each field, an empty line between two. What setractl history makes of
 * them is text only, and JSON that is read as the same.
 */

#include <math.h>

#include "cli/history-table.h"
#include "cli/history.h"
#include "cli/json.h"
#include "daemon/messages.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/output.h"

#define ENTRIES_MAX 32U

/* Short forms of the ids, as a mutation does not find one of 32 digits. */
static const char *find_id(const char *value) {
        const char *const *ids = history_message_ids();
        size_t n = 0;

        while (ids[n])
                n++;
        return value[0] >= '0' && value[0] <= '9' && !value[1] ? ids[(size_t)(value[0] - '0') % n] : value;
}

struct fields {
        char *texts[_HISTORY_FIELD_MAX]; /* the whole lines */
        struct history_record record;
};

static void fields_done(struct fields *fields) {
        for (size_t i = 0; i < _HISTORY_FIELD_MAX; i++)
                free(fields->texts[i]);
}

/* Takes LINE over. */
static void add_field(struct fields *fields, char *line) {
        char *equals = strchr(line, '=');

        for (size_t i = 0; equals && i < _HISTORY_FIELD_MAX; i++) {
                const char *name = history_field_name((enum history_field)i);

                if (strlen(name) != (size_t)(equals - line) || memcmp(name, line, strlen(name)) != 0)
                        continue;
                free(fields->texts[i]);
                fields->texts[i] = line;
                fields->record.values[i] = i == HISTORY_MESSAGE_ID ? find_id(equals + 1) : equals + 1;
                return;
        }
        if (line[0] == '@')
                fields->record.time_usec = strtoull(line + 1, NULL, 10);
        free(line);
}

static void add_entry(struct history *history, const uint8_t **data, size_t *size) {
        const struct history_device device = {.text = "/dev/mapper/vg-lv"}, labelled = {.label = "vg/lv", .text = "x"};
        _cleanup_(fields_done) struct fields fields = {};

        while (*size > 0) {
                char *line = fuzz_take_text(data, size, '\n');

                if (!*line) {
                        free(line);
                        break;
                }
                add_field(&fields, line);
        }
        (void)history_is_about(&fields.record, &device);
        (void)history_is_about(&fields.record, &labelled);
        FUZZ_CHECK(history_add(history, &fields.record) == 0);
}

static bool is_figure(double value) {
        return isnan(value) || (isfinite(value) && value >= 0);
}

static void check_entries(const struct history *history) {
        for (size_t i = 0; i < history->n_entries; i++) {
                const struct history_entry *entry = &history->entries[i];

                FUZZ_CHECK(i == 0 || entry[-1].time_usec <= entry->time_usec);
                FUZZ_CHECK(opt_or(entry->from_sectors, 0) >= 0 && opt_or(entry->to_sectors, 0) >= 0);
                FUZZ_CHECK(is_figure(entry->mbps_before) && is_figure(entry->mbps_after) && is_figure(entry->gain));
        }
}

static void print(const struct history *history, bool utf8) {
        struct output table, lines;

        output_begin(&table);
        FUZZ_CHECK(history_print_table(table.stream, history, utf8) == 0);
        output_end(&table);
        output_begin(&lines);
        FUZZ_CHECK(history_print_lines(lines.stream, history, utf8) == 0);
        output_end(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        _cleanup_(history_done) struct history history = {};

        for (unsigned i = 0; i < ENTRIES_MAX && size > 0; i++)
                add_entry(&history, &data, &size);
        history_sort(&history);
        check_entries(&history);
        output_check_json(json_history(&history));
        if (history.n_entries > 0)
                print(&history, true);
        return 0;
}
