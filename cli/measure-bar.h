/* SPDX-License-Identifier: MIT */
#pragma once

/* A progress bar on a terminal: one line on stderr that is drawn over, and gone at the end. */

#include <stdbool.h>
#include <stdint.h>

#include "common/cleanup.h"
#include "common/probe.h"

#define MEASURE_BAR_AFTER_MSEC 500U /* what is over by then needs none */
#define MEASURE_BAR_EACH_MSEC  100U

struct measure_bar {
        const struct probe_progress *progress; /* NULL: nothing is drawn, ever */
        char *title;                           /* with nothing in it that a terminal acts on; may be NULL */
        bool utf8;
        unsigned columns; /* that are drawn; 0: none */
        uint64_t next_msec;
};

/* Nothing is drawn where stderr is no terminal, or another job's. */
void measure_bar_begin(struct measure_bar *bar, const char *title, const struct probe_progress *progress);

/* Draws if it is time to. Returns when that is next, of monotonic_msec(); UINT64_MAX: never. */
uint64_t measure_bar_draw(struct measure_bar *bar);

/* Erases the line. May be called again. */
void measure_bar_end(struct measure_bar *bar);

/*
 * The line, without its end: "vg0/lv0  ###......  2/6 runs, 1.5 GiB"; what does not fit into COLUMNS is left out, the
 * title first. UTF-8 blocks where the bar has those. The caller frees it; NULL without memory. Pure.
 */
char *measure_bar_line(const struct measure_bar *bar, unsigned columns);
