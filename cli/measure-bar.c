/* SPDX-License-Identifier: MIT */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure-bar.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "common/clock.h"
#include "common/printable.h"
#include "common/units.h"

#define BAR_LEAST 10U
#define BAR_MOST  40U
#define GAP       2U

/* A job in the background must not draw over what the one in the foreground prints. */
static bool is_ours(void) {
        pid_t group = tcgetpgrp(STDERR_FILENO);

        return group <= 0 || group == getpgrp();
}

static bool is_ascii(const char *text) {
        while (*text && (unsigned char)*text < 0x80)
                text++;
        return *text == '\0';
}

void measure_bar_begin(struct measure_bar *bar, const char *title, const struct probe_progress *progress) {
        *bar = (struct measure_bar){.next_msec = UINT64_MAX};
        if (!progress || !isatty(STDERR_FILENO))
                return;
        bar->progress = progress;
        bar->utf8 = terminal_is_utf8();
        bar->title = title ? printable_escape(title) : NULL;
        /* What can't be shown there is left out rather than turned into marks. */
        if (bar->title && !bar->utf8 && !is_ascii(bar->title)) {
                free(bar->title);
                bar->title = NULL;
        }
        bar->next_msec = monotonic_msec() + MEASURE_BAR_AFTER_MSEC;
}

static void print_figures(char *buffer, size_t size, const struct probe_progress *progress) {
        char bytes[UNITS_BUFFER];
        unsigned done = progress->runs_done, planned = progress->runs_planned;

        units_format_bytes(bytes, progress->bytes_read);
        if (planned > 0)
                snprintf(buffer, size, "%u/%u runs, %s", done < planned ? done : planned, planned, bytes);
        else
                snprintf(buffer, size, "%s", bytes);
}

static void put_cells(FILE *stream, const struct measure_bar *bar, unsigned cells) {
        unsigned done = bar->progress->runs_done, planned = bar->progress->runs_planned;
        unsigned full = planned == 0 ? 0 : done >= planned ? cells : (unsigned)((uint64_t)cells * done / planned);

        for (unsigned i = 0; i < cells; i++)
                fputs(i < full ? bar->utf8 ? "█" : "#" : bar->utf8 ? "░" : ".", stream);
}

char *measure_bar_line(const struct measure_bar *bar, unsigned columns) {
        char figures[64 + UNITS_BUFFER];
        unsigned title = bar->title ? terminal_text_columns(bar->title) + GAP : 0, rest, cells;
        char *line = NULL;
        size_t size;
        FILE *stream;

        print_figures(figures, sizeof(figures), bar->progress);
        rest = (unsigned)strlen(figures) + GAP;
        if (title + BAR_LEAST + rest > columns)
                title = 0;
        cells = title + rest < columns ? columns - title - rest : 0;
        cells = cells > BAR_MOST ? BAR_MOST : cells;
        stream = open_memstream(&line, &size);
        if (!stream)
                return NULL;
        if (title > 0)
                fprintf(stream, "%s%*s", bar->title, (int)GAP, "");
        if (cells >= BAR_LEAST) {
                put_cells(stream, bar, cells);
                fprintf(stream, "%*s", (int)GAP, "");
        }
        fprintf(stream, "%.*s", (int)columns, figures);
        if (fclose(stream) != 0) {
                free(line);
                return NULL;
        }
        return line;
}

uint64_t measure_bar_draw(struct measure_bar *bar) {
        uint64_t now = monotonic_msec();
        _cleanup_(freep) char *line = NULL;
        unsigned columns;

        if (!bar->progress || now < bar->next_msec)
                return bar->next_msec;
        bar->next_msec = now + MEASURE_BAR_EACH_MSEC;
        if (!is_ours())
                return bar->next_msec;
        /* The last column stays free: with a character there some terminals go on to the next line. */
        line = measure_bar_line(bar, terminal_columns(STDERR_FILENO) - 1U);
        if (!line)
                return bar->next_msec;
        columns = terminal_text_columns(line);
        /* Blanks over what the line before had more. */
        fprintf(stderr, "\r%s%*s", line, columns < bar->columns ? (int)(bar->columns - columns) : 0, "");
        fflush(stderr);
        bar->columns = columns;
        return bar->next_msec;
}

void measure_bar_end(struct measure_bar *bar) {
        if (bar->columns > 0) {
                fprintf(stderr, "\r%*s\r", (int)bar->columns, "");
                fflush(stderr);
        }
        free(bar->title);
        *bar = (struct measure_bar){.next_msec = UINT64_MAX};
}
