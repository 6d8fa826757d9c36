/* SPDX-License-Identifier: MIT */

/* What the keys of the settings may hold. */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <syslog.h>

#include "config/policy-error.h"
#include "config/policy-value.h"
#include "config/settings-read.h"

#define DURATION_BUFFER  32U
#define METRICS_SUFFIX   ".prom"
#define BUDGET_BYTES_MIN (UINT64_C(1) << 20)
#define BUDGET_BYTES_MAX (UINT64_C(1) << 50)

/* Switches off what it is the value of; kept as 0. */
static const char word_off[] = "off";

struct duration_range {
        uint64_t least_msec, most_msec;
        bool may_be_off;
};

struct count_range {
        unsigned least, most;
};

/* What the file is read into. */
struct reading {
        struct settings settings;
        const struct tree_node *settle, *settle_max; /* where they are given, and right by themselves */
};

static const char *const on_stop_names[] = {[STOP_KEEP] = "keep", [STOP_REVERT] = "revert", NULL};

static const char *const log_level_names[] = {"err", "warning", "notice", "info", "debug", NULL};

const char *on_stop_name(enum on_stop on_stop) {
        return on_stop_names[on_stop];
}

const char *settings_log_level_name(int log_level) {
        return log_level_names[log_level - LOG_ERR];
}

/* In the largest unit that says it in a whole number: as the file would have it. */
static const char *format_duration(char buffer[static DURATION_BUFFER], uint64_t msec) {
        static const struct {
                uint64_t factor;
                const char *name;
        } units[] = {{3600000, "h"}, {60000, "min"}, {1000, "s"}, {1, "ms"}};
        size_t i = 0;

        while (msec % units[i].factor != 0)
                i++;
        snprintf(buffer, DURATION_BUFFER, "%" PRIu64 "%s", msec / units[i].factor, units[i].name);
        return buffer;
}

static int read_duration(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        const struct duration_range *range = field->data;
        char least[DURATION_BUFFER], most[DURATION_BUFFER];
        struct value_why why;
        const char *text;
        uint64_t msec = 0;
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        if (range->may_be_off && strcmp(text, word_off) == 0) {
                *(uint64_t *)target = 0;
                return 0;
        }
        if (value_parse_duration(text, &msec, &why) < 0)
                return reader_error(reader, value, "%s%s", why.text,
                                range->may_be_off && !isdigit((unsigned char)*text) ? "; off for never" : "");
        if (msec < range->least_msec || msec > range->most_msec)
                return reader_error(reader, value, "%s is not between %s and %s%s", field->key,
                                format_duration(least, range->least_msec), format_duration(most, range->most_msec),
                                range->may_be_off ? "; off for never" : "");
        *(uint64_t *)target = msec;
        return 0;
}

static int read_settle(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        struct reading *reading = target;
        int r;

        r = read_duration(reader, value, field, &reading->settings.settle_msec);
        if (r == 0)
                reading->settle = value;
        return r;
}

static int read_settle_max(struct policy_reader *reader, const struct tree_node *value,
                const struct reader_field *field, void *target) {
        struct reading *reading = target;
        int r;

        r = read_duration(reader, value, field, &reading->settings.settle_max_msec);
        if (r == 0)
                reading->settle_max = value;
        return r;
}

static int read_count(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        const struct count_range *range = field->data;
        struct value_why why;
        const char *text;
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        r = value_parse_count(text, range->least, range->most, target, &why);
        return r < 0 ? reader_error(reader, value, "%s: %s", field->key, why.text) : 0;
}

static int read_on_stop(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        unsigned i;
        int r;

        r = reader_word(reader, value, field->key, on_stop_names, &i);
        if (r < 0)
                return r;
        *(enum on_stop *)target = i;
        return 0;
}

static int read_log_level(struct policy_reader *reader, const struct tree_node *value, const struct reader_field *field,
                void *target) {
        unsigned i;
        int r;

        r = reader_word(reader, value, field->key, log_level_names, &i);
        if (r < 0)
                return r;
        *(int *)target = LOG_ERR + (int)i;
        return 0;
}

static int read_budget_bytes(struct policy_reader *reader, const struct tree_node *value,
                const struct reader_field *field, void *target) {
        struct value_why why;
        const char *text;
        uint64_t bytes = 0;
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        if (value_parse_bytes(text, &bytes, &why) < 0)
                return reader_error(reader, value, "%s", why.text);
        if (bytes < BUDGET_BYTES_MIN || bytes > BUDGET_BYTES_MAX)
                return reader_error(reader, value, "bytes is not between 1MiB and 1PiB");
        *(uint64_t *)target = bytes;
        return 0;
}

static int read_probe_budget(struct policy_reader *reader, const struct tree_node *value,
                const struct reader_field *field, void *target) {
        static const struct duration_range time = {.least_msec = 1000, .most_msec = 3600000};
        static const struct reader_field budget_keys[] = {
                        {"time", read_duration, offsetof(struct reading, settings.probe_budget_msec), &time, 0},
                        {"bytes", read_budget_bytes, offsetof(struct reading, settings.probe_budget_bytes), NULL, 0},
        };
        static const struct reader_schema budget_schema = {
                        .what = "probe-budget", .fields = budget_keys, .n_fields = ARRAY_SIZE(budget_keys)};
        struct reading *reading = target;
        const char *text;
        int r;

        if (value->type != TREE_TEXT)
                return reader_mapping(reader, value, &budget_schema, target, NULL);
        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        if (strcmp(text, word_off) != 0)
                return reader_error(reader, value,
                                "%s cannot be \"%.64s\": write what an hour may have, as in "
                                "{time: 3min, bytes: 16GiB}, or off for no bound",
                                field->key, text);
        reading->settings.probe_budget_msec = reading->settings.probe_budget_bytes = 0;
        return 0;
}

/* What is wrong with a path; NULL: nothing. */
static const char *find_path_fault(const char *path) {
        const char *name = strrchr(path, '/');
        size_t n = strlen(path), n_suffix = strlen(METRICS_SUFFIX);

        for (const char *s = path; *s; s++)
                if ((unsigned char)*s < ' ' || *s == 0x7f)
                        return "has a control character in it";
        if (*path != '/')
                return "is no absolute path: write it with all directories, as in /run/setrad/setrad.prom";
        if (n >= PATH_MAX)
                return "is longer than a path may be";
        if (n < n_suffix || strcmp(path + n - n_suffix, METRICS_SUFFIX) != 0)
                return "does not end in .prom, and nothing else is collected: write it as in /run/setrad/setrad.prom";
        if (strcmp(name + 1, METRICS_SUFFIX) == 0)
                return "has no name before .prom: write it as in /run/setrad/setrad.prom";
        return NULL;
}

static int read_metrics_file(struct policy_reader *reader, const struct tree_node *value,
                const struct reader_field *field, void *target) {
        _cleanup_(freep) char *path = NULL;
        char **member = target;
        const char *text, *fault;
        int r;

        r = reader_text(reader, value, field->key, &text);
        if (r < 0)
                return r;
        if (strcmp(text, word_off) != 0) {
                fault = find_path_fault(text);
                if (fault)
                        return reader_error(reader, value, "%s \"%.64s\" %s", field->key, text, fault);
                path = strdup(text);
                if (!path)
                        return -ENOMEM;
        }
        free(*member);
        *member = TAKE_PTR(path);
        return 0;
}

/* What a policy has and the settings don't. */
enum scope { SCOPE_SETTINGS = 1 << 0, SCOPE_POLICY = 1 << 1 };

static const struct duration_range settle_range = {.least_msec = 10, .most_msec = 60000};
static const struct duration_range settle_max_range = {.least_msec = 10, .most_msec = 600000};
static const struct duration_range reconcile_range = {.least_msec = 10000, .most_msec = 86400000, .may_be_off = true};
static const struct duration_range deadline_range = {.least_msec = 1000, .most_msec = 600000};
static const struct count_range workers_range = {.least = 1, .most = 64};
static const struct count_range drift_range = {.least = 1, .most = 60};
static const struct count_range reassert_range = {.least = 1, .most = 20};

#define MEMBER(name) offsetof(struct reading, settings.name)

static const struct reader_field keys[] = {
                {"version", reader_version, 0, SETTINGS_VERSION, 0},
                {"settle", read_settle, 0, &settle_range, 0},
                {"settle-max", read_settle_max, 0, &settle_max_range, 0},
                {"reconcile", read_duration, MEMBER(reconcile_msec), &reconcile_range, 0},
                {"workers", read_count, MEMBER(workers), &workers_range, 0},
                {"worker-deadline", read_duration, MEMBER(worker_deadline_msec), &deadline_range, 0},
                {"on-stop", read_on_stop, MEMBER(on_stop), NULL, 0},
                {"probe-budget", read_probe_budget, 0, NULL, 0},
                {"drift-limit", read_count, MEMBER(drift_limit), &drift_range, 0},
                {"reassert-limit", read_count, MEMBER(reassert_limit), &reassert_range, 0},
                {"log-level", read_log_level, MEMBER(log_level), NULL, 0},
                {"metrics-file", read_metrics_file, MEMBER(metrics_file), NULL, 0},
                {"defaults", NULL, 0, NULL, SCOPE_POLICY},
                {"rules", NULL, 0, NULL, SCOPE_POLICY},
};

static const struct reader_schema schema = {
                .what = "the settings file",
                .fields = keys,
                .n_fields = ARRAY_SIZE(keys),
                .scope = SCOPE_SETTINGS,
};

/* Where one of the two is given and wrong by itself, nothing can be said of both. */
static int check_settle(struct policy_reader *reader, const struct reading *reading, uint64_t seen) {
        bool has_settle = reader_has(&schema, seen, "settle"), has_max = reader_has(&schema, seen, "settle-max");
        const struct tree_node *at = reading->settle_max ?: reading->settle;
        char settle[DURATION_BUFFER], settle_max[DURATION_BUFFER];

        if (!at || has_settle != !!reading->settle || has_max != !!reading->settle_max ||
                        reading->settings.settle_max_msec >= reading->settings.settle_msec)
                return 0;
        return reader_error(reader, at, "settle-max (%s%s) is below settle (%s%s): write settle-max: %s or more",
                        format_duration(settle_max, reading->settings.settle_max_msec),
                        has_max ? "" : " where it is not given", format_duration(settle, reading->settings.settle_msec),
                        has_settle ? "" : " where it is not given", settle);
}

int settings_read(struct policy_reader *reader, const struct tree_node *root, struct settings *settings) {
        struct reading reading = {.settings = *settings};
        uint64_t seen = 0;
        int r;

        r = reader_mapping(reader, root, &schema, &reading, &seen);
        *settings = reading.settings;
        if (root->type != TREE_MAPPING || (r < 0 && r != -EINVAL))
                return r;
        if (root->items && !reader_has(&schema, seen, "version"))
                r = policy_join(r, reader_error(reader, root, "no version: write version: %s above all else",
                                                   SETTINGS_VERSION));
        return policy_join(r, check_settle(reader, &reading, seen));
}

const char *settings_key(size_t i) {
        return i < schema.n_fields && keys[i].scopes == 0 ? keys[i].key : NULL;
}

/* "version" is in both. */
bool settings_has_keys(const struct tree_node *root) {
        bool found = false;

        if (root->type != TREE_MAPPING)
                return false;
        for (const struct tree_item *item = root->items; item; item = item->next)
                for (size_t i = 1; i < schema.n_fields; i++) {
                        if (strcmp(item->key->text, keys[i].key) != 0)
                                continue;
                        if (keys[i].scopes != 0)
                                return false;
                        found = true;
                }
        return found;
}
