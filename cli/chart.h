/* SPDX-License-Identifier: MIT */
#pragma once

/* A bar chart for a terminal: a few columns of text, a bar, and a remark. */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CHART_CELLS_MAX 4

/* Texts are shown as they are; NULL is "". */
struct chart_row {
        const char *cells[CHART_CELLS_MAX]; /* before the bar, flush right */
        double value;
        const char *remark; /* behind the bar */
};

struct chart {
        const char *headings[CHART_CELLS_MAX]; /* NULL: there is no such column */
        const struct chart_row *rows;
        size_t n_rows;
};

/* No line is longer than COLUMNS, unless the texts leave no place for a bar. UTF8: bars in eighths of a column; else #. */
void chart_print(FILE *stream, const struct chart *chart, unsigned columns, bool utf8);
