/* SPDX-License-Identifier: MIT */
#pragma once

/* Globs as fnmatch(3), looked at once: most have no magic, or a * at the end only, and need no fnmatch() then. Pure. */

#include <stdbool.h>
#include <stddef.h>

#include "config/policy-value.h"

#define PATTERN_BYTES_MAX 1024U

enum pattern_form {
        PATTERN_LITERAL, /* just this text */
        PATTERN_PREFIX,  /* this text and anything after it */
        PATTERN_GLOB,
};

struct pattern {
        const char *text;
        enum pattern_form form;
        size_t n_prefix; /* how much of it is literal before the first magic character */
        bool is_path;    /* has a / in it */
};

struct pattern_list {
        struct pattern *items;
        size_t n_items;
};

/* TEXT must live as long. Returns 0, or -EINVAL if it is no glob, with the reason. */
int pattern_compile(const char *text, struct pattern *ret, struct value_why *ret_why);

bool pattern_matches(const struct pattern *pattern, const char *s);

/* Whether each text that PATTERN matches is matched by WIDER, too. False where that is not plain to see. */
bool pattern_covers(const struct pattern *wider, const struct pattern *pattern);

/* Whether one of the patterns matches S; none does if S is NULL. */
bool pattern_list_matches(const struct pattern_list *patterns, const char *s);
