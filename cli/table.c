/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include <libsmartcols.h>

#include "cli/color.h"
#include "cli/layer-state.h"
#include "cli/table-fit.h"
#include "cli/table.h"
#include "cli/text.h"

/* Deeper than any real stack; a capture can hold any nonsense, and both this file and libsmartcols recurse. */
#define DEPTH_MAX 64

DEFINE_CLEANUP(struct libscols_table *, scols_unref_table);

struct walk {
        const struct table *table;
        struct libscols_table *lines;
        bool machine;
        bool escape; /* here; else libsmartcols does */
        bool *shown; /* by layer->index */
        struct fit fits[COLUMNS_MAX];
        size_t n_fits;
};

static int add_columns(struct walk *walk) {
        const struct column_list *columns = walk->table->columns;

        for (size_t i = 0; i < columns->n; i++) {
                const struct column *column = columns->items[i];
                int flags = walk->machine ? 0 : column->flags;
                struct libscols_column *added = scols_table_new_column(walk->lines, column->name, 0, flags);

                if (!added)
                        return -ENOMEM;
                if (walk->table->width > 0 && (flags & SCOLS_FL_WRAP)) {
                        int r = fit_column(&walk->fits[walk->n_fits++], added);

                        if (r < 0)
                                return r;
                }
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
        const struct column_list *columns = walk->table->columns;

        for (size_t i = 0; i < columns->n; i++) {
                char *text = format_cell(walk, columns->items[i], row);

                if (!text || scols_line_refer_data(line, i, text) != 0) {
                        free(text);
                        return -ENOMEM;
                }
        }
        return 0;
}

static int color_line(const struct walk *walk, struct libscols_line *line, const struct layer *layer) {
        static const enum color colors[_LAYER_STATE_MAX] = {
                        [LAYER_STATE_IGNORED] = _COLOR_MAX,
                        [LAYER_STATE_RIGHT] = _COLOR_MAX,
                        [LAYER_STATE_CHANGE] = COLOR_CHANGE,
                        [LAYER_STATE_HELD] = COLOR_HELD,
                        [LAYER_STATE_WARNING] = COLOR_WARNING,
        };
        enum color color = colors[layer_state(walk->table->survey, layer)];

        if (!walk->table->colors || walk->machine || color == _COLOR_MAX)
                return 0;
        return scols_line_set_color(line, color_sequence(color)) == 0 ? 0 : -ENOMEM;
}

/* What is to be indented under LAYER. */
static struct layer *const *find_children(const struct walk *walk, const struct layer *layer, size_t *ret_n) {
        const bool *over = walk->table->forest->over;

        *ret_n = over ? layer->n_above : layer->n_below;
        return over ? layer->above : layer->below;
}

static bool is_child(const struct walk *walk, const struct layer *child) {
        const bool *over = walk->table->forest->over;

        return !over || over[child->index];
}

static bool has_children(const struct walk *walk, const struct layer *layer) {
        size_t n;
        struct layer *const *children = find_children(walk, layer, &n);

        for (size_t i = 0; i < n; i++)
                if (is_child(walk, children[i]))
                        return true;
        return false;
}

static int add_layer(const struct walk *walk, struct libscols_line *parent, const struct layer *layer, unsigned depth) {
        bool again = walk->shown[layer->index];
        struct row row = {
                        .survey = walk->table->survey,
                        .layer = layer,
                        .elsewhere = (again || depth == DEPTH_MAX) && has_children(walk, layer),
                        .bytes = walk->table->bytes,
                        .machine = walk->machine,
        };
        struct layer *const *children;
        size_t n;
        struct libscols_line *line = NULL;
        int r;

        if (!walk->machine || !again) {
                line = scols_table_new_line(walk->lines, walk->machine ? NULL : parent);
                if (!line)
                        return -ENOMEM;
                r = fill_line(walk, line, &row);
                if (r == 0)
                        r = color_line(walk, line, layer);
                if (r < 0)
                        return r;
        }
        walk->shown[layer->index] = true;
        children = find_children(walk, layer, &n);
        for (size_t i = 0; !row.elsewhere && i < n; i++) {
                r = is_child(walk, children[i]) ? add_layer(walk, line, children[i], depth + 1) : 0;
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

static void set_form(struct libscols_table *lines, FILE *stream, const struct table *table) {
        scols_table_set_stream(lines, stream);
        scols_table_enable_raw(lines, table->form == TABLE_RAW);
        scols_table_enable_export(lines, table->form == TABLE_PAIRS);
        scols_table_enable_noencoding(lines, escape_here(table->form));
        scols_table_enable_noheadings(lines, table->no_headings);
        scols_table_enable_colors(lines, table->form == TABLE_TREE && table->colors);
        /* What does not fit is seen to here. */
        scols_table_set_termforce(lines, SCOLS_TERMFORCE_NEVER);
}

int table_print(FILE *stream, const struct table *table) {
        const struct forest *forest = table->forest;
        _cleanup_(scols_unref_tablep) struct libscols_table *lines = scols_new_table();
        _cleanup_(freep) bool *shown = calloc(table->survey->topology->n_layers + 1, sizeof(bool));
        struct walk walk = {
                        .table = table,
                        .lines = lines,
                        .machine = table->form != TABLE_TREE,
                        .escape = escape_here(table->form),
                        .shown = shown,
        };
        int r;

        if (!lines || !shown)
                return -ENOMEM;
        set_form(lines, stream, table);
        r = add_columns(&walk);
        if (r < 0)
                return r;
        r = add_layers(&walk, forest->stacks, forest->n_stacks);
        if (r < 0)
                return r;
        r = add_layers(&walk, forest->plain, forest->n_plain);
        if (r < 0)
                return r;
        if (scols_table_is_empty(lines))
                return 0;
        if (walk.n_fits > 0) {
                r = fit_table(lines, walk.fits, walk.n_fits, table->width);
                if (r < 0)
                        return r;
        }
        return scols_print_table(lines);
}
