/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include <libsmartcols.h>

#include "cli/color.h"
#include "cli/layer-state.h"
#include "cli/table-fit.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "common/printable.h"

/* Deeper than any real stack; a capture can hold any nonsense, and both this file and libsmartcols recurse. */
#define DEPTH_MAX 64

DEFINE_CLEANUP(struct libscols_table *, scols_unref_table);

/* So many lines are kept before they are printed, where the widths of all that follow are known. */
#define PIECE_LINES 512

/* What libsmartcols draws before a cell of the tree, for each layer that it is under. */
#define INDENT_COLUMNS 2

struct walk {
        const struct table *table;
        struct libscols_table *lines;
        bool machine;
        bool escape; /* here; else libsmartcols does */
        bool *shown; /* by layer->index */
        struct fit fits[COLUMNS_MAX];
        size_t n_fits;
        bool measuring; /* only how wide the columns are to be */
        size_t widths[COLUMNS_MAX];
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
        return walk->escape ? printable_escape(shown) : strdup(shown);
}

/* As libsmartcols counts where it escapes by itself. */
static size_t encoded_columns(const char *text) {
        size_t columns = 0, n;
        mbstate_t state = {};
        wchar_t c;

        for (; *text; text += n) {
                n = mbrtowc(&c, text, MB_CUR_MAX, &state);
                if (n == (size_t)-1 || n == (size_t)-2) {
                        state = (mbstate_t){};
                        n = 1;
                        columns += isprint((unsigned char)*text) ? 1 : 4;
                } else if ((text[0] == '\\' && text[1] == 'x') || !iswprint((wint_t)c))
                        columns += 4 * n;
                else
                        columns += (size_t)wcwidth(c);
        }
        return columns;
}

static size_t cell_columns(const struct walk *walk, const char *text) {
        if (printable_is_ascii(text))
                return strlen(text);
        return walk->escape ? terminal_text_columns(text) : encoded_columns(text);
}

static int measure_line(struct walk *walk, const struct row *row, unsigned depth) {
        const struct column_list *columns = walk->table->columns;

        for (size_t i = 0; i < columns->n; i++) {
                _cleanup_(freep) char *text = format_cell(walk, columns->items[i], row);
                size_t width;

                if (!text)
                        return -ENOMEM;
                width = cell_columns(walk, text);
                if (columns->items[i]->flags & SCOLS_FL_TREE)
                        width += (size_t)depth * INDENT_COLUMNS;
                if (width > walk->widths[i])
                        walk->widths[i] = width;
        }
        return 0;
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

static int show_row(struct walk *walk, struct libscols_line *parent, const struct row *row, unsigned depth,
                struct libscols_line **ret) {
        int r;

        if (walk->measuring)
                return measure_line(walk, row, depth);
        *ret = scols_table_new_line(walk->lines, walk->machine ? NULL : parent);
        if (!*ret)
                return -ENOMEM;
        r = fill_line(walk, *ret, row);
        return r < 0 ? r : color_line(walk, *ret, row->layer);
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX levels */
static int add_layer(struct walk *walk, struct libscols_line *parent, const struct layer *layer, unsigned depth) {
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
                r = show_row(walk, parent, &row, depth, &line);
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

static int print_lines(struct walk *walk) {
        int r;

        if (scols_table_is_empty(walk->lines))
                return 0;
        r = scols_print_table(walk->lines);
        scols_table_remove_lines(walk->lines);
        scols_table_enable_noheadings(walk->lines, 1);
        return r;
}

static int add_layers(struct walk *walk, const struct layer *const *layers, size_t n) {
        for (size_t i = 0; i < n; i++) {
                int r = add_layer(walk, NULL, layers[i], 0);

                if (r == 0 && walk->n_fits == 0 && scols_table_get_nlines(walk->lines) >= PIECE_LINES)
                        r = print_lines(walk);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int add_forest(struct walk *walk) {
        const struct forest *forest = walk->table->forest;
        int r;

        memset(walk->shown, 0, walk->table->survey->topology->n_layers * sizeof(*walk->shown));
        r = add_layers(walk, forest->stacks, forest->n_stacks);
        return r < 0 ? r : add_layers(walk, forest->plain, forest->n_plain);
}

/*
 * The lines of thousands of layers take more memory than all that is known of them. So they are printed in pieces, for
 * which the columns are measured before; on a terminal, where what is too wide is broken, all at once.
 */
static int measure_columns(struct walk *walk) {
        int r;

        walk->measuring = true;
        r = add_forest(walk);
        walk->measuring = false;
        for (size_t i = 0; r == 0 && i < walk->table->columns->n; i++)
                scols_column_set_whint(scols_table_get_column(walk->lines, i), (double)walk->widths[i]);
        return r;
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
        if (r == 0 && !walk.machine && walk.n_fits == 0)
                r = measure_columns(&walk);
        if (r == 0)
                r = add_forest(&walk);
        if (r == 0 && walk.n_fits > 0 && !scols_table_is_empty(lines))
                r = fit_table(lines, walk.fits, walk.n_fits, table->width);
        return r < 0 ? r : print_lines(&walk);
}
