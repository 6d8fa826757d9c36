/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/table-fit.h"
#include "cli/terminal.h"
#include "common/cleanup.h"

#define BREAKS " ,"

static size_t least_width(const struct fit *fit) {
        size_t heading = strlen(scols_column_get_name(fit->column));

        return fit->longest > heading ? fit->longest : heading;
}

/* The first N bytes of TEXT. */
static size_t width_of(const char *text, size_t n) {
        _cleanup_(freep) char *part = strndup(text, n);

        return part ? terminal_text_columns(part) : n;
}

/* libsmartcols asks how wide a cell is. */
static size_t cell_width(const struct libscols_column *column, const char *text, void *userdata) {
        struct fit *fit = userdata;
        size_t width = terminal_text_columns(text);

        for (const char *word = text; *word; word += strspn(word, BREAKS)) {
                size_t n = strcspn(word, BREAKS), columns = width_of(word, n);

                if (columns > fit->longest)
                        fit->longest = columns;
                word += n;
        }
        return fit->width > 0 && width > fit->width ? fit->width : width;
}

/* Ends TEXT at the last blank or comma up to which it fits into its column. Returns what follows; NULL: nothing. */
static char *break_cell(const struct libscols_column *column, char *text, void *userdata) {
        size_t width = scols_column_get_width(column);
        char *at = NULL;

        if (!text || terminal_text_columns(text) <= width)
                return NULL;
        for (char *p = strpbrk(text, BREAKS); p; p = strpbrk(p + 1, BREAKS)) {
                if (at && width_of(text, (size_t)(p - text)) > width)
                        break;
                at = p;
        }
        if (!at)
                return NULL;
        *at = '\0';
        return at + 1;
}

int fit_column(struct fit *fit, struct libscols_column *column) {
        *fit = (struct fit){.column = column};
        return scols_column_set_wrapfunc(column, cell_width, break_cell, fit) == 0 ? 0 : -EINVAL;
}

static int print_nowhere(struct libscols_table *table) {
        FILE *before = scols_table_get_stream(table);
        _cleanup_(freep) char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        int r;

        if (!stream)
                return -ENOMEM;
        scols_table_set_stream(table, stream);
        r = scols_print_table(table);
        scols_table_set_stream(table, before);
        if (fclose(stream) != 0 && r >= 0)
                r = -errno;
        return r;
}

static size_t table_width(struct libscols_table *table) {
        size_t n = scols_table_get_ncols(table), width = 0;

        for (size_t i = 0; i < n; i++)
                width += scols_column_get_width(scols_table_get_column(table, i)) + (i + 1 < n);
        return width;
}

static struct fit *find_widest(struct fit *fits, size_t n) {
        struct fit *widest = NULL;

        for (size_t i = 0; i < n; i++)
                if (fits[i].width > least_width(&fits[i]) && (!widest || fits[i].width >= widest->width))
                        widest = &fits[i];
        return widest;
}

int fit_table(struct libscols_table *table, struct fit *fits, size_t n, size_t width) {
        struct fit *widest;
        size_t now;
        int r;

        r = print_nowhere(table);
        if (r < 0)
                return r;
        now = table_width(table);
        for (size_t i = 0; i < n; i++)
                fits[i].width = scols_column_get_width(fits[i].column);
        for (; now > width && (widest = find_widest(fits, n)); now--)
                widest->width--;
        return 0;
}
