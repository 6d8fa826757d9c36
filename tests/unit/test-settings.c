/* SPDX-License-Identifier: MIT */

/* Files of settings, the sample, and docs/settings.md; what single keys take is in tests/settings. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <syslog.h>

#include <cmocka.h>

#include "cli/excerpt.h"
#include "config/settings-read.h"
#include "tests/support/document.h"
#include "tests/support/tree.h"

#define SAMPLE "config/setrad.yaml"

struct fixture {
        struct tree *tree;
        struct settings settings;
        struct policy_errors errors;
        char path[4096]; /* of the file "setrad.yaml" in the tree */
};

static int setup(void **state) {
        struct fixture *f = calloc(1, sizeof(*f));

        assert_non_null(f);
        f->tree = tree_new();
        snprintf(f->path, sizeof(f->path), "%s/setrad.yaml", tree_path(f->tree));
        *state = f;
        return 0;
}

static int teardown(void **state) {
        struct fixture *f = *state;

        settings_done(&f->settings);
        policy_errors_done(&f->errors);
        tree_free(f->tree);
        free(f);
        return 0;
}

static int load(struct fixture *f) {
        settings_done(&f->settings);
        policy_errors_done(&f->errors);
        return settings_load(f->path, &f->settings, &f->errors);
}

static int load_text(struct fixture *f, const char *text) {
        settings_done(&f->settings);
        policy_errors_done(&f->errors);
        return settings_load_text("s", text, strlen(text), &f->settings, &f->errors);
}

static void assert_defaults(const struct settings *settings) {
        assert_int_equal(settings->settle_msec, 200);
        assert_int_equal(settings->settle_max_msec, 1000);
        assert_int_equal(settings->reconcile_msec, 300000);
        assert_int_equal(settings->worker_deadline_msec, 10000);
        assert_int_equal(settings->workers, 16);
        assert_int_equal(settings->on_stop, STOP_KEEP);
        assert_int_equal(settings->probe_budget_msec, 180000);
        assert_int_equal(settings->probe_budget_bytes, UINT64_C(16) * 1024 * 1024 * 1024);
        assert_int_equal(settings->drift_limit, 6);
        assert_int_equal(settings->reassert_limit, 3);
        assert_int_equal(settings->log_level, LOG_INFO);
        assert_null(settings->metrics_file);
}

/* No member has its default, and there is a metrics file. */
static void make_strange(struct settings *settings) {
        *settings = (struct settings){
                        .settle_msec = 7,
                        .settle_max_msec = 7,
                        .reconcile_msec = 7,
                        .worker_deadline_msec = 7,
                        .workers = 7,
                        .on_stop = STOP_REVERT,
                        .probe_budget_msec = 7,
                        .probe_budget_bytes = 7,
                        .drift_limit = 7,
                        .reassert_limit = 7,
                        .log_level = LOG_DEBUG,
                        .metrics_file = strdup("/7.prom"),
        };
}

static void test_init_defaults(void **state) {
        struct settings settings;

        settings_init_defaults(&settings);
        assert_defaults(&settings);
}

static void test_no_file(void **state) {
        struct fixture *f = *state;

        assert_int_equal(load(f), 0);
        assert_defaults(&f->settings);
        assert_int_equal(f->errors.n_files, 0);

        assert_int_equal(settings_load_file(f->path, &f->settings, &f->errors), -ENOENT);
        assert_int_equal(f->errors.n_items, 1);
        assert_string_equal(f->errors.items[0].text, "cannot read it: No such file, or a link that leads nowhere");
        assert_string_equal(f->errors.items[0].file, f->path);
}

static void test_nothing_in_it(void **state) {
        static const char *const texts[] = {"", "# to come\n", "---\n", "{}\n", "\xef\xbb\xbf"};
        struct fixture *f = *state;

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
                tree_write(f->tree, "setrad.yaml", texts[i]);
                assert_int_equal(load(f), 0);
                assert_defaults(&f->settings);
                assert_int_equal(f->errors.n_files, 1);
                tree_remove(f->tree, "setrad.yaml");
        }
        tree_link(f->tree, "setrad.yaml", "/dev/null");
        assert_int_equal(load(f), 0);
        assert_defaults(&f->settings);
        assert_int_equal(f->errors.n_files, 0);
}

static void test_file(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "setrad.yaml", "version: 1\nworkers: 3\nmetrics-file: /a.prom\n");
        assert_int_equal(load(f), 0);
        assert_int_equal(f->settings.workers, 3);
        assert_string_equal(f->settings.metrics_file, "/a.prom");
        assert_int_equal(f->errors.n_files, 1);
        assert_string_equal(f->errors.files[0], f->path);
}

static void test_links(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "elsewhere", "version: 1\nworkers: 3\n");
        tree_link(f->tree, "setrad.yaml", "elsewhere");
        assert_int_equal(load(f), 0);
        assert_int_equal(f->settings.workers, 3);

        tree_remove(f->tree, "elsewhere");
        assert_int_equal(load(f), -ENOENT);
        assert_int_equal(f->errors.n_items, 1);
        assert_int_equal(f->errors.items[0].line, 0);
}

static void test_no_regular_file(void **state) {
        struct fixture *f = *state;

        tree_directory(f->tree, "setrad.yaml");
        assert_int_equal(load(f), -EISDIR);
        assert_string_equal(f->errors.items[0].text, "cannot read it: Is a directory");

        snprintf(f->path, sizeof(f->path), "%s/fifo", tree_path(f->tree));
        tree_fifo(f->tree, "fifo");
        assert_int_equal(load(f), -EBADF);
        assert_string_equal(f->errors.items[0].text, "cannot read it: Not a regular file");
}

/* The service goes on with what it has. */
static void test_errors_change_nothing(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "setrad.yaml", "version: 1\nmetrics-file: /b.prom\nworkers: 3\nsettle: 1\nlog-level: x\n");
        make_strange(&f->settings);
        assert_int_equal(settings_load(f->path, &f->settings, &f->errors), -EINVAL);
        assert_int_equal(f->settings.workers, 7);
        assert_string_equal(f->settings.metrics_file, "/7.prom");
        assert_int_equal(f->errors.n_items, 2);
        assert_int_equal(f->errors.items[0].line, 4);
        assert_int_equal(f->errors.items[0].column, 9);
        assert_string_equal(f->errors.items[0].line_text, "settle: 1");
        assert_int_equal(f->errors.items[1].line, 5);
}

static void test_large_file(void **state) {
        struct fixture *f = *state;
        _cleanup_(freep) char *text = malloc(TREE_BYTES_MAX + 2);

        assert_non_null(text);
        memset(text, '#', TREE_BYTES_MAX + 1);
        text[TREE_BYTES_MAX + 1] = '\0';
        tree_write(f->tree, "setrad.yaml", text);
        assert_int_equal(load(f), -EINVAL);
        assert_string_equal(f->errors.items[0].text, "larger than 1 MiB, which no such file is");
        text[TREE_BYTES_MAX] = '\0';
        tree_write(f->tree, "setrad.yaml", text);
        assert_int_equal(load(f), 0);
}

static void test_off(void **state) {
        struct fixture *f = *state;

        assert_int_equal(load_text(f, "version: 1\nreconcile: off\nprobe-budget: off\n"), 0);
        assert_int_equal(f->settings.reconcile_msec, 0);
        assert_int_equal(f->settings.probe_budget_msec, 0);
        assert_int_equal(f->settings.probe_budget_bytes, 0);
}

static void test_log_levels(void **state) {
        static const int levels[] = {LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO, LOG_DEBUG};
        struct fixture *f = *state;

        for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
                char text[64];

                snprintf(text, sizeof(text), "version: 1\nlog-level: %s\n", settings_log_level_name(levels[i]));
                assert_int_equal(load_text(f, text), 0);
                assert_int_equal(f->settings.log_level, levels[i]);
        }
        assert_string_equal(settings_log_level_name(LOG_NOTICE), "notice");
}

static void test_recognize_by_name(void **state) {
        assert_true(settings_recognize("setrad.yaml"));
        assert_true(settings_recognize("/nowhere/setrad.yaml"));
        assert_true(settings_recognize("/nowhere/xpolicy.d/setrad.yaml"));
        assert_false(settings_recognize("/nowhere/policy.d/setrad.yaml"));
        assert_false(settings_recognize("policy.d//setrad.yaml"));
        assert_false(settings_recognize("/nowhere/my-setrad.yaml"));
        assert_false(settings_recognize("/nowhere/setrad.yaml/"));
        assert_false(settings_recognize(""));
}

static void test_recognize_by_keys(void **state) {
        static const struct {
                const char *text;
                bool is_settings;
        } cases[] = {
                        {"version: 1\nworkers: 3\n", true},
                        {"workers: none\nnonsense: 1\n", true},
                        {"version: 1\n", false},
                        {"version: 1\nrules: []\n", false},
                        {"version: 1\nworkers: 3\nrules: []\n", false},
                        {"workers: 3\ndefaults: {}\n", false},
                        {"workers: [\n", false},
                        {"- workers: 3\n", false},
                        {"workers\n", false},
                        {"", false},
        };
        struct fixture *f = *state;

        snprintf(f->path, sizeof(f->path), "%s/a.yaml", tree_path(f->tree));
        assert_false(settings_recognize(f->path));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                tree_write(f->tree, "a.yaml", cases[i].text);
                if (settings_recognize(f->path) != cases[i].is_settings)
                        fail_msg("%s", cases[i].text);
        }
}

/* Takes the # off lines with a key: "# text" stays a comment. */
static void uncomment(char *text) {
        char *to = text;

        for (const char *s = text; *s; s++)
                if (*s != '#' || (s > text && s[-1] != '\n') || s[1] == ' ' || s[1] == '\n')
                        *to++ = *s;
        *to = '\0';
}

static void test_sample_as_it_is(void **state) {
        struct fixture *f = *state;
        _cleanup_(freep) char *sample = document_read(SAMPLE);

        assert_int_equal(load_text(f, sample), 0);
        assert_defaults(&f->settings);
}

/* Read over other values, so that each key shows to be there, with the default. */
static void test_sample_uncommented(void **state) {
        struct fixture *f = *state;
        _cleanup_(freep) char *sample = document_read(SAMPLE);
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct policy_reader reader = {.file = SAMPLE, .errors = &f->errors, .arena = arena};
        const struct tree_node *root = NULL;

        uncomment(sample);
        assert_int_equal(tree_parse(arena, SAMPLE, sample, strlen(sample), &f->errors, &root), 0);
        assert_non_null(root);
        make_strange(&f->settings);
        assert_int_equal(settings_read(&reader, root, &f->settings), 0);
        assert_defaults(&f->settings);
        assert_int_equal(load_text(f, sample), 0);
}

/* The value of KEY in the sample. */
static char *sample_value(const char *sample, const char *key) {
        char begin[64];
        const char *at;

        snprintf(begin, sizeof(begin), "\n#%s: ", key);
        at = strstr(sample, begin);
        if (!at)
                fail_msg("%s has no %s", SAMPLE, key);
        at += strlen(begin);
        return strndup(at, strcspn(at, "\n"));
}

/* Each key has its row, with the default of the sample. */
static void test_documented_defaults(void **state) {
        _cleanup_(freep) char *document = document_read("docs/settings.md");
        _cleanup_(freep) char *sample = document_read(SAMPLE);
        size_t i = 0;

        for (const char *key; (key = settings_key(i)); i++) {
                _cleanup_(freep) char *value = sample_value(sample, key);
                _cleanup_(freep) char *row = NULL;
                char begin[64], cell[128];
                const char *at;

                snprintf(begin, sizeof(begin), "\n| `%s` | ", key);
                at = strstr(document, begin);
                if (!at)
                        fail_msg("docs/settings.md has no row for %s", key);
                row = strndup(at + 1, strcspn(at + 1, "\n"));
                snprintf(cell, sizeof(cell), strcmp(key, "version") == 0 ? "always `%s` |" : " | `%s` | ", value);
                if (!strstr(row, cell))
                        fail_msg("%s: its row in docs/settings.md does not have the default %s", key, value);
        }
        assert_int_equal(i, 12);
}

static void test_documented_examples(void **state) {
        struct fixture *f = *state;
        _cleanup_(freep) char *document = document_read("docs/settings.md");
        const char *at = document;
        size_t n = 0;

        for (;; n++) {
                _cleanup_(freep) char *example = document_next_block(&at, "```yaml\n");

                if (!example)
                        break;
                if (load_text(f, example) < 0)
                        fail_msg("%s: %s", example, f->errors.items[0].text);
        }
        assert_true(n >= 1);
}

static void test_documented_errors(void **state) {
        struct fixture *f = *state;
        _cleanup_(freep) char *document = document_read("docs/settings.md");
        const char *at = document;
        _cleanup_(freep) char *example = document_next_block(&at, "```yaml wrong\n");
        _cleanup_(freep) char *expected = document_next_block(&at, "```text\n");
        char lines[4096] = "";

        assert_non_null(example);
        assert_non_null(expected);
        assert_int_equal(
                        settings_load_text("setrad.yaml", example, strlen(example), &f->settings, &f->errors), -EINVAL);
        for (size_t i = 0; i < f->errors.n_items; i++) {
                _cleanup_(freep) char *shown = excerpt_format(&f->errors.items[i]);
                size_t length = strlen(lines);

                snprintf(lines + length, sizeof(lines) - length, "%s", shown);
        }
        assert_string_equal(lines, expected);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
        const struct CMUnitTest tests[] = {
                        TEST(test_init_defaults),
                        TEST(test_no_file),
                        TEST(test_nothing_in_it),
                        TEST(test_file),
                        TEST(test_links),
                        TEST(test_no_regular_file),
                        TEST(test_errors_change_nothing),
                        TEST(test_large_file),
                        TEST(test_off),
                        TEST(test_log_levels),
                        TEST(test_recognize_by_name),
                        TEST(test_recognize_by_keys),
                        TEST(test_sample_as_it_is),
                        TEST(test_sample_uncommented),
                        TEST(test_documented_defaults),
                        TEST(test_documented_examples),
                        TEST(test_documented_errors),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
