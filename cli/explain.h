/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Everything that explain says about a layer, as one value that is then shown as text or JSON. Pure. Strings are the
 * arena's, the survey's or the policy's.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/survey.h"
#include "config/policy.h"

/* A step of the way to the target. */
struct explain_step {
        const char *name;       /* "geometry", "target", "floor", "caps", "rounding", "direction", "hold" */
        struct opt_int sectors; /* what it is after this step; unknown where the step has no number */
        const char *text;
};

#define EXPLAIN_STEPS_MAX 7U

/* What to type, and what for. */
struct explain_advice {
        const char *purpose;
        const char *text; /* lines to type, as they are; NULL: none */
};

#define EXPLAIN_ADVICE_MAX 3U

struct explanation {
        const struct survey *survey;
        const struct layer *layer;
        const struct decision *decision;
        const struct layer *reads; /* whose number reads by the layer go by, if it is one layer's; else NULL */
        const char *reads_text;
        struct policy_trace *trace;
        struct explain_step steps[EXPLAIN_STEPS_MAX];
        size_t n_steps;
        const char *outcome; /* what setrad does, or why it does nothing */
        struct explain_advice advice[EXPLAIN_ADVICE_MAX];
        size_t n_advice;
};

/* POLICY is the one the survey was made with; POLICY_FILE its only file (--policy), or NULL. Returns 0 or -ENOMEM. */
int explain_build(const struct survey *survey, const struct policy *policy, const char *policy_file,
                const struct layer *layer, struct arena *arena, struct explanation *ret);

/* As a page for people. WIDTH is that of its tree of layers, 0: as wide as it is. Returns 0 or a negative errno. */
int explain_print(FILE *stream, const struct explanation *explanation, bool colors, unsigned width);

/* Parts of explain_build(), each in its file. They return 0 or -ENOMEM. */
int explain_reads(struct explanation *explanation, struct arena *arena);
int explain_steps(struct explanation *explanation, struct arena *arena);
int explain_advice(struct explanation *explanation, const char *policy_file, struct arena *arena);
