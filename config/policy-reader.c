/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "config/policy-error.h"
#include "config/policy-reader.h"
#include "config/policy-suggest.h"
#include "config/policy-value.h"

#define LIST_BYTES 512U

int reader_error(struct policy_reader *reader, const struct tree_node *at, const char *format, ...) {
        _cleanup_(freep) char *text = NULL;
        va_list args;
        int r;

        va_start(args, format);
        r = vasprintf(&text, format, args);
        va_end(args);
        if (r < 0) {
                text = NULL;
                return -ENOMEM;
        }
        return policy_errors_add(reader->errors, reader->file, at->line, at->column, "%s", text);
}

static bool in_scope(const struct reader_schema *schema, const struct reader_field *field) {
        return field->scopes == 0 || (field->scopes & schema->scope) != 0;
}

/* The place of the field in the table; n_fields if KEY is none. */
static size_t find_field(const struct reader_schema *schema, const char *key) {
        for (size_t i = 0; i < schema->n_fields; i++)
                if (strcmp(schema->fields[i].key, key) == 0)
                        return i;
        return schema->n_fields;
}

/* "a, b, c", as far as it fits: it always does for the tables here. */
static const char *join_words(char buffer[static LIST_BYTES], const char *word) {
        size_t n = strlen(buffer);

        snprintf(buffer + n, LIST_BYTES - n, "%s%s", n > 0 ? ", " : "", word);
        return buffer;
}

/* The key that TEXT begins with, before a colon without a blank, or a blank without a colon; n_fields if none does. */
static size_t find_glued_key(const struct reader_schema *schema, const char *text) {
        size_t n = strcspn(text, ": ");

        for (size_t i = 0; text[n] && i < schema->n_fields; i++)
                if (in_scope(schema, &schema->fields[i]) && strlen(schema->fields[i].key) == n &&
                                strncmp(schema->fields[i].key, text, n) == 0)
                        return i;
        return schema->n_fields;
}

/* What to write for "vg:data" or "vg data", as far as it is known. */
static const char *describe_glued(struct policy_reader *reader, const char *text, bool braces, bool cut) {
        size_t n = strcspn(text, ": ");
        const char *value = text + n + 1;

        value += strspn(value, " ");
        return arena_printf(reader->arena, "write %s%.*s: %.64s%s%s, with a %s", braces ? "{" : "", (int)n, text, value,
                        cut ? " …" : "", braces ? "}" : "", text[n] == ':' ? "blank after the colon" : "colon");
}

/* A misspelt key counts as seen, so that its right name is not missed on top of it. */
static int unknown_key(struct policy_reader *reader, const struct tree_item *item, const struct reader_schema *schema,
                uint64_t *seen) {
        const struct tree_node *key = item->key;
        size_t glued = find_glued_key(schema, key->text);
        struct suggestion suggestion = suggestion_for(key->text);
        char known[LIST_BYTES] = "";
        const char *write;

        if (glued < schema->n_fields) {
                write = describe_glued(reader, key->text, false, item->value->type != TREE_TEXT || *item->value->text);
                *seen |= UINT64_C(1) << glued;
                return write ? reader_error(reader, key, "unknown key \"%.64s\" in %s: %s", key->text, schema->what,
                                               write)
                             : -ENOMEM;
        }
        for (size_t i = 0; i < schema->n_fields; i++) {
                if (!in_scope(schema, &schema->fields[i]))
                        continue;
                suggestion_offer(&suggestion, schema->fields[i].key);
                join_words(known, schema->fields[i].key);
        }
        if (!suggestion.best)
                return reader_error(reader, key, "unknown key \"%.64s\" in %s, which may have %s", key->text,
                                schema->what, known);
        *seen |= UINT64_C(1) << find_field(schema, suggestion.best);
        return reader_error(reader, key, "unknown key \"%.64s\" in %s: did you mean \"%s\"?", key->text, schema->what,
                        suggestion.best);
}

/* Where the field's key was seen first. */
static unsigned find_first_line(const struct tree_node *node, const char *key) {
        for (const struct tree_item *item = node->items; item; item = item->next)
                if (strcmp(item->key->text, key) == 0)
                        return item->key->line;
        return 0;
}

static int read_item(struct policy_reader *reader, const struct tree_node *node, const struct tree_item *item,
                const struct reader_schema *schema, void *object, uint64_t *seen, uint64_t *misspelt) {
        size_t i = find_field(schema, item->key->text);
        const struct reader_field *field = &schema->fields[i];

        if (i == schema->n_fields)
                return unknown_key(reader, item, schema, misspelt);
        if (!in_scope(schema, field))
                return reader_error(reader, item->key, "\"%s\" has no place in %s", field->key, schema->what);
        if (*seen & UINT64_C(1) << i)
                return reader_error(reader, item->key, "\"%s\" is given twice, first in line %u", field->key,
                                find_first_line(node, field->key));

        *seen |= UINT64_C(1) << i;
        return field->read(reader, item->value, field, (char *)object + field->offset);
}

static int no_mapping(struct policy_reader *reader, const struct tree_node *node, const struct reader_schema *schema) {
        const char *write;

        if (node->type != TREE_TEXT || find_glued_key(schema, node->text) == schema->n_fields)
                return reader_error(reader, node, "%s must be a mapping (key: value), not a %s", schema->what,
                                tree_type_name(node->type));
        /* What is called by its key may stand in the line of that. */
        write = describe_glued(reader, node->text, !strchr(schema->what, ' '), false);
        return write ? reader_error(reader, node, "%s", write) : -ENOMEM;
}

int reader_mapping(struct policy_reader *reader, const struct tree_node *node, const struct reader_schema *schema,
                void *object, uint64_t *ret_seen) {
        uint64_t seen = 0, misspelt = 0;
        int r = 0;

        if (node->type == TREE_TEXT && !*node->text)
                return reader_error(reader, node, "%s is empty", schema->what);
        if (node->type != TREE_MAPPING)
                return no_mapping(reader, node, schema);

        for (const struct tree_item *item = node->items; item; item = item->next) {
                r = policy_join(r, read_item(reader, node, item, schema, object, &seen, &misspelt));
                if (r < 0 && r != -EINVAL)
                        return r;
        }
        if (ret_seen)
                *ret_seen = seen | misspelt;
        return r;
}

bool reader_has(const struct reader_schema *schema, uint64_t seen, const char *key) {
        size_t i = find_field(schema, key);

        return i < schema->n_fields && (seen & UINT64_C(1) << i) != 0;
}

/* What YAML calls null, which is never meant as a name here. */
static bool is_null(const struct tree_node *node) {
        return node->plain && (!*node->text || strcmp(node->text, "~") == 0 || strcasecmp(node->text, "null") == 0);
}

/* Begins with a quote that word processors and web pages make of a straight one: for YAML it is a letter. */
static bool is_quoted_in_print(const struct tree_node *node) {
        static const char *const quotes[] = {"“", "”", "„", "‟", "‘", "’", "‚", "‛", "«", "»"};

        for (size_t i = 0; node->plain && i < ARRAY_SIZE(quotes); i++)
                if (strncmp(node->text, quotes[i], strlen(quotes[i])) == 0)
                        return true;
        return false;
}

int reader_text(struct policy_reader *reader, const struct tree_node *node, const char *what, const char **ret) {
        if (node->type != TREE_TEXT)
                return reader_error(
                                reader, node, "%s must be a single value, not a %s", what, tree_type_name(node->type));
        if (is_null(node))
                return reader_error(reader, node, "%s has no value", what);
        if (!*node->text)
                return reader_error(reader, node, "%s is empty", what);
        if (is_quoted_in_print(node))
                return reader_error(reader, node, "typographic quotes are part of the value: use \" or nothing");
        *ret = node->text;
        return 0;
}

int reader_word(struct policy_reader *reader, const struct tree_node *node, const char *what, const char *const *words,
                unsigned *ret) {
        struct suggestion suggestion;
        char known[LIST_BYTES] = "";
        const char *text = "";
        int r;

        r = reader_text(reader, node, what, &text);
        if (r < 0)
                return r;

        suggestion = suggestion_for(text);
        for (unsigned i = 0; words[i]; i++) {
                if (strcmp(words[i], text) == 0) {
                        *ret = i;
                        return 0;
                }
                suggestion_offer(&suggestion, words[i]);
                join_words(known, words[i]);
        }
        if (suggestion.best)
                return reader_error(reader, node, "%s cannot be \"%.64s\": did you mean \"%s\"? It may be %s", what,
                                text, suggestion.best, known);
        return reader_error(reader, node, "%s cannot be \"%.64s\": it may be %s", what, text, known);
}

int reader_bool(struct policy_reader *reader, const struct tree_node *node, const char *what, bool *ret) {
        const char *text = "", *best;
        int r;

        r = reader_text(reader, node, what, &text);
        if (r < 0 || value_parse_bool(text, ret) >= 0)
                return r;
        best = value_suggest_bool(text);
        if (best)
                return reader_error(reader, node, "%s cannot be \"%.64s\": did you mean \"%s\"?", what, text, best);
        return reader_error(reader, node, "%s cannot be \"%.64s\": it may be true or false", what, text);
}

int reader_version(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        const char *known = field->data;
        const char *text = "";
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        if (!value->plain)
                return reader_error(reader, value, "version is a number: write version: %s, without quotes", known);
        if (strcmp(text, known) != 0)
                return reader_error(
                                reader, value, "version \"%.32s\" is not known here: write version: %s", text, known);
        return 0;
}

int reader_list(struct policy_reader *reader, const struct tree_node *node, const char *what, reader_each each,
                void *userdata) {
        int r = 0;

        if (node->type != TREE_LIST)
                return each(reader, node, userdata);
        if (!node->items)
                return reader_error(reader, node, "%s is an empty list", what);

        for (const struct tree_item *item = node->items; item; item = item->next) {
                r = policy_join(r, each(reader, item->value, userdata));
                if (r < 0 && r != -EINVAL)
                        return r;
        }
        return r;
}
