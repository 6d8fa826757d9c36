/* SPDX-License-Identifier: MIT */
#pragma once

/* The history for people: a table, and for a device what its readahead and its speed were like over time. */

#include <stdio.h>

#include "cli/history.h"

/* UTF8: whether the locale is. Returns 0 or a negative errno. */
int history_print_table(FILE *stream, const struct history *history, bool utf8);

/* Sparklines, for each label that entries have. */
int history_print_lines(FILE *stream, const struct history *history, bool utf8);
