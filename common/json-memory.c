/* SPDX-License-Identifier: MIT */

#include <jansson.h>
#include <stdlib.h>

#include "common/json-memory.h"

/* jansson's allocator takes no argument of the caller's: there is no other place for it. */
static _Thread_local bool was_short;

static void *allocate(size_t size) {
        void *p = malloc(size);

        was_short = was_short || !p;
        return p;
}

void json_memory_watch(void) {
        json_set_alloc_funcs(allocate, free);
        was_short = false;
}

bool json_memory_was_short(void) {
        return was_short;
}
