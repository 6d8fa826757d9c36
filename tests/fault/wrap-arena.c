/* SPDX-License-Identifier: MIT */

/*
 * Arenas: they ask for memory in blocks, so each of what is taken from them fails by itself here, as it would where a block
 * comes to its end.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/arena.h"
#include "tests/fault/fault.h"
#include "tests/fault/wrap.h"

int __real_vasprintf(char **ret, const char *format, va_list arguments);

WRAP(void *, arena_alloc, struct arena *arena, size_t size) {
        return FAULT("arena_alloc", NULL, ENOMEM) ? NULL : __real_arena_alloc(arena, size);
}

WRAP(void *, arena_alloc_array, struct arena *arena, size_t count, size_t size) {
        return FAULT("arena_alloc_array", NULL, ENOMEM) ? NULL : __real_arena_alloc_array(arena, count, size);
}

WRAP(char *, arena_strdup, struct arena *arena, const char *s) {
        return FAULT("arena_strdup", s, ENOMEM) ? NULL : __real_arena_strdup(arena, s);
}

WRAP(char *, arena_strndup, struct arena *arena, const char *s, size_t length) {
        return FAULT("arena_strndup", NULL, ENOMEM) ? NULL : __real_arena_strndup(arena, s, length);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
WRAP(char *, arena_printf, struct arena *arena, const char *format, ...) {
        char *text = NULL, *copy;
        va_list arguments;
        int n;

        if (FAULT("arena_printf", format, ENOMEM))
                return NULL;
        va_start(arguments, format);
        n = __real_vasprintf(&text, format, arguments);
        va_end(arguments);
        copy = n < 0 ? NULL : __real_arena_strdup(arena, text);
        free(text);
        return copy;
}
