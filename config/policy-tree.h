/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A YAML document as a tree of values that know their place in the file. Anchors and aliases are resolved: a node may
 * hang in several places, so nodes are constant once they are complete.
 *
 * The text is hostile. Bounded are its length, the levels of nesting and the number of nodes, the last two with every
 * alias counted as if it were written out: no document can be made to unfold.
 */

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "config/policy.h"

#define TREE_BYTES_MAX   (UINT64_C(1024) * 1024)
#define TREE_LEVELS_MAX  64U
#define TREE_NODES_MAX   250000U
#define TREE_ANCHORS_MAX 1000U

enum tree_type { TREE_TEXT, TREE_LIST, TREE_MAPPING };

struct tree_node;

struct tree_item {
        const struct tree_node *key; /* always a text; NULL in a list */
        const struct tree_node *value;
        struct tree_item *next;
};

struct tree_node {
        enum tree_type type;
        unsigned line, column; /* of its first character, from 1 */
        const char *text;      /* TREE_TEXT: without NUL bytes inside; else NULL */
        bool plain;            /* TREE_TEXT: written without quotes */
        struct tree_item *items, *last;
        unsigned n_nodes; /* it and what is in it */
        unsigned levels;  /* 0 for a text */
        bool open;        /* still being read */
};

/*
 * Reads the one document in TEXT. NAME stands for the file in ERRORS. *ret is NULL where the text holds no document at
 * all (nothing, or comments only). Returns 0, -EINVAL with an error added, or -ENOMEM.
 */
int tree_parse(struct arena *arena, const char *name, const char *text, size_t length, struct policy_errors *errors,
                const struct tree_node **ret);

/* The node on one line, "[dm-*, loop]", cut with "…" after some 200 bytes; ARENA's. NULL without memory. */
const char *tree_format(struct arena *arena, const struct tree_node *node);

/* "text", "list" or "mapping" */
const char *tree_type_name(enum tree_type type);
