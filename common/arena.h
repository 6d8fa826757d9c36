/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Memory that is given back all at once. A topology and what is derived from it live in one arena each, so nothing in
 * them has an owner of its own and pointers between them stay valid for as long as the arena does.
 */

#include <stddef.h>

#include "cleanup.h"

struct arena;

/* NULL when memory is short. Memory is taken in blocks of 16 KiB, or of BLOCK_BYTES: for what is small and stays long. */
struct arena *arena_new(void);
struct arena *arena_new_sized(size_t block_bytes);
void arena_free(struct arena *arena);
DEFINE_CLEANUP(struct arena *, arena_free);

/* Zeroed and aligned for any type; NULL when memory is short. */
void *arena_alloc(struct arena *arena, size_t size);

/* As arena_alloc() for COUNT elements of SIZE bytes; NULL also when the product overflows. */
void *arena_alloc_array(struct arena *arena, size_t count, size_t size);

char *arena_strdup(struct arena *arena, const char *s);
char *arena_strndup(struct arena *arena, const char *s, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
