/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "config/policy-error.h"
#include "config/policy-match-check.h"
#include "config/policy-match-value.h"
#include "config/policy-suggest-finding.h"
#include "config/policy-suggest.h"

/* The value of a key while its items are read. */
struct reading {
        struct match_term *term;
        match_check *check; /* may be NULL */
};

static size_t count_items(const struct tree_node *node) {
        size_t n = 0;

        if (node->type != TREE_LIST)
                return 1;
        for (const struct tree_item *item = node->items; item; item = item->next)
                n++;
        return n;
}

/* "md-raid5" for {md: raid5} */
static const char *join_item(struct arena *arena, const struct tree_item *item) {
        if (!item || item->next || item->value->type != TREE_TEXT)
                return "";
        return arena_printf(arena, "%.32s-%.32s", item->key->text, item->value->text);
}

/* One value, as all keys have them that may have a list. */
static int read_value(struct policy_reader *reader, const struct tree_node *node, const char *what, const char **ret) {
        const char *joined;

        if (node->type != TREE_MAPPING)
                return reader_text(reader, node, what, ret);
        joined = join_item(reader->arena, node->items);
        if (!joined)
                return -ENOMEM;
        if (kind_from_name(joined) != KIND_UNKNOWN)
                return reader_error(reader, node,
                                "%s must be a single value or a list, not a mapping: did you mean \"%s\"?", what,
                                joined);
        return reader_error(reader, node, "%s must be a single value or a list, not a mapping", what);
}

static int add_pattern(struct policy_reader *reader, const struct tree_node *node, const char *text,
                struct pattern_list *patterns) {
        struct value_why why;
        char *copy;

        copy = arena_strdup(reader->arena, text);
        if (!copy)
                return -ENOMEM;
        if (pattern_compile(copy, &patterns->items[patterns->n_items], &why) < 0)
                return reader_error(reader, node, "%s", why.text);
        patterns->n_items++;
        return 0;
}

static int read_pattern(struct policy_reader *reader, const struct tree_node *node, void *userdata) {
        struct reading *reading = userdata;
        const char *text = "";
        int r;

        r = read_value(reader, node, reading->term->name, &text);
        if (r < 0)
                return r;
        r = reading->check ? reading->check(reader, node, text) : 0;
        if (r < 0)
                return r;
        return add_pattern(reader, node, text, &reading->term->patterns);
}

static int make_pattern_room(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        term->patterns.items = arena_alloc_array(reader->arena, count_items(value), sizeof(*term->patterns.items));
        return term->patterns.items ? 0 : -ENOMEM;
}

static int read_checked(struct policy_reader *reader, const struct tree_node *value, struct match_term *term,
                match_check *check) {
        struct reading reading = {.term = term, .check = check};
        int r;

        r = make_pattern_room(reader, value, term);
        if (r < 0)
                return r;
        return reader_list(reader, value, term->name, read_pattern, &reading);
}

int match_read_patterns(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        return read_checked(reader, value, term, NULL);
}

int match_read_device(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        return read_checked(reader, value, term, match_check_device);
}

int match_read_lvm_name(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        return read_checked(reader, value, term, match_check_lvm_name);
}

int match_read_uuid(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        return read_checked(reader, value, term, match_check_uuid);
}

int match_read_transport(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        return read_checked(reader, value, term, match_check_transport);
}

int match_read_filesystem(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        return read_checked(reader, value, term, match_check_filesystem);
}

int match_read_mountpoints(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        return read_checked(reader, value, term, match_check_mountpoint);
}

static uint64_t kinds_of_pattern(const char *text) {
        uint64_t mask = 0;

        for (enum layer_kind kind = KIND_UNKNOWN + 1; kind < _KIND_MAX; kind++)
                if (kind_matches(kind, text))
                        mask |= UINT64_C(1) << kind;
        return mask;
}

/* "raid5" for "md-raid5" */
static bool is_kind_of_family(enum layer_kind kind, const char *text) {
        const char *name = kind_name(kind);

        return (kind_is_md(kind) || kind_is_dm(kind)) && strcmp(name + strlen("md-"), text) == 0;
}

/* The kind that TEXT, which is none, stands for most likely; NULL: none is near. */
static const char *suggest_kind(const char *text) {
        struct suggestion suggestion = suggestion_for(text);

        for (enum layer_kind kind = KIND_UNKNOWN + 1; kind < _KIND_MAX; kind++)
                if (is_kind_of_family(kind, text))
                        return kind_name(kind);
        for (enum layer_kind kind = KIND_UNKNOWN + 1; kind < _KIND_MAX; kind++)
                suggestion_offer(&suggestion, kind_name(kind));
        return suggestion.best;
}

static int no_such_kind(struct policy_reader *reader, const struct tree_node *node, const char *text) {
        const char *best = suggest_kind(text);

        if (best)
                return reader_error(reader, node, "no kind of layer \"%.64s\": did you mean \"%s\"?", text, best);
        return reader_error(reader, node,
                        "no kind of layer \"%.64s\": kinds are as md-raid5, dm-crypt, loop, disk; md and dm take in "
                        "all of theirs",
                        text);
}

static int read_kind(struct policy_reader *reader, const struct tree_node *node, void *userdata) {
        struct reading *reading = userdata;
        const char *text = "";
        uint64_t mask;
        int r;

        r = read_value(reader, node, reading->term->name, &text);
        if (r < 0)
                return r;
        mask = kinds_of_pattern(text);
        if (mask == 0)
                return no_such_kind(reader, node, text);
        reading->term->mask |= mask;
        return 0;
}

int match_read_kinds(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        struct reading reading = {.term = term};

        return reader_list(reader, value, term->name, read_kind, &reading);
}

/* Whether a word that is no kind was meant to be one: "raid5", "md-raid55", "lopp"; not "md0", "dm-3", "vg/lv". */
static bool looks_like_kind(const char *text) {
        size_t length = strlen(text);

        if (strpbrk(text, "/:*?[\\"))
                return false;
        for (enum layer_kind kind = KIND_UNKNOWN + 1; kind < _KIND_MAX; kind++)
                if (is_kind_of_family(kind, text))
                        return true;
        if (strncmp(text, "md-", 3) == 0 || strncmp(text, "dm-", 3) == 0)
                return !isdigit((unsigned char)text[3]);
        return !isdigit((unsigned char)text[length - 1]) && suggest_kind(text);
}

/* A kind of layers, or the name of one. */
static int read_over(struct policy_reader *reader, const struct tree_node *node, void *userdata) {
        struct reading *reading = userdata;
        const char *text = "";
        uint64_t mask;
        int r;

        r = read_value(reader, node, reading->term->name, &text);
        if (r < 0)
                return r;
        mask = kinds_of_pattern(text);
        reading->term->mask |= mask;
        if (mask != 0)
                return 0;
        if (looks_like_kind(text))
                return no_such_kind(reader, node, text);
        r = match_check_device(reader, node, text);
        if (r < 0)
                return r;
        return add_pattern(reader, node, text, &reading->term->patterns);
}

/* Has the term worked out for all layers before any is matched. */
static int index_over(struct match_index *index, struct arena *arena, struct match_term *term) {
        struct match_over *over = arena_alloc(arena, sizeof(*over));

        if (!over)
                return -ENOMEM;
        term->over = index->n_overs++;
        over->term = term;
        over->next = index->overs;
        index->overs = over;
        return 0;
}

int match_read_over(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        struct reading reading = {.term = term};
        int r;

        r = make_pattern_room(reader, value, term);
        if (r < 0)
                return r;
        r = reader_list(reader, value, term->name, read_over, &reading);
        if (r < 0 || term->patterns.n_items == 0)
                return r;
        return index_over(reader->index, reader->arena, term);
}

static int read_finding(struct policy_reader *reader, const struct tree_node *node, void *userdata) {
        struct reading *reading = userdata;
        const char *text = "", *best, *family;
        enum finding_code code;
        int r;

        r = read_value(reader, node, reading->term->name, &text);
        if (r < 0)
                return r;
        if (finding_code_from_name(text, &code) >= 0) {
                if (finding_is_measured(code))
                        return reader_error(reader, node,
                                        "a rule cannot match %s: only measuring finds it (setractl probe --below)",
                                        text);
                reading->term->mask |= UINT64_C(1) << code;
                return 0;
        }

        best = finding_suggest(text, MATCH_FINDINGS_ALL);
        if (best)
                return reader_error(reader, node, "no finding \"%.64s\": did you mean \"%s\"?", text, best);
        family = finding_list(reader->arena, finding_family(text, MATCH_FINDINGS_ALL));
        if (!family)
                return -ENOMEM;
        if (*family)
                return reader_error(reader, node, "no finding \"%.64s\": there are %s", text, family);
        return reader_error(reader, node, "no finding \"%.64s\": codes are as geometry-stale or readahead-implausible",
                        text);
}

int match_read_findings(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        struct reading reading = {.term = term};

        return reader_list(reader, value, term->name, read_finding, &reading);
}

static int read_size(struct policy_reader *reader, const struct tree_node *node, void *userdata) {
        struct reading *reading = userdata;
        struct match_term *term = reading->term;
        struct value_why why;
        const char *text = "";
        int r;

        r = read_value(reader, node, term->name, &text);
        if (r < 0)
                return r;
        if (value_parse_size(text, &term->sizes[term->n_sizes], &why) < 0)
                return reader_error(reader, node, "%s", why.text);
        term->n_sizes++;
        return 0;
}

int match_read_sizes(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        struct reading reading = {.term = term};

        term->sizes = arena_alloc_array(reader->arena, count_items(value), sizeof(*term->sizes));
        if (!term->sizes)
                return -ENOMEM;
        return reader_list(reader, value, term->name, read_size, &reading);
}

int match_read_flag(struct policy_reader *reader, const struct tree_node *value, struct match_term *term) {
        return reader_bool(reader, value, term->name, &term->flag);
}
