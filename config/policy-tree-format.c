/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "config/policy-tree.h"

#define FORMAT_BYTES_MAX 200U

/* Bounded, as aliases can make much of a little. */
struct output {
        char text[FORMAT_BYTES_MAX + sizeof("…")];
        size_t length;
        bool full;
};

static void put(struct output *out, const char *text) {
        size_t n = strnlen(text, FORMAT_BYTES_MAX + 1), room;

        if (out->full)
                return;
        room = FORMAT_BYTES_MAX - out->length;
        if (n > room) {
                /* Not in the midst of a character of UTF-8. */
                for (n = room; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
                        n--;
                out->full = true;
        }
        memcpy(out->text + out->length, text, n);
        out->length += n;
        if (out->full) {
                memcpy(out->text + out->length, "…", strlen("…"));
                out->length += strlen("…");
        }
}

/* NOLINTNEXTLINE(misc-no-recursion): TREE_LEVELS_MAX levels */
static void put_node(struct output *out, const struct tree_node *node) {
        if (node->type == TREE_TEXT) {
                put(out, node->text);
                return;
        }
        put(out, node->type == TREE_LIST ? "[" : "{");
        for (const struct tree_item *item = node->items; item && !out->full; item = item->next) {
                if (item->key) {
                        put(out, item->key->text);
                        put(out, ": ");
                }
                put_node(out, item->value);
                if (item->next)
                        put(out, ", ");
        }
        put(out, node->type == TREE_LIST ? "]" : "}");
}

const char *tree_format(struct arena *arena, const struct tree_node *node) {
        struct output out = {};

        put_node(&out, node);
        return arena_strndup(arena, out.text, out.length);
}
