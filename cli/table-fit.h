/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Makes a table of libsmartcols fit a terminal: prose is broken into lines between words, within its column. What
 * libsmartcols does by itself breaks words, and numbers.
 */

#include <stddef.h>

#include <libsmartcols.h>

/* Of a column that may be broken into lines. Must live as long as the table. */
struct fit {
        struct libscols_column *column;
        size_t longest; /* word */
        size_t width;   /* that it is to have; 0: as wide as it is */
};

/* The column, which has SCOLS_FL_WRAP, is from now on broken between words. Returns 0 or a negative errno. */
int fit_column(struct fit *fit, struct libscols_column *column);

/*
 * Narrows the N columns of FITS, the widest first, until the table has no more than WIDTH columns of the terminal, if that
 * can be. Prints the table for it, to nowhere. Returns 0 or a negative errno.
 */
int fit_table(struct libscols_table *table, struct fit *fits, size_t n, size_t width);
