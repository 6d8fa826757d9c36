/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Policies: which layer gets which readahead. YAML in, compiled rules out; the first rule that matches a layer wins it.
 * The language is described in docs/policy.md.
 */

#include <stdint.h>
#include <stdio.h>

#include "common/cleanup.h"
#include "common/finding.h"
#include "common/plan.h"
#include "common/topology.h"

/* Set by the Makefile: /usr/lib/setrad and /etc unless PREFIX or SYSCONFDIR say otherwise. */
#define POLICY_DIRECTORY_VENDOR PKG_VENDORDIR "/policy.d"
#define POLICY_DIRECTORY_LOCAL  PKG_SYSCONFDIR "/setrad/policy.d"

struct policy;

/* One thing wrong in a policy file. */
struct policy_error {
        char *file;
        unsigned line, column; /* from 1; 0 if the file as a whole is meant */
        char *text;            /* what is wrong, and what would be right */
        char *line_text;       /* the line as it is in the file, hostile; of a very long one the part around COLUMN.
                                  NULL if no line is meant */
        unsigned line_column;  /* the column of line_text's first character */
};

/* Everything that is wrong in the files that were read, in their order; past a hundred of one file, how many more. */
struct policy_errors {
        struct policy_error *items;
        size_t n_items;
        uint64_t *rest; /* hashes of those of the file that is read for which there is no place among the items */
        size_t n_rest;
        char **files; /* all that were looked at, those without an error, too */
        size_t n_files;
};

void policy_errors_done(struct policy_errors *errors);

/* "FILE:LINE:COLUMN: TEXT", for the journal, without a newline; the caller frees it. NULL without memory. */
char *policy_error_format(const struct policy_error *error);

/*
 * Reads the policy files NAME.yaml of DIRECTORIES (NULL-terminated, later ones mask files of the same name in earlier
 * ones; a link to /dev/null masks and says nothing), in the order of their names. A
 * directory that does not exist is empty. A rule that never wins because an earlier one takes all that it matches is an
 * error, unless the earlier one is of a later directory: that is how a built-in rule is overridden. Nothing is returned unless every file is right: -EINVAL with ERRORS filled,
 * -ENOENT if there is no policy file at all (with one error that says so), or another negative errno with an error that
 * names the file.
 */
int policy_load_directories(const char *const *directories, struct policy **ret, struct policy_errors *errors);

/* One file, as for --policy. Errors as above; an empty file is one. */
int policy_load_file(const char *path, struct policy **ret, struct policy_errors *errors);

/* Several files as one policy, in the given order. */
int policy_load_files(const char *const *paths, size_t n_paths, struct policy **ret, struct policy_errors *errors);

/* The policy that setrad comes with, as it was when it was built; for where none is installed. */
int policy_load_builtin(struct policy **ret, struct policy_errors *errors);

/* As policy_load_file() for text; NAME stands for the file in errors. For tests and fuzzers. */
int policy_load_text(
                const char *name, const char *text, size_t length, struct policy **ret, struct policy_errors *errors);

void policy_free(struct policy *policy);
DEFINE_CLEANUP(struct policy *, policy_free);

size_t policy_count_rules(const struct policy *policy);
size_t policy_count_files(const struct policy *policy);

/*
 * The rule that wins each layer: an array by layer->index in ARENA. It points into POLICY, which must live as long.
 * Pure. Returns 0 or -ENOMEM.
 */
int policy_match(const struct policy *policy, const struct topology *topology, const struct findings *findings,
                struct arena *arena, struct verdict **ret);

/* A key of a rule that a layer did not match. */
struct policy_miss {
        const char *key;    /* "over" */
        const char *wanted; /* what the rule has there, as it is written; cut where it is long */
        const char *value;  /* what the layer has there; NULL: none, or the key is "not" */
};

/* A rule that was looked at for a layer. */
struct policy_step {
        const char *rule, *file;
        unsigned line;
        bool matched;
        bool names_layer;           /* as in struct verdict */
        struct policy_miss *misses; /* the first of each alternative of "match", in their order; none if it matched */
        size_t n_misses;
};

/* How policy_match() comes to its verdict for one layer. */
struct policy_trace {
        struct policy_step *steps; /* in the order in which they were looked at; the winner, if there is one, is last */
        size_t n_steps;
        size_t n_not_reached; /* rules after the winner */
};

/* The rule that won; NULL: none did. */
const struct policy_step *policy_trace_winner(const struct policy_trace *trace);

/*
 * The trace of LAYER, in ARENA; it points into POLICY. Pure; for people, and slow beside policy_match(), with whose code
 * it tests. Of several keys that don't match the one that is tested first is told. Returns 0 or -ENOMEM.
 */
int policy_explain(const struct policy *policy, const struct topology *topology, const struct findings *findings,
                const struct layer *layer, struct arena *arena, struct policy_trace **ret);
