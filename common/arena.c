/* SPDX-License-Identifier: MIT */

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "common/arena.h"

#define BLOCK_BYTES 16384U

struct block {
        struct block *next;
        size_t used, size; /* strings, which need no alignment, are taken from the end */
        alignas(max_align_t) unsigned char data[];
};

struct arena {
        struct block *blocks; /* the newest first: only it is filled further */
        size_t block_bytes;
};

static size_t align_up(size_t size) {
        return (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
}

struct arena *arena_new_sized(size_t block_bytes) {
        struct arena *arena = calloc(1, sizeof(*arena));

        if (arena)
                arena->block_bytes = block_bytes;
        return arena;
}

struct arena *arena_new(void) {
        return arena_new_sized(BLOCK_BYTES);
}

void arena_free(struct arena *arena) {
        if (!arena)
                return;
        for (struct block *b = arena->blocks, *next; b; b = next) {
                next = b->next;
                free(b);
        }
        free(arena);
}

static struct block *add_block(struct arena *arena, size_t size) {
        struct block *b = calloc(1, sizeof(struct block) + size);

        if (!b)
                return NULL;
        b->size = size;

        /* A block made for one large object is full at once: keep filling the one before. */
        if (size > arena->block_bytes && arena->blocks) {
                b->next = arena->blocks->next;
                arena->blocks->next = b;
        } else {
                b->next = arena->blocks;
                arena->blocks = b;
        }
        return b;
}

void *arena_alloc(struct arena *arena, size_t size) {
        struct block *b = arena->blocks;

        if (size > SIZE_MAX / 2)
                return NULL;
        size = align_up(size > 0 ? size : 1);

        if (!b || b->size - b->used < size) {
                b = add_block(arena, size > arena->block_bytes ? size : arena->block_bytes);
                if (!b)
                        return NULL;
        }

        void *p = b->data + b->used;
        b->used += size;
        return p;
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size) {
        size_t product;

        if (__builtin_mul_overflow(count, size, &product))
                return NULL;
        return arena_alloc(arena, product);
}

char *arena_strndup(struct arena *arena, const char *s, size_t length) {
        struct block *b = arena->blocks;
        char *copy;

        length = strnlen(s, length);
        if (b && b->size - b->used > length) {
                b->size -= length + 1;
                copy = (char *)b->data + b->size;
        } else
                copy = arena_alloc(arena, length + 1);
        if (!copy)
                return NULL;
        memcpy(copy, s, length);
        return copy;
}

char *arena_strdup(struct arena *arena, const char *s) {
        return arena_strndup(arena, s, strlen(s));
}

char *arena_printf(struct arena *arena, const char *format, ...) {
        _cleanup_(freep) char *s = NULL;
        va_list args;

        va_start(args, format);
        int r = vasprintf(&s, format, args);
        va_end(args);
        if (r < 0) {
                s = NULL;
                return NULL;
        }
        return arena_strdup(arena, s);
}
