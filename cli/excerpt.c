/* SPDX-License-Identifier: MIT */

#include <string.h>
#include <wchar.h>

#include "cli/excerpt.h"
#include "cli/text.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "config/policy-syntax.h"

#define INDENT   4U
#define TAB_STOP 8U

/* What is left of the width for text, without the marks that stand for what is cut off on either side. */
#define TEXT_COLUMNS (EXCERPT_COLUMNS_MAX - INDENT - 2U)

/* How much of a line that is cut stands before the column, if there is that much. */
#define COLUMNS_BEFORE 60U

/* The line as it is shown. Columns are those of the terminal, from 0. */
struct drawing {
        FILE *stream;
        size_t begin, end; /* which part of it is shown */
        size_t column;     /* reached so far */
        size_t caret;      /* where the column in question begins */
};

/* The columns that TEXT takes up, a whole character or its escape. */
static size_t text_width(const char *text, size_t n) {
        mbstate_t state = {};
        wchar_t wide;
        int width;

        if (mbrtowc(&wide, text, n, &state) != n)
                return n;
        width = wcwidth(wide);
        return width < 0 ? 1 : (size_t)width;
}

/* What is shown in part only, at a cut, becomes blanks, so that all else keeps its column. */
static void draw(struct drawing *d, const char *text, size_t n, size_t width) {
        size_t end = d->column + width;

        if (d->stream && d->column >= d->begin && end <= d->end)
                fwrite(text, 1, n, d->stream);
        for (size_t i = d->column; d->stream && (d->column < d->begin || end > d->end) && i < end; i++)
                if (i >= d->begin && i < d->end)
                        fputc(' ', d->stream);
        d->column = end;
}

/* A tab as the blanks that it looks like, anything that would act on the terminal as \xHH. */
static int draw_character(struct drawing *d, const char *s, size_t n) {
        _cleanup_(freep) char *copy = NULL, *escaped = NULL;
        size_t n_escaped;

        if (*s == '\t') {
                do
                        draw(d, " ", 1, 1);
                while (d->column % TAB_STOP != 0);
                return 0;
        }
        copy = strndup(s, n);
        escaped = copy ? printable_escape(copy) : NULL;
        if (!escaped)
                return -1;
        n_escaped = strlen(escaped);
        draw(d, escaped, n_escaped, n_escaped == n ? text_width(escaped, n) : n_escaped);
        return 0;
}

/* Draws the whole line; without a stream it is only measured. Where the column is past its end, so is the caret. */
static int draw_line(struct drawing *d, const struct policy_error *error) {
        const char *s = error->line_text;
        size_t length = strlen(s);
        unsigned column = error->line_column;
        bool seen = false;

        d->column = 0;
        for (size_t n; length > 0; s += n, length -= n, column++) {
                n = syntax_character_length(s, length);
                if (column == error->column) {
                        d->caret = d->column;
                        seen = true;
                }
                if (draw_character(d, s, n) < 0)
                        return -1;
        }
        if (!seen)
                d->caret = d->column;
        return 0;
}

/* Chooses what is shown of a line of WIDTH columns. */
static void choose_part(struct drawing *d, size_t width) {
        d->begin = 0;
        d->end = width;
        if (width <= EXCERPT_COLUMNS_MAX - INDENT)
                return;
        if (d->caret > COLUMNS_BEFORE)
                d->begin = d->caret - COLUMNS_BEFORE;
        if (width - d->begin < TEXT_COLUMNS)
                d->begin = width - TEXT_COLUMNS;
        d->end = d->begin + TEXT_COLUMNS < width ? d->begin + TEXT_COLUMNS : width;
}

static int write_excerpt(FILE *stream, const struct policy_error *error) {
        struct drawing d = {};
        size_t width;
        bool cut_before, cut_after;

        if (draw_line(&d, error) < 0)
                return -1;
        width = d.column;
        choose_part(&d, width);
        cut_before = d.begin > 0 || error->line_column > 1;
        cut_after = d.end < width;

        fprintf(stream, "%*s%s", (int)INDENT, "", cut_before ? "…" : "");
        d.stream = stream;
        if (draw_line(&d, error) < 0)
                return -1;
        fprintf(stream, "%s\n%*s^\n", cut_after ? "…" : "", (int)(INDENT + cut_before + d.caret - d.begin), "");
        return 0;
}

char *excerpt_format(const struct policy_error *error) {
        _cleanup_(freep) char *line = policy_error_format(error);
        _cleanup_(freep) char *escaped = line ? printable_escape(line) : NULL;
        _cleanup_(freep) char *text = NULL;
        size_t length = 0;
        FILE *stream;
        int r = 0;

        stream = escaped ? open_memstream(&text, &length) : NULL;
        if (!stream)
                return NULL;
        fprintf(stream, "%s\n", escaped);
        if (error->line_text)
                r = write_excerpt(stream, error);
        if (ferror(stream))
                r = -1;
        if (fclose(stream) != 0 || r < 0)
                return NULL;
        return TAKE_PTR(text);
}

void excerpt_print(FILE *stream, const struct policy_errors *errors) {
        for (size_t i = 0; i < errors->n_items; i++) {
                _cleanup_(freep) char *text = excerpt_format(&errors->items[i]);

                if (text)
                        fputs(text, stream);
        }
}
