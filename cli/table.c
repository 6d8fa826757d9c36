/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include <libsmartcols.h>

#include "cli/table.h"
#include "cli/text.h"

/* Deeper than any real stack; a capture can hold any nonsense, and both this file and libsmartcols recurse. */
#define DEPTH_MAX 64

DEFINE_CLEANUP(struct libscols_table *, scols_unref_table);

struct walk {
        struct libscols_table *table;
        const struct survey *survey;
        const struct column_list *columns;
        bool machine;
        bool escape; /* here; else libsmartcols does */
        bool *shown; /* by layer->index */
};

static int add_columns(const struct walk *walk) {
        for (size_t i = 0; i < walk->columns->n; i++) {
                const struct column *column = walk->columns->items[i];
                int flags = walk->machine ? 0 : column->flags;

                if (!scols_table_new_column(walk->table, column->name, 0, flags))
                        return -ENOMEM;
        }
        return 0;
}

/* The text of a cell, for libsmartcols to own. */
static char *format_cell(const struct walk *walk, const struct column *column, const struct row *row) {
        _cleanup_(freep) char *text = column->format(row);
        const char *shown = text;

        if (!text || row->machine)
                return TAKE_PTR(text);
        if (!*text)
                shown = "-";
        return walk->escape ? text_escape(shown) : strdup(shown);
}

static int fill_line(const struct walk *walk, struct libscols_line *line, const struct row *row) {
        for (size_t i = 0; i < walk->columns->n; i++) {
                char *text = format_cell(walk, walk->columns->items[i], row);

                if (!text || scols_line_refer_data(line, i, text) != 0) {
                        free(text);
                        return -ENOMEM;
                }
        }
        return 0;
}

static int add_layer(const struct walk *walk, struct libscols_line *parent, const struct layer *layer, unsigned depth) {
        bool again = walk->shown[layer->index];
        struct row row = {
                        .survey = walk->survey,
                        .layer = layer,
                        .elsewhere = layer->n_below > 0 && (again || depth == DEPTH_MAX),
                        .machine = walk->machine,
        };
        struct libscols_line *line = NULL;
        int r;

        if (!walk->machine || !again) {
                line = scols_table_new_line(walk->table, walk->machine ? NULL : parent);
                if (!line)
                        return -ENOMEM;
                r = fill_line(walk, line, &row);
                if (r < 0)
                        return r;
        }
        walk->shown[layer->index] = true;
        for (size_t i = 0; !row.elsewhere && i < layer->n_below; i++) {
                r = add_layer(walk, line, layer->below[i], depth + 1);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int add_layers(const struct walk *walk, const struct layer *const *layers, size_t n) {
        for (size_t i = 0; i < n; i++) {
                int r = add_layer(walk, NULL, layers[i], 0);

                if (r < 0)
                        return r;
        }
        return 0;
}

/*
 * libsmartcols escapes in its own way, which leaves some marks of Unicode alone; told not to, it loops for ever (2.38)
 * over characters that the locale does not have.
 */
static bool escape_here(enum table_form form) {
        return form == TABLE_TREE && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static void set_form(struct libscols_table *table, FILE *stream, enum table_form form, bool headings) {
        scols_table_set_stream(table, stream);
        scols_table_enable_raw(table, form == TABLE_RAW);
        scols_table_enable_export(table, form == TABLE_PAIRS);
        scols_table_enable_noencoding(table, escape_here(form));
        scols_table_enable_noheadings(table, !headings);
}

int table_print(FILE *stream, const struct survey *survey, const struct forest *forest,
                const struct column_list *columns, enum table_form form, bool headings) {
        _cleanup_(scols_unref_tablep) struct libscols_table *table = scols_new_table();
        _cleanup_(freep) bool *shown = calloc(survey->topology->n_layers + 1, sizeof(bool));
        struct walk walk = {
                        .table = table,
                        .survey = survey,
                        .columns = columns,
                        .machine = form != TABLE_TREE,
                        .escape = escape_here(form),
                        .shown = shown,
        };
        int r;

        if (!table || !shown)
                return -ENOMEM;
        set_form(table, stream, form, headings);
        r = add_columns(&walk);
        if (r < 0)
                return r;
        r = add_layers(&walk, forest->stacks, forest->n_stacks);
        if (r < 0)
                return r;
        r = add_layers(&walk, forest->plain, forest->n_plain);
        if (r < 0)
                return r;
        return scols_table_is_empty(table) ? 0 : scols_print_table(table);
}
