/* SPDX-License-Identifier: MIT */
#pragma once

/* Errors of a policy as setractl tells them. */

#include <stdio.h>

#include "config/policy.h"

/* The width of the line that is shown, its indentation included. */
#define EXCERPT_COLUMNS_MAX 100U

/*
 * "FILE:LINE:COLUMN: TEXT", and below it the line with a caret under the column, where a line is meant; each ends in a
 * newline. Nothing in it acts on a terminal; of a long line the part around the column is shown. Widths are those of
 * the locale's characters. The caller frees it; NULL without memory.
 */
char *excerpt_format(const struct policy_error *error);

/* All errors. What can't be printed without memory is left out. */
void excerpt_print(FILE *stream, const struct policy_errors *errors);
