/* SPDX-License-Identifier: MIT */
#pragma once

/* Colours on a terminal: whether there are to be any, and which. */

#include <stdbool.h>
#include <stdio.h>

enum color {
        COLOR_HEADING,
        COLOR_CHANGE,
        COLOR_HELD,
        COLOR_WARNING,
        COLOR_REMOVED, /* as in a diff */
        COLOR_ADDED,
        _COLOR_MAX,
};

/*
 * WHEN is "always", "never" or "auto", NULL being that: where standard output is a terminal that is not TERM=dumb, and
 * NO_COLOR is not set. Returns 0, or -EINVAL after saying on stderr what is wrong.
 */
int color_decide(const char *when, bool *ret);

/* What begins it, as a terminal takes it. */
const char *color_sequence(enum color color);

/* TEXT, in that colour if COLORS. It is printed as it is. */
void color_print(FILE *stream, bool colors, enum color color, const char *text);
