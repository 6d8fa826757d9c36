/* SPDX-License-Identifier: MIT */
#pragma once

/* The table of scan, by libsmartcols: a tree for people, or flat rows for programs. */

#include <stdio.h>

#include "cli/columns.h"
#include "cli/forest.h"

enum table_form { TABLE_TREE, TABLE_RAW, TABLE_PAIRS };

struct table {
        const struct survey *survey;
        const struct forest *forest;
        const struct column_list *columns;
        enum table_form form;
        bool no_headings;
        bool bytes;  /* sizes in bytes, in the tree as well */
        bool colors; /* of the tree, by layer_state() */
        /* Of the tree: prose is broken into lines within its column where it does not fit. 0: as wide as it is. */
        unsigned width;
};

/*
 * Prints the forest: each top layer with what is beneath it indented under it, or upside down. What lies beneath a layer is
 * shown once; where the layer comes again its name ends in "…". The flat forms have each layer once. Returns 0 or a
 * negative errno.
 */
int table_print(FILE *stream, const struct table *table);
