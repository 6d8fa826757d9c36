/* SPDX-License-Identifier: MIT */
#pragma once

/* What one run of setractl works with. Passed to the verb; nothing is global. */

#include <stdbool.h>

#include "common/survey.h"
#include "common/sysroot.h"
#include "config/policy.h"

enum exit_status {
        STATUS_DONE = 0,
        STATUS_FAILED = 1,
        STATUS_USAGE = 2,
        STATUS_WOULD_CHANGE = 3, /* plan --check */
};

/* As given on the command line; strings are argv's. */
struct options {
        const char *root;       /* NULL: this machine */
        const char *policy;     /* NULL: what is installed */
        const char *color;      /* when; NULL: auto */
        const char *columns;    /* NULL: the default ones */
        const char *directory;  /* NULL: the journal of this machine */
        const char *lines;      /* NULL: all */
        const char *since;      /* NULL: from the beginning */
        const char *until;      /* NULL: to the end */
        const char *format;     /* NULL: the first one */
        char *const *arguments; /* the verb's, where it takes some */
        size_t n_arguments;
        const char *bs, *bytes, *count, *like, *runs, *streams, *time, *workload; /* of measuring; NULL: as usual */
        const char *svg, *write;                                                  /* files; NULL: none */
        bool all, below, bytes_shown, check, csv, dry_run, force, help, interactive, inverse, json, no_probe,
                        noheadings, pairs, random, raw, version, with_identifiers;
};

struct context {
        struct options options;
        bool colors; /* what is printed for people has colours */
        struct sysroot *root;
        struct policy *policy;
        struct survey *survey;
};

/* Whether the built-in policy will do where none is installed. */
enum policy_need { POLICY_ANY, POLICY_INSTALLED };

/*
 * Opens the root: this machine, or the directory or archive of --root. Returns 0, or a negative errno after saying on
 * stderr what is wrong.
 */
int context_open(struct context *context);

/* Says on stderr what could not be read of a root, R being what discovery returned. Returns R. */
int context_check_discovery(const struct context *context, int r);

/* What could not be read and is left out, to stderr. */
void context_print_notes(const struct topology *topology);

/*
 * Loads the policy, opens the root and surveys it; what could not be read goes to stderr as notes. Returns 0, or a
 * negative errno after saying on stderr what is wrong.
 */
int context_survey(struct context *context, enum policy_need need);

/* The two halves of that: all up to a topology, which *ret takes over; and what follows from it, which takes it over. */
int context_discover(struct context *context, enum policy_need need, struct topology **ret);
int context_work_out(struct context *context, struct topology *topology);

void context_done(struct context *context);

static inline const struct decision *context_decision(const struct context *context, const struct layer *layer) {
        return &context->survey->plan.decisions[layer->index];
}
