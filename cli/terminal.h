/* SPDX-License-Identifier: MIT */
#pragma once

/* What a terminal can show. */

#include <stdbool.h>

/* Columns where none are known. */
#define TERMINAL_COLUMNS 80U

/* Of what FD is; TERMINAL_COLUMNS if it is no terminal. */
unsigned terminal_columns(int fd);

/*
 * Columns that a table on FD is to have: $COLUMNS, or else those of the terminal. 0 where FD is none, and nothing is to be
 * cut off.
 */
unsigned terminal_table_columns(int fd);

/* LC_CTYPE of this program is UTF-8 always; what the terminal has is what the environment says. */
bool terminal_is_utf8(void);

/* As many columns as TEXT takes; of what the locale does not know, one a byte. */
unsigned terminal_text_columns(const char *text);
