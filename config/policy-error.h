/* SPDX-License-Identifier: MIT */
#pragma once

/* Collects what is wrong in the files of a policy, so that all of it can be told at once. */

#include <stddef.h>

#include "config/policy.h"

/* Of one file. What comes after that is only counted: nobody reads more, and a hostile file would fill the memory. */
#define POLICY_ERRORS_MAX 100U

/*
 * Adds an error at LINE and COLUMN (from 1; 0: the file as a whole), unless it is there already. Returns -EINVAL, to be
 * returned on by the one who found it, or -ENOMEM.
 */
int policy_errors_add(struct policy_errors *errors, const char *file, unsigned line, unsigned column,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Notes that FILE is looked at. Returns 0 or -ENOMEM. */
int policy_errors_add_file(struct policy_errors *errors, const char *file);

/* Gives the errors from FIRST on, sorted and all of one file with the content TEXT, their lines. Returns 0 or -ENOMEM. */
int policy_errors_set_lines(struct policy_errors *errors, size_t first, const char *text, size_t length);

/*
 * Puts the errors from FIRST on, those of one file, in the order of their places, and after them how many more there are.
 * Returns 0 or -ENOMEM.
 */
int policy_errors_sort(struct policy_errors *errors, size_t first);

/*
 * Of two results the one to return, where the second was worked out in spite of the first: a lack of memory before
 * -EINVAL, that before 0.
 */
static inline int policy_join(int a, int b) {
        return a == 0 || (b < 0 && b != -EINVAL) ? b : a;
}
