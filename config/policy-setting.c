/* SPDX-License-Identifier: MIT */

/* What a rule says beside its match, and the defaults of a file: readahead, its bounds, direction, drift, probe. */

#include <errno.h>

#include "common/probe.h"
#include "config/policy-rule.h"
#include "config/policy-setting.h"

#define PROBE_MSEC_MIN  100U
#define PROBE_MSEC_MAX  600000U
#define PROBE_BYTES_MAX (UINT64_C(1) << 40)

int setting_read_readahead(struct policy_reader *reader, const struct tree_node *value,
                const struct reader_field *field, void *target) {
        struct value_why why;
        const char *text;
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        r = value_parse_readahead(text, target, &why);
        return r < 0 ? reader_error(reader, value, "%s", why.text) : 0;
}

int setting_read_min(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        struct value_why why;
        const char *text;
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        r = value_parse_sectors(text, target, &why);
        return r < 0 ? reader_error(reader, value, "%s", why.text) : 0;
}

int setting_read_max(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        const uint64_t *sectors = target;
        int r;

        r = setting_read_min(reader, value, field, target);
        if (r < 0)
                return r;
        if (*sectors == 0)
                return reader_error(reader, value, "max is 0: for no readahead at all write readahead: off");
        return 0;
}

int setting_read_share(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        struct value_why why;
        const char *text;
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        r = value_parse_share(text, target, &why);
        return r < 0 ? reader_error(reader, value, "%s", why.text) : 0;
}

int setting_read_direction(struct policy_reader *reader, const struct tree_node *value,
                const struct reader_field *field, void *target) {
        static const char *const words[] = {
                        [DIRECTION_RAISE] = "raise",
                        [DIRECTION_LOWER] = "lower",
                        [DIRECTION_BOTH] = "both",
                        [DIRECTION_REPORT] = "report",
                        NULL,
        };
        unsigned i;
        int r;

        r = reader_word(reader, value, field->key, words, &i);
        if (r < 0)
                return r;
        *(enum direction *)target = i;
        return 0;
}

int setting_read_on_drift(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        static const char *const words[] = {[DRIFT_RESPECT] = "respect", [DRIFT_REASSERT] = "reassert", NULL};
        unsigned i;
        int r;

        r = reader_word(reader, value, field->key, words, &i);
        if (r < 0)
                return r;
        *(enum on_drift *)target = i;
        return 0;
}

static int read_when(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        static const char *const words[] = {"never", "change", NULL};
        struct policy_rule *rule = target;
        unsigned i;
        int r;

        r = reader_word(reader, value, field->key, words, &i);
        if (r < 0)
                return r;
        rule->action.probe.on_change = i == 1;
        return 0;
}

static int read_time(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        struct policy_rule *rule = target;
        struct value_why why;
        const char *text;
        uint64_t msec;
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        if (value_parse_duration(text, &msec, &why) < 0)
                return reader_error(reader, value, "%s", why.text);
        if (msec < PROBE_MSEC_MIN || msec > PROBE_MSEC_MAX)
                return reader_error(reader, value, "time is not between 100ms and 10min");
        rule->action.probe.time_msec = msec;
        return 0;
}

static int read_bytes(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        struct policy_rule *rule = target;
        struct value_why why;
        const char *text;
        uint64_t bytes;
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        if (value_parse_bytes(text, &bytes, &why) < 0)
                return reader_error(reader, value, "%s", why.text);
        if (bytes < PROBE_BLOCK_BYTES || bytes > PROBE_BYTES_MAX)
                return reader_error(reader, value, "bytes is not between 128KiB and 1TiB");
        rule->action.probe.bytes = bytes;
        return 0;
}

static int read_runs(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        struct policy_rule *rule = target;
        struct value_why why;
        const char *text;
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        r = value_parse_count(text, 1, PROBE_RUNS_MAX, &rule->action.probe.runs, &why);
        return r < 0 ? reader_error(reader, value, "%s", why.text) : 0;
}

static int read_keep_if(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        struct policy_rule *rule = target;
        struct value_why why;
        const char *text;
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        r = value_parse_keep_condition(text, &rule->keep_if, &why);
        return r < 0 ? reader_error(reader, value, "%s", why.text) : 0;
}

int setting_read_probe(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        static const struct reader_field keys[] = {
                        {.key = "when", .read = read_when},
                        {.key = "time", .read = read_time},
                        {.key = "bytes", .read = read_bytes},
                        {.key = "runs", .read = read_runs},
                        {.key = "keep-if", .read = read_keep_if},
        };
        static const struct reader_schema schema = {.what = "probe", .fields = keys, .n_fields = ARRAY_SIZE(keys)};

        return reader_mapping(reader, value, &schema, target, NULL);
}
