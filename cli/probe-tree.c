/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include <libsmartcols.h>

#include "cli/probe-text.h"
#include "cli/text.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/probe-interval.h"
#include "common/units.h"

DEFINE_CLEANUP(struct libscols_table *, scols_unref_table);

enum { COLUMN_NAME, COLUMN_KIND, COLUMN_READAHEAD, COLUMN_MBPS, COLUMN_RANGE, COLUMN_PART, _COLUMN_MAX };

static const struct {
        const char *name;
        int flags;
} columns[_COLUMN_MAX] = {
                [COLUMN_NAME] = {"NAME", SCOLS_FL_TREE},
                [COLUMN_KIND] = {"KIND", 0},
                [COLUMN_READAHEAD] = {"READAHEAD", SCOLS_FL_RIGHT},
                [COLUMN_MBPS] = {"MB/S", SCOLS_FL_RIGHT},
                [COLUMN_RANGE] = {"RANGE", 0},
                [COLUMN_PART] = {"÷TOP", SCOLS_FL_RIGHT},
};

struct tree {
        struct libscols_table *table;
        const struct probe_report *report;
        struct libscols_line **lines; /* of the items */
};

static char *format_range(const struct probe_series *series) {
        char least[UNITS_BUFFER], most[UNITS_BUFFER], *text = NULL;
        double low, high;

        if (series->n_runs == 0)
                return strdup("-");
        probe_median_interval(series, &low, &high);
        if (asprintf(&text, "%s to %s", units_format_mbps(least, low), units_format_mbps(most, high)) < 0)
                return NULL;
        return text;
}

/* The caller frees it. */
static char *format_cell(const struct tree *tree, const struct probe_item *item, int column) {
        const struct probe_series *top = &tree->report->items[0].series, *own = &item->series;
        char buffer[UNITS_BUFFER], *text = NULL;

        switch (column) {
        case COLUMN_NAME: return text_layer_title(item->layer);
        case COLUMN_KIND: return strdup(kind_name(item->layer->kind));
        case COLUMN_READAHEAD: return asprintf(&text, "%" PRIu64, item->readahead_sectors) < 0 ? NULL : text;
        case COLUMN_RANGE: return format_range(own);
        case COLUMN_MBPS: return strdup(own->n_runs > 0 ? units_format_mbps(buffer, own->median_mbps) : "-");
        default:
                return strdup(own->n_runs > 0 && top->median_mbps > 0
                                                ? units_format_ratio(buffer, own->median_mbps / top->median_mbps)
                                                : "-");
        }
}

static int fill_line(const struct tree *tree, struct libscols_line *line, const struct probe_item *item) {
        for (int i = 0; i < _COLUMN_MAX; i++) {
                _cleanup_(freep) char *text = format_cell(tree, item, i);
                char *escaped = text ? printable_escape(text) : NULL;

                if (!escaped || scols_line_refer_data(line, (size_t)i, escaped) != 0) {
                        free(escaped);
                        return -ENOMEM;
                }
        }
        return 0;
}

static bool lies_over(const struct layer *upper, const struct layer *lower) {
        for (size_t i = 0; i < upper->n_below; i++)
                if (upper->below[i] == lower)
                        return true;
        return false;
}

/* What ITEM is shown under: its array, or the first that lies over it. The number of items: none. */
static size_t parent_of(const struct probe_report *report, const struct probe_item *item) {
        for (size_t i = 0; i < report->n_items; i++)
                if (item->array ? report->items[i].layer == item->array
                                : lies_over(report->items[i].layer, item->layer))
                        return i;
        return report->n_items;
}

/* A line needs that of its parent, which is above it in the stack: so this comes to an end. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as the stack, at most */
static int add_line(struct tree *tree, size_t i) {
        const struct probe_item *item = &tree->report->items[i];
        size_t parent = parent_of(tree->report, item);
        bool has_parent =
                        parent < tree->report->n_items && tree->report->items[parent].layer->index > item->layer->index;

        if (tree->lines[i])
                return 0;
        if (has_parent) {
                int r = add_line(tree, parent);

                if (r < 0)
                        return r;
        }
        tree->lines[i] = scols_table_new_line(tree->table, has_parent ? tree->lines[parent] : NULL);
        return tree->lines[i] ? fill_line(tree, tree->lines[i], item) : -ENOMEM;
}

static int print_table(FILE *stream, const struct probe_report *report) {
        _cleanup_(scols_unref_tablep) struct libscols_table *table = scols_new_table();
        _cleanup_(freep) struct libscols_line **lines = calloc(report->n_items, sizeof(*lines));
        struct tree tree = {.table = table, .report = report, .lines = lines};

        if (!table || !lines)
                return -ENOMEM;
        scols_table_set_stream(table, stream);
        /* It escapes in its own way, and does not know all that must be; told not to, it loops for ever where the
         * locale is not UTF-8. */
        scols_table_enable_noencoding(table, strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
        for (int i = 0; i < _COLUMN_MAX; i++)
                if (!scols_table_new_column(table, columns[i].name, 0, columns[i].flags))
                        return -ENOMEM;
        for (size_t i = 0; i < report->n_items; i++) {
                int r = add_line(&tree, i);

                if (r < 0)
                        return r;
        }
        return scols_print_table(table);
}

static void print_losses(FILE *stream, const struct probe_report *report) {
        bool any = false;

        for (size_t i = 0; i < report->n_items; i++) {
                _cleanup_(freep) char *sentence = probe_loss_sentence(report, &report->items[i]);

                if (sentence)
                        text_print_wrapped(stream, 0, 2, "%s", sentence);
                any = any || sentence;
        }
        if (!any)
                text_print(stream, "No layer reads much less than what is beneath it.");
}

int probe_print_tree(FILE *stream, const struct probe_report *report) {
        int r;

        r = print_table(stream, report);
        if (r < 0)
                return r;
        fputc('\n', stream);
        print_losses(stream, report);
        for (size_t i = 0; i < report->findings.n_items; i++) {
                const struct finding *finding = &report->findings.items[i];
                _cleanup_(freep) char *title = text_layer_title(finding->layer);

                text_print_wrapped(stream, 0, 2, "%s: %s: %s %s", finding_severity_name(finding->severity),
                                finding_code_name(finding->code), title ?: finding->layer->name, finding->text);
        }
        return 0;
}
