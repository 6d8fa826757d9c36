/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reads a YAML tree by tables: a mapping is described by the keys that it may have and a function for each. What is
 * wrong is added to the errors, with its place, and reading goes on, so that a file's errors are told all at once.
 *
 * Functions return 0, -EINVAL when an error has been added, or -ENOMEM, which alone ends the reading.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "config/policy-tree.h"
#include "config/policy.h"

struct match_index;

struct policy_reader {
        const char *file;
        struct policy_errors *errors;
        struct arena *arena;       /* for what outlives the tree */
        struct match_index *index; /* of the policy that is read */
};

struct reader_field;

/* Reads VALUE, what FIELD's key stands for, into the member TARGET. */
typedef int (*reader_function)(struct policy_reader *reader, const struct tree_node *value,
                const struct reader_field *field, void *target);

/* A key of a mapping. */
struct reader_field {
        const char *key;
        reader_function read;
        size_t offset;    /* of the member that it sets */
        const void *data; /* what else READ wants to know */
        unsigned scopes;  /* where the key may be, as bits; 0: wherever the table is used */
};

/* What one mapping may hold. */
struct reader_schema {
        const char *what; /* "a rule": for errors */
        const struct reader_field *fields;
        size_t n_fields; /* at most 64 */
        unsigned scope;  /* one bit of reader_field.scopes */
};

int reader_error(struct policy_reader *reader, const struct tree_node *at, const char *format, ...)
                __attribute__((format(printf, 3, 4)));

/*
 * Reads a mapping into OBJECT. Keys that are unknown or given twice are errors. *ret_seen (may be NULL) has the bit of
 * each field, by its place in the table, that the mapping has, rightly, wrongly or misspelt.
 */
int reader_mapping(struct policy_reader *reader, const struct tree_node *node, const struct reader_schema *schema,
                void *object, uint64_t *ret_seen);

/* Whether the bit of the field KEY is in SEEN. */
bool reader_has(const struct reader_schema *schema, uint64_t seen, const char *key);

/* The text of a node that must be one, with something in it. WHAT is the key, for errors. */
int reader_text(struct policy_reader *reader, const struct tree_node *node, const char *what, const char **ret);

/* One of the words of a NULL-terminated list; *ret is its place in it. */
int reader_word(struct policy_reader *reader, const struct tree_node *node, const char *what, const char *const *words,
                unsigned *ret);

/* As value_parse_bool() has them. */
int reader_bool(struct policy_reader *reader, const struct tree_node *node, const char *what, bool *ret);

/* For the key "version": a plain number that must be the one that FIELD's data says. */
int reader_version(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target);

/* The items of a node that may be a list or one value: a value counts as a list of one. EACH is called for each. */
typedef int (*reader_each)(struct policy_reader *reader, const struct tree_node *value, void *userdata);
int reader_list(struct policy_reader *reader, const struct tree_node *node, const char *what, reader_each each,
                void *userdata);
