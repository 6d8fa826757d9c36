/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <string.h>

#include "common/arena.h"
#include "common/capture-record.h"

struct node {
        struct record_entry base; /* first: the tree compares by it */
        char *text;
        size_t allocated;
};

struct record {
        struct arena *arena; /* of all entries and their text */
        void *tree;          /* tsearch(3)'s, of struct node by path */
        struct node **entries;
        size_t n, allocated;
        struct identifiers *identifiers;
        bool incomplete; /* memory was short */
};

struct record *record_new(void) {
        _cleanup_(record_freep) struct record *record = calloc(1, sizeof(*record));

        if (!record)
                return NULL;
        record->arena = arena_new();
        record->identifiers = identifiers_new();
        return record->arena && record->identifiers ? TAKE_PTR(record) : NULL;
}

void record_fail(struct record *record) {
        record->incomplete = true;
}

static void leave_node(void *node) {
}

void record_free(struct record *record) {
        if (!record)
                return;
        tdestroy(record->tree, leave_node);
        arena_freep(&record->arena);
        identifiers_freep(&record->identifiers);
        free(record->entries);
        free(record);
}

static int compare_paths(const void *a, const void *b) {
        const struct record_entry *x = a, *y = b;

        return strcmp(x->path, y->path);
}

static bool grow(struct record *record) {
        size_t allocated = record->allocated ? record->allocated * 2 : 256;
        struct node **entries;

        if (record->n < record->allocated)
                return true;
        entries = reallocarray(record->entries, allocated, sizeof(*entries));
        if (!entries)
                return false;
        record->entries = entries;
        record->allocated = allocated;
        return true;
}

static struct node *add_node(struct record *record, const char *path, enum record_type type) {
        struct node *node;

        if (!grow(record))
                return NULL;
        node = arena_alloc(record->arena, sizeof(*node));
        if (!node)
                return NULL;
        node->base = (struct record_entry){.path = arena_strdup(record->arena, path), .type = type, .text = ""};
        if (!node->base.path || !tsearch(node, &record->tree, compare_paths))
                return NULL;
        record->entries[record->n++] = node;
        return node;
}

/* NULL when memory is short, which is noted. */
static struct node *find_or_add(struct record *record, const char *path, enum record_type type) {
        const struct record_entry key = {.path = path};
        struct node **found, *node;

        found = tfind(&key, &record->tree, compare_paths);
        if (found)
                return *found;
        node = add_node(record, path, type);
        if (!node)
                record->incomplete = true;
        return node;
}

bool record_has(const struct record *record, const char *path) {
        const struct record_entry key = {.path = path};

        return tfind(&key, &record->tree, compare_paths) != NULL;
}

void record_directory(struct record *record, const char *path) {
        (void)find_or_add(record, path, RECORD_DIRECTORY);
}

void record_presence(struct record *record, const char *path) {
        (void)find_or_add(record, path, RECORD_FILE);
}

/* Makes room for SIZE bytes more than there are. */
static bool reserve(struct record *record, struct node *node, size_t size) {
        size_t needed, allocated;
        char *text;

        if (__builtin_add_overflow(node->base.size, size, &needed))
                return false;
        if (needed <= node->allocated)
                return true;
        /* What is written once fits exactly; what grows doubles. */
        if (node->base.size == 0)
                allocated = needed;
        else if (__builtin_mul_overflow(needed, 2, &allocated))
                return false;
        text = arena_alloc_array(record->arena, allocated, 1);
        if (!text)
                return false;
        if (node->base.size > 0)
                memcpy(text, node->text, node->base.size);
        node->text = text;
        node->base.text = text;
        node->allocated = allocated;
        return true;
}

static void append(struct record *record, struct node *node, const char *text, size_t size) {
        if (size == 0)
                return;
        if (!reserve(record, node, size)) {
                record->incomplete = true;
                return;
        }
        memcpy(node->text + node->base.size, text, size);
        node->base.size += size;
}

static void set(struct record *record, const char *path, enum record_type type, const char *text, size_t size) {
        struct node *node = find_or_add(record, path, type);

        if (!node)
                return;
        node->base.type = type;
        node->base.size = 0;
        append(record, node, text, size);
}

void record_file(struct record *record, const char *path, const char *text, size_t size) {
        set(record, path, RECORD_FILE, text, size);
}

void record_link(struct record *record, const char *path, const char *target) {
        set(record, path, RECORD_LINK, target, strlen(target) + 1);
}

void record_append(struct record *record, const char *path, const char *text, size_t size) {
        struct node *node = find_or_add(record, path, RECORD_FILE);

        if (node)
                append(record, node, text, size);
}

void record_identifier(struct record *record, enum identifier_type type, const char *text) {
        if (identifiers_add(record->identifiers, type, text) < 0)
                record->incomplete = true;
}

struct identifiers *record_identifiers(struct record *record) {
        return record->identifiers;
}

static void add_parents(struct record *record, const char *path) {
        _cleanup_(freep) char *parent = strdup(path);

        if (!parent) {
                record->incomplete = true;
                return;
        }
        for (char *slash = strchr(parent, '/'); slash; slash = strchr(slash + 1, '/')) {
                *slash = 0;
                record_directory(record, parent);
                *slash = '/';
        }
}

int record_list(struct record *record, const struct record_entry **ret, size_t *ret_n) {
        const size_t n = record->n;
        struct record_entry *list;

        for (size_t i = 0; i < n; i++)
                add_parents(record, record->entries[i]->base.path);
        list = arena_alloc_array(record->arena, record->n + 1, sizeof(*list));
        if (!list || record->incomplete)
                return -ENOMEM;
        for (size_t i = 0; i < record->n; i++)
                list[i] = record->entries[i]->base;
        qsort(list, record->n, sizeof(*list), compare_paths);
        *ret = list;
        *ret_n = record->n;
        return 0;
}
