/* SPDX-License-Identifier: MIT */
#pragma once

/* A bar chart as a file of SVG that needs nothing else. */

#include <stddef.h>
#include <stdio.h>

struct svg_bar {
        const char *label;
        double value;
        const char *figure; /* VALUE with its unit, for people */
        const char *remark; /* NULL: none; else the bar is shown as a special one */
};

struct svg_chart {
        const char *title, *text; /* TEXT is what a reader that sees no picture is told */
        const struct svg_bar *bars;
        size_t n_bars;
};

/* Texts may be hostile: what is no UTF-8, and controls, are shown as \xHH. Returns 0 or -ENOMEM. */
int svg_print(FILE *stream, const struct svg_chart *chart);
