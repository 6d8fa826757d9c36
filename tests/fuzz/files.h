/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A directory of files for fuzzers, in memory where that can be. What an input asks for is collected first; then only
 * what is not yet as the input before left it is written. Anything that goes wrong ends the program.
 */

#include <stddef.h>

struct files;

/* A new private directory, that goes with this process however it ends. One for all inputs. */
struct files *files_new(void);

const char *files_path(const struct files *files);

/* From here on something else is asked for: an empty directory, to begin with. */
void files_begin(struct files *files);

/*
 * Paths are relative; directories above are made. Of two with one path the last one counts, and what would be below one
 * that is no directory is left out. Names that no file can have are passed over.
 */
void files_write(struct files *files, const char *path, const char *content, size_t size);
void files_print(struct files *files, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));
void files_directory(struct files *files, const char *path);
void files_link(struct files *files, const char *path, const char *target);
void files_fifo(struct files *files, const char *path);

/* Makes the directory what was asked for. */
void files_commit(struct files *files);
