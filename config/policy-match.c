/* SPDX-License-Identifier: MIT */

/* The keys of "match", how their values are read, and how they are tested. */

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "config/policy-error.h"
#include "config/policy-match-describe.h"
#include "config/policy-match-value.h"
#include "config/policy-match.h"

/* Roughly how long a test takes. */
enum cost { COST_BITS, COST_NUMBER, COST_TEXT, COST_TEXTS, COST_NESTED };

static bool test_device(const struct match_term *term, const struct match_subject *subject) {
        return match_subject_has_device(subject, &term->patterns);
}

static bool test_name(const struct match_term *term, const struct match_subject *subject) {
        return match_subject_has_label(subject, &term->patterns);
}

static bool test_vg(const struct match_term *term, const struct match_subject *subject) {
        return subject->layer->dm && pattern_list_matches(&term->patterns, subject->layer->dm->vg);
}

static bool test_lv(const struct match_term *term, const struct match_subject *subject) {
        return pattern_list_matches(&term->patterns, subject->lv);
}

static bool test_uuid(const struct match_term *term, const struct match_subject *subject) {
        return subject->layer->dm && pattern_list_matches(&term->patterns, subject->layer->dm->uuid);
}

static bool test_serial(const struct match_term *term, const struct match_subject *subject) {
        return pattern_list_matches(&term->patterns, subject->layer->serial) ||
               pattern_list_matches(&term->patterns, subject->layer->serial_long);
}

static bool test_model(const struct match_term *term, const struct match_subject *subject) {
        return pattern_list_matches(&term->patterns, subject->layer->model);
}

static bool test_transport(const struct match_term *term, const struct match_subject *subject) {
        return pattern_list_matches(&term->patterns, subject->layer->transport);
}

/* What udev has found on it, or what the kernel has mounted it as. */
static bool test_filesystem(const struct match_term *term, const struct match_subject *subject) {
        const struct layer *layer = subject->layer;

        for (size_t i = 0; i < layer->n_uses; i++)
                if (layer->uses[i].type == USE_MOUNT && pattern_list_matches(&term->patterns, layer->uses[i].fs))
                        return true;
        return pattern_list_matches(&term->patterns, layer->filesystem);
}

static bool test_mountpoint(const struct match_term *term, const struct match_subject *subject) {
        const struct layer *layer = subject->layer;

        for (size_t i = 0; i < layer->n_uses; i++)
                if (layer->uses[i].type == USE_MOUNT && pattern_list_matches(&term->patterns, layer->uses[i].path))
                        return true;
        return false;
}

static bool test_kind(const struct match_term *term, const struct match_subject *subject) {
        return (subject->kind & term->mask) != 0;
}

static bool test_over(const struct match_term *term, const struct match_subject *subject) {
        return (subject->kinds_beneath & term->mask) != 0 ||
               (term->patterns.n_items > 0 && subject->overs[term->over][subject->layer->index]);
}

static bool test_finding(const struct match_term *term, const struct match_subject *subject) {
        return (subject->findings & term->mask) != 0;
}

static bool test_rotational(const struct match_term *term, const struct match_subject *subject) {
        struct opt_int rotational = subject->layer->rotational;

        return rotational.known && (rotational.value != 0) == term->flag;
}

static bool test_top(const struct match_term *term, const struct match_subject *subject) {
        return subject->layer->top == term->flag;
}

static bool test_size(const struct match_term *term, const struct match_subject *subject) {
        struct opt_int size = subject->layer->size_sectors;

        for (size_t i = 0; size.known && i < term->n_sizes; i++)
                if (size_comparison_holds(&term->sizes[i], (uint64_t)size.value))
                        return true;
        return false;
}

static bool test_not(const struct match_term *term, const struct match_subject *subject) {
        return !match_test(&term->match, subject);
}

/* Nested, so that the depth is bounded by that of the document. */
static int read_not(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        return match_read(reader, value, "not", &term->match);
}

/* A key: how its value is read, how a layer is tested, what that costs. */
struct match_row {
        struct match_key key;
        int (*read)(struct policy_reader *reader, const struct tree_node *value, struct match_term *term);
};

static int read_term(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target);

#define KEY(name_, read_, test_, describe_, cost_, traits_)                                                            \
        {                                                                                                              \
                .key = (name_), .read = read_term, .data = &(const struct match_row) {                                 \
                        .key = {.test = (test_), .describe = (describe_), .cost = (cost_), .traits = (traits_)},       \
                        .read = (read_)                                                                                \
                }                                                                                                      \
        }

static const struct reader_field keys[] = {
                KEY("device", match_read_device, test_device, match_describe_device, COST_TEXTS,
                                MATCH_NAMES_LAYER | MATCH_HAS_PATHS),
                KEY("name", match_read_patterns, test_name, match_describe_name, COST_TEXTS, MATCH_NAMES_LAYER),
                KEY("vg", match_read_lvm_name, test_vg, match_describe_vg, COST_TEXT, 0),
                KEY("lv", match_read_lvm_name, test_lv, match_describe_lv, COST_TEXT, MATCH_NAMES_LAYER),
                KEY("kind", match_read_kinds, test_kind, match_describe_kind, COST_BITS, MATCH_IS_KIND),
                KEY("over", match_read_over, test_over, match_describe_over, COST_BITS, MATCH_HAS_PATHS),
                KEY("uuid", match_read_uuid, test_uuid, match_describe_uuid, COST_TEXT, MATCH_NAMES_LAYER),
                KEY("serial", match_read_patterns, test_serial, match_describe_serial, COST_TEXTS, 0),
                KEY("model", match_read_patterns, test_model, match_describe_model, COST_TEXT, 0),
                KEY("rotational", match_read_flag, test_rotational, match_describe_rotational, COST_NUMBER, 0),
                KEY("transport", match_read_transport, test_transport, match_describe_transport, COST_TEXT, 0),
                KEY("size", match_read_sizes, test_size, match_describe_size, COST_NUMBER, 0),
                KEY("filesystem", match_read_filesystem, test_filesystem, match_describe_filesystem, COST_TEXTS, 0),
                KEY("mountpoint", match_read_mountpoints, test_mountpoint, match_describe_mountpoint, COST_TEXTS, 0),
                KEY("top", match_read_flag, test_top, match_describe_top, COST_NUMBER, 0),
                KEY("finding", match_read_findings, test_finding, match_describe_finding, COST_BITS, 0),
                KEY("not", read_not, test_not, match_describe_not, COST_NESTED, 0),
};

static void insert_term(struct match_clause *clause, struct match_term *term) {
        struct match_term **at = &clause->terms;

        while (*at && (*at)->key->cost <= term->key->cost)
                at = &(*at)->next;
        term->next = *at;
        *at = term;
        clause->names_layer = clause->names_layer || (term->key->traits & MATCH_NAMES_LAYER);
}

static int read_term(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        const struct match_row *row = field->data;
        struct match_term *term = arena_alloc(reader->arena, sizeof(*term));
        int r;

        if (!term)
                return -ENOMEM;
        term->key = &row->key;
        term->name = field->key;
        term->text = tree_format(reader->arena, value);
        if (!term->text)
                return -ENOMEM;
        r = row->read(reader, value, term);
        if (r < 0)
                return r;
        insert_term(target, term);
        return 0;
}

struct clause_reading {
        const char *what;
        struct match *match;
};

/* Whether a text in place of the mapping means that all layers match. */
static bool means_all(const struct tree_node *node) {
        static const char *const words[] = {"all", "any", "every", "everything", "*", "true"};

        for (size_t i = 0; node->type == TREE_TEXT && i < ARRAY_SIZE(words); i++)
                if (strcasecmp(node->text, words[i]) == 0)
                        return true;
        return false;
}

static int read_clause(struct policy_reader *reader, const struct tree_node *value, void *userdata) {
        struct clause_reading *reading = userdata;
        struct reader_schema schema = {.what = reading->what, .fields = keys, .n_fields = ARRAY_SIZE(keys)};
        struct match_clause *clause = arena_alloc(reader->arena, sizeof(*clause));
        int r;

        if (!clause)
                return -ENOMEM;
        if (value->type == TREE_MAPPING && !value->items && strcmp(reading->what, "not") == 0)
                return reader_error(reader, value, "not is empty: say what must not hold, as in not: {vg: data}");
        if (value->type == TREE_MAPPING && !value->items)
                return reader_error(reader, value, "%s is empty: for all layers write {kind: \"*\"}", reading->what);
        if (means_all(value) && strcmp(reading->what, "not") != 0)
                return reader_error(reader, value, "%s must be a mapping: for all layers write {kind: \"*\"}",
                                reading->what);
        r = reader_mapping(reader, value, &schema, clause, NULL);
        if (r < 0)
                return r;

        clause->next = reading->match->clauses;
        reading->match->clauses = clause;
        return 0;
}

int match_read(struct policy_reader *reader, const struct tree_node *node, const char *what, struct match *ret) {
        struct clause_reading reading = {.what = what, .match = ret};

        ret->line = node->line;
        ret->column = node->column;
        return reader_list(reader, node, what, read_clause, &reading);
}

const struct match_term *match_clause_test(const struct match_clause *clause, const struct match_subject *subject) {
        for (const struct match_term *term = clause->terms; term; term = term->next)
                if (!term->key->test(term, subject))
                        return term;
        return NULL;
}

const struct match_clause *match_test(const struct match *match, const struct match_subject *subject) {
        const struct match_clause *found = NULL;

        for (const struct match_clause *clause = match->clauses; clause; clause = clause->next) {
                if (match_clause_test(clause, subject))
                        continue;
                if (clause->names_layer)
                        return clause;
                found = clause;
        }
        return found;
}
