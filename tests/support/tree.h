/* SPDX-License-Identifier: MIT */
#pragma once

/* A directory of files in the making, for tests that read one. Anything that goes wrong ends the test program. */

#include <stdbool.h>
#include <stddef.h>

#include "common/cleanup.h"

struct tree;

/* A new directory below $TMPDIR or /tmp; it is removed with all that is in it by tree_free(). */
struct tree *tree_new(void);
void tree_free(struct tree *tree);
DEFINE_CLEANUP(struct tree *, tree_free);

const char *tree_path(const struct tree *tree);

/* Paths are relative to the tree; directories above are made. */
void tree_write(struct tree *tree, const char *path, const char *text);
void tree_write_bytes(struct tree *tree, const char *path, const void *bytes, size_t size);
void tree_link(struct tree *tree, const char *path, const char *target);
void tree_directory(struct tree *tree, const char *path);
void tree_fifo(struct tree *tree, const char *path);
void tree_remove(struct tree *tree, const char *path); /* one file */

struct tree_file {
        const char *path, *text;
};

void tree_write_all(struct tree *tree, const struct tree_file *files, size_t n);
