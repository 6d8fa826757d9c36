/* SPDX-License-Identifier: MIT */

/* What a rule says beside its match, and the defaults of a file: readahead, its bounds, direction, drift, hold, probe. */

#include <errno.h>
#include <string.h>

#include "common/probe-compare.h"
#include "config/policy-rule.h"
#include "config/policy-setting.h"
#include "config/policy-suggest-finding.h"

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

/* The findings that a change can wait for. */
static uint64_t state_codes(void) {
        uint64_t codes = 0;

        for (enum finding_code code = 0; code < _FINDING_CODE_MAX; code++)
                if (plan_state_words(code))
                        codes |= UINT64_C(1) << code;
        return codes;
}

static int no_such_state(struct policy_reader *reader, const struct tree_node *node, const char *text) {
        const char *best = finding_suggest(text, state_codes()) ?: value_suggest_bool(text);
        const char *states = finding_list(reader->arena, state_codes());
        enum finding_code code;

        if (!states)
                return -ENOMEM;
        if (finding_code_from_name(text, &code) >= 0)
                return reader_error(reader, node, "hold can't wait for %s: it may be true, false, or some of %s", text,
                                states);
        if (best)
                return reader_error(reader, node, "hold cannot be \"%.64s\": did you mean \"%s\"?", text, best);
        return reader_error(
                        reader, node, "hold cannot be \"%.64s\": it may be true, false, or some of %s", text, states);
}

static int read_state(struct policy_reader *reader, const struct tree_node *node, void *userdata) {
        struct hold_spec *hold = userdata;
        enum finding_code code;
        const char *text;
        bool flag;
        int r;

        r = reader_text(reader, node, "hold", &text);
        if (r < 0)
                return r;
        if (value_parse_bool(text, &flag) >= 0)
                return reader_error(reader, node, "%s stands alone, as in hold: %s; a list has states to wait for",
                                text, text);
        if (finding_code_from_name(text, &code) < 0 || !plan_state_words(code))
                return no_such_state(reader, node, text);
        hold->states |= UINT64_C(1) << code;
        return 0;
}

/* True, false, or the states to wait for; whichever it is replaces what the defaults say. */
int setting_read_hold(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        struct hold_spec *hold = target;

        *hold = (struct hold_spec){0};
        if (value->type == TREE_TEXT && value_parse_bool(value->text, &hold->always) >= 0)
                return 0;
        return reader_list(reader, value, field->key, read_state, hold);
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

/* Random reads are those by faults: readahead makes no difference to the others. */
static int read_workload(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        static const char *const words[] = {"sequential", "random", NULL};
        struct policy_rule *rule = target;
        unsigned i;
        int r;

        r = reader_word(reader, value, field->key, words, &i);
        if (r < 0)
                return r;
        rule->action.probe.workload = i == 1 ? PROBE_RANDOM_MAPPED : PROBE_SEQUENTIAL;
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
        r = value_parse_keep_condition(text, &rule->action.probe.keep_if, &why);
        return r < 0 ? reader_error(reader, value, "%s", why.text) : 0;
}

int setting_read_probe(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        static const struct reader_field keys[] = {
                        {.key = "when", .read = read_when},
                        {.key = "workload", .read = read_workload},
                        {.key = "time", .read = read_time},
                        {.key = "bytes", .read = read_bytes},
                        {.key = "runs", .read = read_runs},
                        {.key = "keep-if", .read = read_keep_if},
        };
        static const struct reader_schema schema = {.what = "probe", .fields = keys, .n_fields = ARRAY_SIZE(keys)};

        return reader_mapping(reader, value, &schema, target, NULL);
}
