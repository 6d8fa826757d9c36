/* SPDX-License-Identifier: MIT */
#pragma once

/* The columns of scan: one table of names, help and formatting. */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/survey.h"

#define COLUMNS_MAX 64

/* What a row shows. */
struct row {
        const struct survey *survey;
        const struct layer *layer;
        bool elsewhere; /* what is to be indented under it is shown at another place */
        bool bytes;     /* for people, but sizes in bytes */
        bool machine;   /* for programs: base units, "" for what is unknown */
};

struct column {
        const char *name;
        bool usual;
        int flags; /* SCOLS_FL_* */
        const char *help;
        /* The caller frees it; NULL without memory, or "" for what is unknown or does not apply. */
        char *(*format)(const struct row *row);
};

/* Columns in the order they are to be shown in. */
struct column_list {
        const struct column *items[COLUMNS_MAX];
        size_t n;
};

/*
 * LIST is names with commas between, in any case; with a leading + they are added to the usual ones; NULL: those.
 * Returns 0, or -EINVAL after saying on stderr what is wrong.
 */
int columns_parse(const char *list, struct column_list *ret);

/* Lines for --help. */
void columns_print_help(FILE *stream);
