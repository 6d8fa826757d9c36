/* SPDX-License-Identifier: MIT */
#pragma once

/* Reads the files of people: policies and settings. */

#include <stddef.h>

#include "config/policy.h"

/*
 * Reads the regular file PATH without waiting for anything, and notes in ERRORS that it was looked at. *ret is the
 * caller's to free; of a file above TREE_BYTES_MAX it has one byte more than that, which tree_parse() refuses. Returns
 * 0, 1 if the file is /dev/null (which is not noted), or a negative errno with an error added, -ENOMEM without.
 */
int policy_file_read(const char *path, struct policy_errors *errors, char **ret, size_t *ret_length);

/* Adds the error R of the system about PATH as a whole. Returns R, so that the caller can tell what it was, or -ENOMEM. */
int policy_file_error(struct policy_errors *errors, const char *path, int r);
