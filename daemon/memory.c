/* SPDX-License-Identifier: MIT */

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/memory.h"

struct memory {
        void *before, *now; /* trees of tsearch(3) with the keys themselves as nodes */
};

static int compare(const void *a, const void *b) {
        return strcmp(a, b);
}

struct memory *memory_new(void) {
        return calloc(1, sizeof(struct memory));
}

void memory_free(struct memory *memory) {
        if (!memory)
                return;
        tdestroy(memory->before, free);
        tdestroy(memory->now, free);
        free(memory);
}

bool memory_note(struct memory *memory, const char *format, ...) {
        _cleanup_(freep) char *key = NULL;
        va_list args;
        int r;

        va_start(args, format);
        r = vasprintf(&key, format, args);
        va_end(args);
        if (r < 0) {
                key = NULL;
                return false;
        }

        if (tfind(key, &memory->now, compare))
                return false;
        bool known = tfind(key, &memory->before, compare);
        if (!tsearch(key, &memory->now, compare))
                return false;
        key = NULL; /* the tree's now */
        return !known;
}

struct turn {
        const struct memory *memory;
        void (*forgotten)(const char *key, void *userdata);
        void *userdata;
};

static void tell_if_forgotten(const void *node, VISIT order, void *closure) {
        const struct turn *turn = closure;
        const char *key = *(const char *const *)node;

        if ((order == postorder || order == leaf) && !tfind(key, &turn->memory->now, compare))
                turn->forgotten(key, turn->userdata);
}

void memory_turn(struct memory *memory, void (*forgotten)(const char *key, void *userdata), void *userdata) {
        struct turn turn = {.memory = memory, .forgotten = forgotten, .userdata = userdata};

        if (forgotten)
                twalk_r(memory->before, tell_if_forgotten, &turn);
        tdestroy(memory->before, free);
        memory->before = memory->now;
        memory->now = NULL;
}
