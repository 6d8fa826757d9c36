/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "config/policy-error.h"
#include "config/policy-rule.h"
#include "config/policy-setting.h"

#define NAME_BYTES_MAX 128U

/* Where a key may be. */
enum scope { SCOPE_RULE = 1 << 0, SCOPE_DEFAULTS = 1 << 1 };

static int read_name(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        const char **name = target;
        const char *text;
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        if (strlen(text) > NAME_BYTES_MAX)
                return reader_error(reader, value, "name is longer than %u bytes", NAME_BYTES_MAX);
        for (const char *s = text; *s; s++)
                if ((unsigned char)*s < ' ' || *s == 0x7f)
                        return reader_error(reader, value, "name has a control character in it");
        *name = arena_strdup(reader->arena, text);
        return *name ? 0 : -ENOMEM;
}

static int read_match(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        return match_read(reader, value, field->key, target);
}

/* A rule and the defaults for rules are read into the same struct. */
static const struct reader_field rule_keys[] = {
                {"name", read_name, offsetof(struct policy_rule, name), NULL, SCOPE_RULE},
                {"match", read_match, offsetof(struct policy_rule, match), NULL, SCOPE_RULE},
                {"readahead", setting_read_readahead, offsetof(struct policy_rule, action.readahead), NULL, SCOPE_RULE},
                {"direction", setting_read_direction, offsetof(struct policy_rule, action.direction), NULL, 0},
                {"min", setting_read_min, offsetof(struct policy_rule, action.limits.min_sectors), NULL, 0},
                {"max", setting_read_max, offsetof(struct policy_rule, action.limits.max_sectors), NULL, 0},
                {"memory-share", setting_read_share, offsetof(struct policy_rule, action.limits.memory_share_ppm), NULL,
                                0},
                {"on-drift", setting_read_on_drift, offsetof(struct policy_rule, action.on_drift), NULL, 0},
                {"hold", setting_read_hold, offsetof(struct policy_rule, action.hold), NULL, 0},
                {"probe", setting_read_probe, 0, NULL, 0},
};

static const struct reader_schema rule_schema = {
                .what = "a rule", .fields = rule_keys, .n_fields = ARRAY_SIZE(rule_keys), .scope = SCOPE_RULE};

static const struct reader_schema defaults_schema = {
                .what = "defaults", .fields = rule_keys, .n_fields = ARRAY_SIZE(rule_keys), .scope = SCOPE_DEFAULTS};

static int check_limits(struct policy_reader *reader, const struct tree_node *node, const struct policy_rule *rule) {
        const struct readahead_limits *limits = &rule->action.limits;

        if (limits->min_sectors <= limits->max_sectors)
                return 0;
        return reader_error(reader, node, "min (%" PRIu64 "s) is above max (%" PRIu64 "s)", limits->min_sectors,
                        limits->max_sectors);
}

static int check_rule(struct policy_reader *reader, const struct tree_node *node, const struct policy_rule *rule,
                uint64_t seen) {
        int r = 0;

        if (!reader_has(&rule_schema, seen, "match"))
                r = policy_join(r,
                                reader_error(reader, node,
                                                "a rule without match: say for which layers, as in match: {vg: data}"));
        if (!reader_has(&rule_schema, seen, "readahead"))
                r = policy_join(r, reader_error(reader, node,
                                                   "a rule without readahead: say what the layers get, as in "
                                                   "readahead: auto"));
        return policy_join(r, check_limits(reader, node, rule));
}

/* What a file says beside its version. */
struct document {
        struct policy *policy;
        struct policy_rule defaults;
        const struct tree_node *defaults_node, *rules_node; /* read once all is seen: keys have no order */
};

static int read_rule(struct policy_reader *reader, const struct tree_node *node, void *userdata) {
        struct document *document = userdata;
        struct policy *policy = document->policy;
        struct policy_rule *rule;
        uint64_t seen = 0;
        int r;

        rule = arena_alloc(reader->arena, sizeof(*rule));
        if (!rule)
                return -ENOMEM;
        *rule = document->defaults;
        rule->file = reader->file;
        rule->line = node->line;
        rule->directory = policy->directory;

        r = reader_mapping(reader, node, &rule_schema, rule, &seen);
        if (node->type == TREE_MAPPING && (r == 0 || r == -EINVAL))
                r = policy_join(r, check_rule(reader, node, rule, seen));
        if (r < 0)
                return r;
        if (!rule->name)
                rule->name = arena_printf(reader->arena, "%s:%u", reader->file, rule->line);
        if (!rule->name)
                return -ENOMEM;

        if (policy->last)
                policy->last->next = rule;
        else
                policy->rules = rule;
        policy->last = rule;
        policy->n_rules++;
        return 0;
}

static int note_node(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        *(const struct tree_node **)target = value;
        return 0;
}

static const struct reader_field document_keys[] = {
                {.key = "version", .read = reader_version, .data = POLICY_VERSION},
                {.key = "defaults", .read = note_node, .offset = offsetof(struct document, defaults_node)},
                {.key = "rules", .read = note_node, .offset = offsetof(struct document, rules_node)},
};

static const struct reader_schema document_schema = {
                .what = "a policy", .fields = document_keys, .n_fields = ARRAY_SIZE(document_keys)};

static int read_defaults(struct policy_reader *reader, const struct tree_node *node, struct policy_rule *defaults) {
        int r;

        r = reader_mapping(reader, node, &defaults_schema, defaults, NULL);
        return r < 0 ? r : check_limits(reader, node, defaults);
}

static int read_rules(struct policy_reader *reader, const struct tree_node *node, struct document *document) {
        int r = 0;

        if (node->type != TREE_LIST)
                return reader_error(
                                reader, node, "rules must be a list (- name: …), not a %s", tree_type_name(node->type));
        for (const struct tree_item *item = node->items; item; item = item->next) {
                r = policy_join(r, read_rule(reader, item->value, document));
                if (r < 0 && r != -EINVAL)
                        return r;
        }
        return r;
}

static int check_document(struct policy_reader *reader, const struct tree_node *root, uint64_t seen) {
        int r = 0;

        if (!reader_has(&document_schema, seen, "version"))
                r = policy_join(r, reader_error(reader, root, "no version: write version: %s above the rules",
                                                   POLICY_VERSION));
        if (!reader_has(&document_schema, seen, "rules"))
                r = policy_join(r, reader_error(reader, root, "no rules: write rules: [] if that is meant"));
        return r;
}

int policy_read_rules(struct policy_reader *reader, const struct tree_node *root, struct policy *policy) {
        struct document document = {
                        .policy = policy,
                        .defaults.action.limits = READAHEAD_LIMITS_DEFAULT,
                        .defaults.action.probe = PROBE_SPEC_DEFAULT,
        };
        uint64_t seen = 0;
        int r;

        r = reader_mapping(reader, root, &document_schema, &document, &seen);
        if (root->type != TREE_MAPPING || (r < 0 && r != -EINVAL))
                return r;
        r = policy_join(r, check_document(reader, root, seen));
        if (document.defaults_node && (r == 0 || r == -EINVAL))
                r = policy_join(r, read_defaults(reader, document.defaults_node, &document.defaults));
        if (document.rules_node && (r == 0 || r == -EINVAL))
                r = policy_join(r, read_rules(reader, document.rules_node, &document));
        return r;
}
