/* SPDX-License-Identifier: MIT */

/* From libyaml's events to a tree. Events, unlike libyaml's documents, let the bounds be checked on the way. */

#include <errno.h>
#include <string.h>
#include <yaml.h>

#include "config/policy-error.h"
#include "config/policy-syntax.h"
#include "config/policy-tree.h"

DEFINE_CLEANUP(yaml_parser_t *, yaml_parser_delete);

struct anchor {
        const char *name;
        const struct tree_node *node;
        struct anchor *next;
};

/* A list or mapping that is not complete yet. */
struct frame {
        struct tree_node *node;
        const struct tree_node *key; /* of a mapping, where its value comes next */
};

struct builder {
        struct arena *arena;
        const char *name;
        struct policy_errors *errors;
        struct frame frames[TREE_LEVELS_MAX];
        unsigned n_frames;
        struct anchor *anchors; /* the newest first: an anchor may be set anew */
        unsigned n_anchors;
        unsigned n_nodes;
        bool started; /* a document has begun */
        const struct tree_node *root;
};

const char *tree_type_name(enum tree_type type) {
        switch (type) {
        case TREE_TEXT: return "text";
        case TREE_LIST: return "list";
        case TREE_MAPPING: return "mapping";
        }
        return "unknown";
}

static int fail_at(struct builder *b, yaml_mark_t mark, const char *text) {
        return policy_errors_add(b->errors, b->name, (unsigned)mark.line + 1, (unsigned)mark.column + 1, "%s", text);
}

static int fail_bound(struct builder *b, yaml_mark_t mark, const char *text, unsigned bound) {
        return policy_errors_add(b->errors, b->name, (unsigned)mark.line + 1, (unsigned)mark.column + 1,
                        "%s: at most %u", text, bound);
}

static yaml_mark_t mark_of_node(const struct tree_node *node) {
        return (yaml_mark_t){.line = node->line - 1, .column = node->column - 1};
}

static int add_anchor(struct builder *b, const yaml_char_t *name, const struct tree_node *node) {
        struct anchor *anchor;

        if (!name)
                return 0;
        if (b->n_anchors >= TREE_ANCHORS_MAX)
                return fail_bound(b, mark_of_node(node), "too many anchors (&name)", TREE_ANCHORS_MAX);

        anchor = arena_alloc(b->arena, sizeof(*anchor));
        if (!anchor)
                return -ENOMEM;
        anchor->name = arena_strdup(b->arena, (const char *)name);
        if (!anchor->name)
                return -ENOMEM;
        anchor->node = node;
        anchor->next = b->anchors;
        b->anchors = anchor;
        b->n_anchors++;
        return 0;
}

static const struct tree_node *find_anchor(const struct builder *b, const yaml_char_t *name) {
        for (const struct anchor *a = b->anchors; a; a = a->next)
                if (strcmp(a->name, (const char *)name) == 0)
                        return a->node;
        return NULL;
}

/* Tags of YAML's own types say nothing new here; any other is a value that should have been quoted ("!name"). */
static int check_tag(struct builder *b, const yaml_event_t *event, const yaml_char_t *tag) {
        static const char core[] = "tag:yaml.org,2002:";

        if (!tag || strcmp((const char *)tag, "!") == 0 || strncmp((const char *)tag, core, strlen(core)) == 0)
                return 0;
        return fail_at(b, event->start_mark,
                        "a word that begins with ! is a YAML tag: put a value that begins so in quotes");
}

static int new_node(struct builder *b, const yaml_event_t *event, enum tree_type type, const yaml_char_t *anchor,
                const yaml_char_t *tag, struct tree_node **ret) {
        struct tree_node *node;
        int r;

        r = check_tag(b, event, tag);
        if (r < 0)
                return r;
        if (++b->n_nodes > TREE_NODES_MAX)
                return fail_bound(b, event->start_mark, "too many values", TREE_NODES_MAX);

        node = arena_alloc(b->arena, sizeof(*node));
        if (!node)
                return -ENOMEM;
        *node = (struct tree_node){
                        .type = type,
                        .line = (unsigned)event->start_mark.line + 1,
                        .column = (unsigned)event->start_mark.column + 1,
                        .n_nodes = 1,
                        .levels = type != TREE_TEXT,
        };
        *ret = node;
        return add_anchor(b, anchor, node);
}

/* Both bounds take an alias for what it stands for, so that aliases of aliases do not get round them. */
static int check_bounds(
                struct builder *b, yaml_mark_t mark, const struct tree_node *parent, const struct tree_node *child) {
        if (parent->n_nodes + child->n_nodes > TREE_NODES_MAX)
                return fail_bound(b, mark, "too many values with the aliases (*name) written out", TREE_NODES_MAX);
        if (child->levels >= TREE_LEVELS_MAX)
                return fail_bound(b, mark, "too many levels with the aliases (*name) written out", TREE_LEVELS_MAX);
        return 0;
}

static int append_item(struct builder *b, struct tree_node *parent, const struct tree_node *key,
                const struct tree_node *value) {
        struct tree_item *item = arena_alloc(b->arena, sizeof(*item));

        if (!item)
                return -ENOMEM;
        item->key = key;
        item->value = value;
        if (parent->last)
                parent->last->next = item;
        else
                parent->items = item;
        parent->last = item;
        return 0;
}

/* Hangs a complete node, or one that an alias stands for, where the next one belongs. */
static int attach(struct builder *b, yaml_mark_t mark, const struct tree_node *node) {
        struct frame *frame;
        int r;

        if (b->n_frames == 0) {
                b->root = node;
                return 0;
        }

        frame = &b->frames[b->n_frames - 1];
        r = check_bounds(b, mark, frame->node, node);
        if (r < 0)
                return r;
        frame->node->n_nodes += node->n_nodes;
        if (node->levels + 1 > frame->node->levels)
                frame->node->levels = node->levels + 1;

        if (frame->node->type == TREE_MAPPING && !frame->key) {
                if (node->type != TREE_TEXT)
                        return fail_at(b, mark, "a key must be a plain word");
                frame->key = node;
                return 0;
        }
        return append_item(b, frame->node, TAKE_PTR(frame->key), node);
}

static int take_alias(struct builder *b, const yaml_event_t *event) {
        const struct tree_node *node = find_anchor(b, event->data.alias.anchor);

        if (!node)
                return policy_errors_add(b->errors, b->name, (unsigned)event->start_mark.line + 1,
                                (unsigned)event->start_mark.column + 1,
                                "no anchor &%s for this alias; a pattern that begins with * needs quotes: \"*%s\"",
                                event->data.alias.anchor, event->data.alias.anchor);
        if (node->open)
                return fail_at(b, event->start_mark, "an alias inside of what it stands for");
        return attach(b, event->start_mark, node);
}

static int take_scalar(struct builder *b, const yaml_event_t *event) {
        const char *value = (const char *)event->data.scalar.value;
        size_t length = event->data.scalar.length;
        struct tree_node *node = NULL;
        int r;

        r = new_node(b, event, TREE_TEXT, event->data.scalar.anchor, event->data.scalar.tag, &node);
        if (r < 0)
                return r;
        if (memchr(value, '\0', length))
                return fail_at(b, event->start_mark, "a NUL byte (\\0) in a text");

        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): new_node() has set it */
        node->text = arena_strndup(b->arena, value, length);
        if (!node->text)
                return -ENOMEM;
        node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        return attach(b, event->start_mark, node);
}

static int open_node(struct builder *b, const yaml_event_t *event, enum tree_type type, const yaml_char_t *anchor,
                const yaml_char_t *tag) {
        struct tree_node *node = NULL;
        int r;

        if (b->n_frames >= TREE_LEVELS_MAX)
                return fail_bound(b, event->start_mark, "too many levels", TREE_LEVELS_MAX);
        r = new_node(b, event, type, anchor, tag, &node);
        if (r < 0)
                return r;
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): new_node() has set it */
        node->open = true;
        b->frames[b->n_frames++] = (struct frame){.node = node};
        return 0;
}

static int close_node(struct builder *b) {
        struct tree_node *node = b->frames[--b->n_frames].node;

        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): open_node() has put one there */
        node->open = false;
        return attach(b, mark_of_node(node), node);
}

static int take_document(struct builder *b, const yaml_event_t *event) {
        if (b->started)
                return fail_at(b, event->start_mark, "a second document: one file holds one document");
        b->started = true;
        return 0;
}

static int take_event(struct builder *b, const yaml_event_t *event) {
        switch (event->type) {
        case YAML_DOCUMENT_START_EVENT: return take_document(b, event);
        case YAML_ALIAS_EVENT: return take_alias(b, event);
        case YAML_SCALAR_EVENT: return take_scalar(b, event);
        case YAML_SEQUENCE_START_EVENT:
                return open_node(
                                b, event, TREE_LIST, event->data.sequence_start.anchor, event->data.sequence_start.tag);
        case YAML_MAPPING_START_EVENT:
                return open_node(b, event, TREE_MAPPING, event->data.mapping_start.anchor,
                                event->data.mapping_start.tag);
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT: return close_node(b);
        default: return 0;
        }
}

static int take_all(struct builder *b, yaml_parser_t *parser, const char *text, size_t length) {
        for (bool more = true; more;) {
                yaml_event_t event;
                int r;

                if (!yaml_parser_parse(parser, &event))
                        return syntax_error(parser, b->name, text, length, b->errors);
                r = take_event(b, &event);
                more = event.type != YAML_STREAM_END_EVENT;
                yaml_event_delete(&event);
                if (r < 0)
                        return r;
        }
        return 0;
}

int tree_parse(struct arena *arena, const char *name, const char *text, size_t length, struct policy_errors *errors,
                const struct tree_node **ret) {
        struct builder b = {.arena = arena, .name = name, .errors = errors};
        yaml_parser_t parser;
        _cleanup_(yaml_parser_deletep) yaml_parser_t *initialized = NULL;
        int r;

        if (length > TREE_BYTES_MAX)
                return policy_errors_add(errors, name, 0, 0, "larger than 1 MiB, which no such file is");
        if (!yaml_parser_initialize(&parser))
                return -ENOMEM;
        initialized = &parser;

        text = syntax_skip_bom(text, &length);
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
        r = take_all(&b, &parser, text, length);
        if (r < 0)
                return r;
        *ret = b.root;
        return 0;
}
