/* SPDX-License-Identifier: MIT */

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/memory.h"

struct subject {
        void *before, *now; /* trees of tsearch(3) with the keys themselves as nodes */
        char name[];
};

struct memory {
        void *subjects; /* a tree, too; of those only that have a key */
};

static int compare_keys(const void *a, const void *b) {
        return strcmp(a, b);
}

static int compare_subjects(const void *a, const void *b) {
        const struct subject *x = a, *y = b;

        return strcmp(x->name, y->name);
}

static struct subject *subject_new(const char *name) {
        size_t size = strlen(name) + 1;
        struct subject *subject = calloc(1, sizeof(*subject) + size);

        if (subject)
                memcpy(subject->name, name, size);
        return subject;
}

static void subject_free(struct subject *subject) {
        tdestroy(subject->before, free);
        tdestroy(subject->now, free);
        free(subject);
}

DEFINE_CLEANUP(struct subject *, subject_free);

static void free_node(void *subject) {
        subject_free(subject);
}

struct memory *memory_new(void) {
        return calloc(1, sizeof(struct memory));
}

void memory_free(struct memory *memory) {
        if (!memory)
                return;
        tdestroy(memory->subjects, free_node);
        free(memory);
}

/* NULL when memory is short. */
static struct subject *get_subject(struct memory *memory, const char *name) {
        _cleanup_(subject_freep) struct subject *subject = subject_new(name);
        struct subject **node = subject ? tsearch(subject, &memory->subjects, compare_subjects) : NULL;

        if (!node)
                return NULL;
        return *node == subject ? TAKE_PTR(subject) : *node;
}

bool memory_note(struct memory *memory, const char *subject_name, const char *format, ...) {
        struct subject *subject = get_subject(memory, subject_name);
        _cleanup_(freep) char *key = NULL;
        va_list args;
        int r;

        va_start(args, format);
        r = vasprintf(&key, format, args);
        va_end(args);
        if (r < 0) {
                key = NULL;
                return true;
        }

        if (!subject)
                return true;
        if (tfind(key, &subject->now, compare_keys))
                return false;
        bool known = tfind(key, &subject->before, compare_keys);
        if (!tsearch(key, &subject->now, compare_keys))
                return !known;
        key = NULL; /* the tree's now */
        return !known;
}

struct turn {
        memory_handler forgotten;
        void *userdata;
        const struct subject *subject;
        void *kept; /* of memory_turn_all(): the tree to come */
};

static void tell_if_forgotten(const void *node, VISIT order, void *closure) {
        const struct turn *turn = closure;
        const char *key = *(const char *const *)node;

        if ((order == postorder || order == leaf) && !tfind(key, &turn->subject->now, compare_keys))
                turn->forgotten(key, turn->userdata);
}

/* Returns whether anything is left of it. */
static bool turn_subject(struct turn *turn, struct subject *subject) {
        turn->subject = subject;
        if (turn->forgotten)
                twalk_r(subject->before, tell_if_forgotten, turn);
        tdestroy(subject->before, free);
        subject->before = subject->now;
        subject->now = NULL;
        return subject->before;
}

void memory_turn(struct memory *memory, const char *name, memory_handler forgotten, void *userdata) {
        struct turn turn = {.forgotten = forgotten, .userdata = userdata};
        _cleanup_(subject_freep) struct subject *key = subject_new(name);
        struct subject **node = key ? tfind(key, &memory->subjects, compare_subjects) : NULL;
        struct subject *subject;

        if (!node)
                return;
        subject = *node;
        if (turn_subject(&turn, subject))
                return;
        tdelete(subject, &memory->subjects, compare_subjects);
        subject_free(subject);
}

/* One for which memory is short is forgotten, and said again. */
static void turn_node(const void *node, VISIT order, void *closure) {
        struct turn *turn = closure;
        struct subject *subject = *(struct subject *const *)node;

        if (order != postorder && order != leaf)
                return;
        if (!turn_subject(turn, subject) || !tsearch(subject, &turn->kept, compare_subjects))
                subject_free(subject);
}

static void keep_node(void *subject) {
}

void memory_turn_all(struct memory *memory, memory_handler forgotten, void *userdata) {
        struct turn turn = {.forgotten = forgotten, .userdata = userdata};

        twalk_r(memory->subjects, turn_node, &turn);
        tdestroy(memory->subjects, keep_node);
        memory->subjects = turn.kept;
}
