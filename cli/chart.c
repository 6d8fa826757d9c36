/* SPDX-License-Identifier: MIT */

#include <stdint.h>

#include "cli/chart.h"
#include "cli/terminal.h"

#define GAP       2U
#define BAR_LEAST 8U
#define BAR_MOST  60U
#define EIGHTHS   8U

static unsigned width(const char *text) {
        return text ? terminal_text_columns(text) : 0;
}

static unsigned larger(unsigned a, unsigned b) {
        return a > b ? a : b;
}

static unsigned cell_width(const struct chart *chart, size_t cell) {
        unsigned columns = width(chart->headings[cell]);

        for (size_t i = 0; i < chart->n_rows; i++)
                columns = larger(columns, width(chart->rows[i].cells[cell]));
        return columns;
}

/* What the texts leave of the line. */
static unsigned bar_width(const struct chart *chart, unsigned columns) {
        unsigned taken = 0, remark = 0;

        for (size_t cell = 0; cell < CHART_CELLS_MAX; cell++)
                if (chart->headings[cell])
                        taken += cell_width(chart, cell) + GAP;
        for (size_t i = 0; i < chart->n_rows; i++)
                remark = larger(remark, width(chart->rows[i].remark));
        taken += remark > 0 ? remark + GAP : 0;
        if (columns < taken + BAR_LEAST)
                return BAR_LEAST;
        return columns - taken < BAR_MOST ? columns - taken : BAR_MOST;
}

static void put_cells(FILE *stream, const struct chart *chart, const char *const *cells) {
        const char *gap = "";

        for (size_t cell = 0; cell < CHART_CELLS_MAX; cell++) {
                if (!chart->headings[cell])
                        continue;
                fprintf(stream, "%s%*s%s", gap, (int)(cell_width(chart, cell) - width(cells[cell])), "",
                                cells[cell] ?: "");
                gap = "  ";
        }
}

/* Returns how many columns it has taken. What is not nothing is seen. */
static unsigned put_bar(FILE *stream, double part, unsigned columns, bool utf8) {
        static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
        unsigned units = utf8 ? EIGHTHS : 1, length = (unsigned)(part * columns * units + 0.5);

        if (length == 0 && part > 0)
                length = 1;
        for (unsigned i = 0; i < length / units; i++)
                fputs(utf8 ? "█" : "#", stream);
        fputs(eighths[length % units], stream);
        return length / units + (length % units > 0);
}

void chart_print(FILE *stream, const struct chart *chart, unsigned columns, bool utf8) {
        unsigned bar = bar_width(chart, columns);
        double largest = 0;

        for (size_t i = 0; i < chart->n_rows; i++)
                if (chart->rows[i].value > largest)
                        largest = chart->rows[i].value;
        put_cells(stream, chart, chart->headings);
        fputc('\n', stream);
        for (size_t i = 0; i < chart->n_rows; i++) {
                const struct chart_row *row = &chart->rows[i];
                unsigned taken;

                put_cells(stream, chart, row->cells);
                fprintf(stream, "%*s", (int)GAP, "");
                taken = put_bar(stream, largest > 0 ? row->value / largest : 0, bar, utf8);
                if (row->remark && *row->remark)
                        fprintf(stream, "%*s%s", (int)(bar - taken + GAP), "", row->remark);
                fputc('\n', stream);
        }
}
