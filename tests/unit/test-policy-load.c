/* SPDX-License-Identifier: MIT */

/* Files and directories; the installed policy and the examples in docs/policy.md, found from the top of the source. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/excerpt.h"
#include "config/policy-rule.h"
#include "tests/support/document.h"
#include "tests/support/tree.h"

#define ONE(name) "version: 1\nrules:\n  - {name: " name ", match: {name: " name "}, readahead: auto}\n"

struct fixture {
        struct tree *tree;
        char *vendor, *local;
        struct policy *policy;
        struct policy_errors errors;
};

static int setup(void **state) {
        struct fixture *f = calloc(1, sizeof(*f));

        assert_non_null(f);
        f->tree = tree_new();
        assert_true(asprintf(&f->vendor, "%s/lib", tree_path(f->tree)) > 0);
        assert_true(asprintf(&f->local, "%s/etc", tree_path(f->tree)) > 0);
        *state = f;
        return 0;
}

static int teardown(void **state) {
        struct fixture *f = *state;

        policy_free(f->policy);
        policy_errors_done(&f->errors);
        tree_free(f->tree);
        free(f->vendor);
        free(f->local);
        free(f);
        return 0;
}

static int load(struct fixture *f) {
        const char *const directories[] = {f->vendor, f->local, NULL};

        policy_free(f->policy);
        f->policy = NULL;
        policy_errors_done(&f->errors);
        return policy_load_directories(directories, &f->policy, &f->errors);
}

/* The names of the rules in their order. */
static void assert_rules(struct fixture *f, const char *expected) {
        char names[256] = "";

        assert_int_equal(load(f), 0);
        assert_int_equal(f->errors.n_items, 0);
        for (const struct policy_rule *rule = f->policy->rules; rule; rule = rule->next) {
                size_t n = strlen(names);

                snprintf(names + n, sizeof(names) - n, "%s%s", n > 0 ? " " : "", rule->name);
        }
        assert_string_equal(names, expected);
}

/* The error with number I is of the file PATH below the tree. */
static void assert_error(struct fixture *f, size_t i, const char *path, unsigned line, const char *text) {
        char expected[4096];

        assert_true(i < f->errors.n_items);
        snprintf(expected, sizeof(expected), "%s/%s", tree_path(f->tree), path);
        assert_string_equal(f->errors.items[i].file, expected);
        assert_int_equal(f->errors.items[i].line, line);
        assert_string_equal(f->errors.items[i].text, text);
}

static void test_order(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "lib/50-setrad.yaml", ONE("b"));
        tree_write(f->tree, "lib/90-last.yaml", ONE("d"));
        assert_rules(f, "b d");

        tree_write(f->tree, "etc/10-local.yaml", ONE("a"));
        tree_write(f->tree, "etc/60-more.yaml", ONE("c"));
        assert_rules(f, "a b c d");
        assert_int_equal(policy_count_files(f->policy), 4);

        tree_write(f->tree, "etc/50-setrad.yaml", ONE("mine"));
        assert_rules(f, "a mine c d");
}

static void test_masks(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "lib/10-a.yaml", ONE("a"));
        tree_write(f->tree, "lib/20-b.yaml", ONE("b"));
        tree_write(f->tree, "lib/30-c.yaml", "broken: [");
        tree_link(f->tree, "etc/20-b.yaml", "/dev/null");
        tree_link(f->tree, "etc/30-c.yaml", "/dev/null");
        assert_rules(f, "a");
        assert_int_equal(policy_count_files(f->policy), 1);

        tree_link(f->tree, "etc/10-a.yaml", "/dev/null");
        assert_rules(f, "");
        assert_int_equal(policy_count_files(f->policy), 0);
}

/* More likely an editor's or a disk's mishap than a wish. */
static void test_empty_file(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "lib/10-a.yaml", ONE("a"));
        tree_write(f->tree, "etc/10-a.yaml", "");
        assert_int_equal(load(f), -EINVAL);
        assert_error(f, 0, "etc/10-a.yaml", 0,
                        "empty: a policy begins with version: 1 and rules: (a link to /dev/null switches a file off)");
}

/* Defaults hold for the rules of their own file. */
static void test_defaults(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "lib/10-a.yaml", "version: 1\ndefaults: {direction: both}\nrules: []\n");
        tree_write(f->tree, "lib/20-b.yaml", ONE("b"));
        assert_rules(f, "b");
        assert_int_equal(f->policy->rules->action.direction, DIRECTION_RAISE);
}

static void test_ignored_names(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "lib/10-a.yaml", ONE("a"));
        tree_write(f->tree, "lib/README", "hello");
        tree_write(f->tree, "lib/20-b.yaml~", "broken: [");
        tree_write(f->tree, "lib/20-b.yml", "broken: [");
        tree_write(f->tree, "lib/.yaml", "broken: [");
        tree_write(f->tree, "lib/.20-b.yaml", "broken: [");
        assert_rules(f, "a");
}

static void test_links(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "elsewhere/a", ONE("a"));
        tree_link(f->tree, "etc/10-a.yaml", "../elsewhere/a");
        assert_rules(f, "a");
}

static void test_no_files(void **state) {
        struct fixture *f = *state;

        assert_int_equal(load(f), -ENOENT);
        assert_null(f->policy);
        assert_int_equal(f->errors.n_items, 1);
        assert_error(f, 0, "etc", 0, "no policy file: there is no NAME.yaml here, nor in the directories before");

        tree_directory(f->tree, "etc");
        assert_int_equal(load(f), -ENOENT);
}

static void test_errors(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "lib/10-a.yaml", ONE("a"));
        tree_write(f->tree, "lib/20-b.yaml", "version: 1\nrules: 5\n");
        tree_write(f->tree, "etc/15-c.yaml", "version: 2\nrulez: []\n");
        tree_write(f->tree, "etc/25-d.yaml", "# nothing\n");
        tree_write_bytes(f->tree, "etc/30-e.yaml", "version: 1\0\n", 12);
        tree_directory(f->tree, "etc/40-f.yaml");
        tree_link(f->tree, "etc/50-g.yaml", "nowhere");
        tree_link(f->tree, "etc/60-h.yaml", "/dev/zero");
        tree_link(f->tree, "etc/70-i.yaml", "70-i.yaml");
        assert_int_equal(load(f), -EINVAL);
        assert_null(f->policy);
        assert_int_equal(f->errors.n_items, 9);
        assert_error(f, 0, "etc/15-c.yaml", 1, "version \"2\" is not known here: write version: 1");
        assert_error(f, 1, "etc/15-c.yaml", 2, "unknown key \"rulez\" in a policy: did you mean \"rules\"?");
        assert_error(f, 2, "lib/20-b.yaml", 2, "rules must be a list (- name: …), not a text");
        assert_error(f, 3, "etc/25-d.yaml", 0, "no policy in this file: it begins with version: 1 and rules:");
        assert_error(f, 4, "etc/30-e.yaml", 1, "a control character (0x00): such a file is text in UTF-8");
        assert_error(f, 5, "etc/40-f.yaml", 0, "cannot read it: Is a directory");
        assert_error(f, 6, "etc/50-g.yaml", 0, "cannot read it: No such file, or a link that leads nowhere");
        assert_error(f, 7, "etc/60-h.yaml", 0, "cannot read it: Not a regular file");
        assert_error(f, 8, "etc/70-i.yaml", 0, "cannot read it: Too many levels of symbolic links");
}

/* Without a writer, opening it for reading would wait. */
static void test_fifo(void **state) {
        struct fixture *f = *state;

        tree_fifo(f->tree, "etc/10-a.yaml");
        assert_true(load(f) < 0);
        assert_error(f, 0, "etc/10-a.yaml", 0, "cannot read it: Not a regular file");
}

static void test_too_many_files(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "lib/a.yaml", ONE("a"));
        tree_link(f->tree, "etc/README", "/dev/null"); /* does not count */
        for (unsigned i = 1; i < 1000; i++) {
                char path[32];

                snprintf(path, sizeof(path), "etc/%u.yaml", i);
                tree_link(f->tree, path, "/dev/null");
        }
        assert_int_equal(load(f), 0);
        tree_link(f->tree, "etc/1000.yaml", "/dev/null");
        assert_int_equal(load(f), -EINVAL);
        assert_null(f->policy);
        assert_int_equal(f->errors.n_items, 1);
        assert_error(f, 0, "etc", 0, "more than 1000 policy files here and in the directories before");
}

static void test_bad_directory(void **state) {
        struct fixture *f = *state;

        tree_write(f->tree, "lib/10-a.yaml", ONE("a"));
        tree_write(f->tree, "etc", "a file");
        assert_int_equal(load(f), -ENOTDIR);
        assert_error(f, 0, "etc", 0, "cannot read it: Not a directory");
}

static void test_file(void **state) {
        struct fixture *f = *state;
        char path[4096];

        snprintf(path, sizeof(path), "%s/a", tree_path(f->tree));
        assert_int_equal(policy_load_file(path, &f->policy, &f->errors), -ENOENT);
        assert_error(f, 0, "a", 0, "cannot read it: No such file, or a link that leads nowhere");

        tree_write(f->tree, "a", "");
        assert_int_equal(policy_load_file(path, &f->policy, &f->errors), -EINVAL);
        assert_error(f, 1, "a", 0,
                        "empty: a policy begins with version: 1 and rules: (a link to /dev/null switches a file off)");

        assert_int_equal(policy_load_file("/dev/null", &f->policy, &f->errors), -EINVAL);
        assert_null(f->policy);

        tree_write(f->tree, "a", ONE("a"));
        assert_int_equal(policy_load_file(path, &f->policy, &f->errors), 0);
        assert_int_equal(policy_count_rules(f->policy), 1);
}

static void test_large_file(void **state) {
        struct fixture *f = *state;
        _cleanup_(freep) char *text = malloc(TREE_BYTES_MAX + 2);
        char path[4096];

        assert_non_null(text);
        memset(text, '#', TREE_BYTES_MAX + 1);
        text[TREE_BYTES_MAX + 1] = '\0';
        tree_write(f->tree, "a", text);
        snprintf(path, sizeof(path), "%s/a", tree_path(f->tree));
        assert_int_equal(policy_load_file(path, &f->policy, &f->errors), -EINVAL);
        assert_error(f, 0, "a", 0, "larger than 1 MiB, which no such file is");
}

static void test_installed(void **state) {
        static const char *const directories[] = {"config/policy.d", NULL};
        struct fixture *f = *state;
        const struct policy_rule *rule;

        assert_int_equal(policy_load_directories(directories, &f->policy, &f->errors), 0);
        assert_int_equal(policy_count_rules(f->policy), 2);

        rule = f->policy->rules;
        assert_int_equal(rule->action.readahead.mode, READAHEAD_AUTO);
        assert_int_equal(rule->action.direction, DIRECTION_LOWER);
        assert_true(rule->action.probe.on_change);
        rule = rule->next;
        assert_int_equal(rule->action.readahead.mode, READAHEAD_AUTO);
        assert_int_equal(rule->action.direction, DIRECTION_RAISE);
        assert_int_equal(rule->action.probe.time_msec, 5000);
}

static void test_documented_examples(void **state) {
        _cleanup_(freep) char *text = document_read("docs/policy.md");
        const char *at = text;
        size_t n = 0;

        for (;; n++) {
                _cleanup_(freep) char *example = document_next_block(&at, "```yaml\n");
                _cleanup_(policy_freep) struct policy *policy = NULL;
                struct policy_errors errors = {0};

                if (!example)
                        break;
                if (policy_load_text("docs", example, strlen(example), &policy, &errors) < 0)
                        fail_msg("%s: %s", example, errors.items[0].text);
                assert_true(policy_count_rules(policy) > 0);
        }
        assert_true(n >= 6);
}

static void test_documented_errors(void **state) {
        _cleanup_(freep) char *text = document_read("docs/policy.md");
        const char *at = text;
        size_t n = 0;

        for (;; n++) {
                _cleanup_(freep) char *example = document_next_block(&at, "```yaml wrong\n");
                _cleanup_(freep) char *expected = example ? document_next_block(&at, "```text\n") : NULL;
                struct policy *policy = NULL;
                struct policy_errors errors = {0};
                char lines[4096] = "";

                if (!example)
                        break;
                assert_int_equal(
                                policy_load_text("10-local.yaml", example, strlen(example), &policy, &errors), -EINVAL);
                for (size_t i = 0; i < errors.n_items; i++) {
                        _cleanup_(freep) char *shown = excerpt_format(&errors.items[i]);
                        size_t length = strlen(lines);

                        snprintf(lines + length, sizeof(lines) - length, "%s", shown);
                }
                policy_errors_done(&errors);
                assert_string_equal(lines, expected);
        }
        assert_true(n >= 3);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test_setup_teardown(test_order, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_masks, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_empty_file, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_defaults, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_ignored_names, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_links, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_no_files, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_fifo, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_too_many_files, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_bad_directory, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_file, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_large_file, setup, teardown),
                        cmocka_unit_test_setup_teardown(test_installed, setup, teardown),
                        cmocka_unit_test(test_documented_examples),
                        cmocka_unit_test(test_documented_errors),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
