/* SPDX-License-Identifier: MIT */
#pragma once

/* Examples in documentation, for tests that try them out. Anything that goes wrong fails the test. */

/* The file, found from the top of the source; the caller frees it. */
char *document_read(const char *path);

/*
 * What stands between the next line FENCE and the end of its block; *at is set after it. NULL if there is no such. The
 * caller frees it.
 */
char *document_next_block(const char **at, const char *fence);
