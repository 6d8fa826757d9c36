/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "cli/svg.h"
#include "common/cleanup.h"
#include "common/printable.h"

/* All in pixels. */
#define WIDTH        800U
#define MARGIN       16U
#define TITLE_HEIGHT 44U
#define ROW_HEIGHT   24U
#define BAR_HEIGHT   16U
#define LABEL_WIDTH  190U
#define TEXT_WIDTH   220U /* behind the longest bar */
#define BAR_WIDTH    (WIDTH - 2 * MARGIN - LABEL_WIDTH - TEXT_WIDTH)

static int put_text(FILE *stream, const char *text) {
        _cleanup_(freep) char *escaped = printable_escape(text);

        if (!escaped)
                return -ENOMEM;
        for (const char *s = escaped; *s; s++)
                switch (*s) {
                case '&': fputs("&amp;", stream); break;
                case '<': fputs("&lt;", stream); break;
                case '>': fputs("&gt;", stream); break;
                case '"': fputs("&quot;", stream); break;
                case '\'': fputs("&#39;", stream); break;
                default: fputc(*s, stream); break;
                }
        return 0;
}

/* OPEN and CLOSE are markup, TEXT is not. */
static int put_element(FILE *stream, const char *open, const char *text, const char *close) {
        int r;

        fputs(open, stream);
        r = put_text(stream, text);
        fputs(close, stream);
        return r;
}

static int put_bar(FILE *stream, const struct svg_bar *bar, double largest, unsigned y) {
        unsigned length = largest > 0 ? (unsigned)(bar->value / largest * BAR_WIDTH + 0.5) : 0;
        unsigned middle = y + ROW_HEIGHT / 2 + 5, left = MARGIN + LABEL_WIDTH;
        int r;

        fprintf(stream, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">", left - 8, middle);
        r = put_element(stream, "", bar->label, "</text>\n");
        if (r < 0)
                return r;
        fprintf(stream, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" class=\"%s\"/>\n", left,
                        y + (ROW_HEIGHT - BAR_HEIGHT) / 2, length, BAR_HEIGHT, bar->remark ? "special" : "bar");
        fprintf(stream, "<text x=\"%u\" y=\"%u\">", left + length + 8, middle);
        r = put_element(stream, "", bar->figure, "");
        if (r == 0 && bar->remark)
                r = put_element(stream, " <tspan class=\"remark\">", bar->remark, "</tspan>");
        fputs("</text>\n", stream);
        return r;
}

int svg_print(FILE *stream, const struct svg_chart *chart) {
        unsigned height = TITLE_HEIGHT + (unsigned)chart->n_bars * ROW_HEIGHT + MARGIN;
        double largest = 0;
        int r;

        fprintf(stream,
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
                        "role=\"img\">\n",
                        WIDTH, height, WIDTH, height);
        r = put_element(stream, "<title>", chart->title, "</title>\n");
        if (r == 0)
                r = put_element(stream, "<desc>", chart->text, "</desc>\n");
        fputs("<style>text { font: 13px sans-serif; fill: #222 } .title { font-size: 16px; font-weight: bold }\n"
              ".remark { font-weight: bold } .bar { fill: #8aa4bf } .special { fill: #1f5f9f }</style>\n"
              "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
                        stream);
        fprintf(stream, "<text x=\"%u\" y=\"%u\" class=\"title\">", MARGIN, TITLE_HEIGHT - MARGIN);
        if (r == 0)
                r = put_element(stream, "", chart->title, "</text>\n");
        for (size_t i = 0; i < chart->n_bars; i++)
                if (chart->bars[i].value > largest)
                        largest = chart->bars[i].value;
        for (size_t i = 0; r == 0 && i < chart->n_bars; i++)
                r = put_bar(stream, &chart->bars[i], largest, TITLE_HEIGHT + (unsigned)i * ROW_HEIGHT);
        fputs("</svg>\n", stream);
        return r;
}
