/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include <libsmartcols.h>

#include "cli/history-table.h"
#include "cli/sparkline.h"
#include "cli/text.h"
#include "common/printable.h"
#include "common/units.h"

#define BARS_MAX 60U /* the last ones, so that a line is no wider than a terminal */

DEFINE_CLEANUP(struct libscols_table *, scols_unref_table);

/* --- cells: each returns a text for the caller to free, or NULL without memory */

/* As journalctl's short form. */
static char *format_time(const struct history_entry *entry) {
        time_t seconds = (time_t)(entry->time_usec / 1000000);
        char buffer[64] = "";
        struct tm tm;

        if (!localtime_r(&seconds, &tm) || strftime(buffer, sizeof(buffer), "%b %d %H:%M:%S", &tm) == 0)
                return strdup("-");
        return strdup(buffer);
}

static char *format_device(const struct history_entry *entry) {
        const char *name = entry->name, *label = entry->label;
        char *text;

        if (!name || !label || strcmp(name, label) == 0)
                return strdup(label ?: name ?: "-");
        return asprintf(&text, "%s (%s)", label, name) < 0 ? NULL : text;
}

static char *format_event(const struct history_entry *entry) {
        return strdup(history_event_name(entry->event));
}

static char *format_sectors(struct opt_int sectors) {
        char *text;

        if (!sectors.known)
                return strdup("-");
        return asprintf(&text, "%" PRId64, sectors.value) < 0 ? NULL : text;
}

static char *format_from(const struct history_entry *entry) {
        return format_sectors(entry->from_sectors);
}

static char *format_to(const struct history_entry *entry) {
        return format_sectors(entry->to_sectors);
}

static char *format_mbps(const struct history_entry *entry) {
        char before[UNITS_BUFFER], after[UNITS_BUFFER], *text;

        if (isnan(entry->mbps_before) && isnan(entry->mbps_after))
                return strdup(entry->skipped ? "skipped" : "-");
        return asprintf(&text, "%s → %s", units_format_mbps(before, entry->mbps_before),
                               units_format_mbps(after, entry->mbps_after)) < 0
                               ? NULL
                               : text;
}

/* A ratio that the runs do not show is none. */
static char *format_gain(const struct history_entry *entry) {
        char ratio[UNITS_BUFFER], *text;

        if (isnan(entry->gain))
                return strdup("-");
        if (entry->verdict && strcmp(entry->verdict, "no difference") == 0)
                return strdup("none");
        return asprintf(&text, "×%s", units_format_ratio(ratio, entry->gain)) < 0 ? NULL : text;
}

static char *format_rule(const struct history_entry *entry) {
        return strdup(entry->rule ?: "-");
}

static const struct {
        const char *name;
        double width; /* what share of a terminal it may be cut down to; 0: no matter */
        int flags;
        char *(*format)(const struct history_entry *entry);
} columns[] = {
                {"TIME", 0, 0, format_time},
                {"DEVICE", 0.3, SCOLS_FL_TRUNC, format_device},
                {"WHAT", 0, 0, format_event},
                {"FROM", 0, SCOLS_FL_RIGHT, format_from},
                {"TO", 0, SCOLS_FL_RIGHT, format_to},
                {"MB/S", 0, 0, format_mbps},
                {"GAIN", 0, 0, format_gain},
                {"RULE", 0.05, SCOLS_FL_TRUNC, format_rule},
};

/* --- the table */

/* Escaped here where the locale is UTF-8, else by libsmartcols: see table.c. */
static int fill_line(struct libscols_line *line, const struct history_entry *entry, bool utf8) {
        for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
                _cleanup_(freep) char *text = columns[i].format(entry);
                char *shown = !text ? NULL : utf8 ? printable_escape(text) : TAKE_PTR(text);

                if (!shown || scols_line_refer_data(line, i, shown) != 0) {
                        free(shown);
                        return -ENOMEM;
                }
        }
        return 0;
}

int history_print_table(FILE *stream, const struct history *history, bool utf8) {
        _cleanup_(scols_unref_tablep) struct libscols_table *table = scols_new_table();
        int r;

        if (!table)
                return -ENOMEM;
        scols_table_set_stream(table, stream);
        scols_table_enable_noencoding(table, utf8);
        for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
                if (!scols_table_new_column(table, columns[i].name, columns[i].width, columns[i].flags))
                        return -ENOMEM;
        for (size_t i = 0; i < history->n_entries; i++) {
                struct libscols_line *line = scols_table_new_line(table, NULL);

                r = line ? fill_line(line, &history->entries[i], utf8) : -ENOMEM;
                if (r < 0)
                        return r;
        }
        return scols_print_table(table);
}

/* --- sparklines */

/* "  MB/s       ▁█  12.2 to 251, 251 at last" */
static int print_bars(FILE *stream, const char *title, const double *values, size_t n, bool utf8,
                char *(*format)(char *buffer, double value)) {
        _cleanup_(freep) char *bars = sparkline_format(values, n, utf8);
        char low[UNITS_BUFFER], high[UNITS_BUFFER], final[UNITS_BUFFER];
        double least = NAN, most = NAN, last = NAN;

        if (!bars)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                if (!isnan(values[i])) { /* NOLINT(clang-analyzer-core.CallAndMessage): there are N */
                        least = fmin(least, values[i]);
                        most = fmax(most, values[i]);
                        last = values[i];
                }
        if (isnan(last))
                fprintf(stream, "  %-9s  not measured\n", title);
        else if (least < most)
                fprintf(stream, "  %-9s  %s  %s to %s, last %s\n", title, bars, format(low, least), format(high, most),
                                format(final, last));
        else
                fprintf(stream, "  %-9s  %s  %s\n", title, bars, format(final, last));
        return 0;
}

static char *format_whole(char *buffer, double value) {
        snprintf(buffer, UNITS_BUFFER, "%.0f", value);
        return buffer;
}

static char *format_speed(char *buffer, double value) {
        return units_format_mbps(buffer, value);
}

static int print_label(FILE *stream, const struct history *history, const char *label, bool utf8) {
        _cleanup_(freep) struct history_state *states = NULL;
        double sectors[BARS_MAX], mbps[BARS_MAX];
        size_t n, first;
        int r;

        r = history_states(history, label, &states, &n);
        if (r < 0 || n == 0)
                return r;
        first = n > BARS_MAX ? n - BARS_MAX : 0;
        for (size_t i = first; i < n; i++) {
                sectors[i - first] = (double)states[i].sectors;
                mbps[i - first] = states[i].mbps;
        }
        fputc('\n', stream);
        text_print(stream, "%s, over time", label);
        r = print_bars(stream, "readahead", sectors, n - first, utf8, format_whole);
        return r < 0 ? r : print_bars(stream, "MB/s", mbps, n - first, utf8, format_speed);
}

static bool is_first_of_label(const struct history *history, size_t index) {
        for (size_t i = 0; i < index; i++)
                if (history->entries[i].label && strcmp(history->entries[i].label, history->entries[index].label) == 0)
                        return false;
        return true;
}

int history_print_lines(FILE *stream, const struct history *history, bool utf8) {
        for (size_t i = 0; i < history->n_entries; i++) {
                int r;

                if (!history->entries[i].label || !is_first_of_label(history, i))
                        continue;
                r = print_label(stream, history, history->entries[i].label, utf8);
                if (r < 0)
                        return r;
        }
        return 0;
}
