/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/metrics.h"
#include "tests/support/rule.h"
#include "tests/support/stack.h"
#include "tests/support/tree.h"

struct fixture {
        struct stack *stack;
        struct tally *tally;
        struct metrics *metrics;
};

static void fixture_done(struct fixture *f) {
        stack_freep(&f->stack);
        metrics_freep(&f->metrics);
        tally_freep(&f->tally);
}

static void fixture_init(struct fixture *f) {
        struct rule_action rule = rule_from_text("auto");

        f->stack = stack_build("disk a b c d; md md0 raid5 256K a b c d; set md0 ra=3072; map dm-0 0 9 linear md0 0; "
                               "map dm-1 0 9 linear md0 0; set dm-0 ra=256; set dm-1 ra=256 suspended");
        const struct survey survey = {.topology = f->stack->topology, .plan = stack_plan(f->stack, &rule, false)};

        f->metrics = metrics_new();
        f->tally = tally_new();
        assert_non_null(f->metrics);
        assert_non_null(f->tally);
        assert_int_equal(tally_take(f->tally, &survey, true), 0);
}

static char *print(const struct fixture *f) {
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);

        assert_int_equal(metrics_print(stream, f->metrics, tally_sums(f->tally)), 0);
        fclose(stream);
        return text;
}

static void assert_line(const char *text, const char *line) {
        size_t n = strlen(line);

        for (const char *p = text; p; p = strchr(p, '\n')) {
                p += *p == '\n';
                if (strncmp(p, line, n) == 0 && p[n] == '\n')
                        return;
        }
        fail_msg("no line '%s' in:\n%s", line, text);
}

static void count_change(struct fixture *f, const char *label, double before, double after, bool put_back) {
        const struct layer layer = {.label = label};
        const struct decision decision = {.layer = &layer};
        struct apply_result result = {.changed = !put_back, .put_back = put_back};

        result.probe.verdict = after > 0 ? PROBE_FASTER : PROBE_NONE;
        result.probe.series[PROBE_BEFORE].median_mbps = before;
        result.probe.series[PROBE_AFTER].median_mbps = after;
        metrics_count_change(f->metrics, &decision, &result);
}

static void test_print(void **state) {
        _cleanup_(fixture_done) struct fixture f = {};
        _cleanup_(freep) char *text = NULL;

        fixture_init(&f);
        metrics_count_scan(f.metrics, 5000000);
        metrics_count_scan(f.metrics, 1500);
        count_change(&f, "vg/a \"b\"\\c\nd", 10, 20.5, false);
        count_change(&f,
                        "\xff"
                        "ä\xc3",
                        1, 7, false);
        count_change(&f, "unmeasured", 0, 0, false);
        count_change(&f, "slower", 30, 20, true);
        text = print(&f);
        assert_line(text, "setrad_layers{kind=\"disk\"} 4");
        assert_line(text, "setrad_layers{kind=\"md-raid5\"} 1");
        assert_line(text, "setrad_layers{kind=\"dm-linear\"} 2");
        assert_line(text, "# TYPE setrad_layers gauge");
        assert_line(text, "setrad_mismatches 2");
        assert_line(text, "setrad_held 1");
        assert_line(text, "setrad_changes_total 4");
        assert_line(text, "setrad_probe_bytes_per_second{label=\"\\\\xffä\\\\xc3\",when=\"after\"} 7000000");
        assert_line(text, "setrad_reverts_total 1");
        assert_line(text, "setrad_scans_total 2");
        assert_line(text, "setrad_scan_duration_seconds 0.001500");
        assert_line(text, "setrad_probe_bytes_per_second{label=\"vg/a \\\"b\\\"\\\\c\\\\x0ad\",when=\"before\"} "
                          "10000000");
        assert_line(text,
                        "setrad_probe_bytes_per_second{label=\"vg/a \\\"b\\\"\\\\c\\\\x0ad\",when=\"after\"} 20500000");
        assert_line(text, "setrad_probe_bytes_per_second{label=\"slower\",when=\"after\"} 20000000");
        assert_null(strstr(text, "unmeasured"));
        assert_null(strstr(text, "zram"));
}

/* Each metric has its HELP and TYPE once, and a label its last probe only. */
static void test_once(void **state) {
        _cleanup_(fixture_done) struct fixture f = {};
        _cleanup_(freep) char *text = NULL;
        char *found;

        fixture_init(&f);
        count_change(&f, "x", 1, 2, false);
        count_change(&f, "y", 5, 6, false);
        count_change(&f, "x", 3, 4, false);
        text = print(&f);
        assert_line(text, "setrad_probe_bytes_per_second{label=\"x\",when=\"after\"} 4000000");
        assert_line(text, "setrad_probe_bytes_per_second{label=\"y\",when=\"after\"} 6000000");
        assert_null(strstr(text, "2000000"));
        found = strstr(text, "# TYPE setrad_probe_bytes_per_second");
        assert_non_null(found);
        assert_null(strstr(found + 1, "# TYPE setrad_probe_bytes_per_second"));
}

/* Names that differ only in what can't be shown are not one, and none of it gets into the file. */
static void test_hostile_labels(void **state) {
        static const char *const labels[] = {"a\xff", "a\xfe", "a\xed\xa0\x80", "a\xe0\x80\xaf", "a\xf4\x90\x80\x80",
                        "a\x1b[31m", "a\xc2\x9b", "a\xe2\x80\xae", "a\xe2\x80\x8b", "a\r", "a"};
        static const char *const printed[] = {"a\\\\xff", "a\\\\xfe", "a\\\\xed\\\\xa0\\\\x80",
                        "a\\\\xe0\\\\x80\\\\xaf", "a\\\\xf4\\\\x90\\\\x80\\\\x80", "a\\\\x1b[31m", "a\\\\xc2\\\\x9b",
                        "a\\\\xe2\\\\x80\\\\xae", "a\\\\xe2\\\\x80\\\\x8b", "a\\\\x0d", "a"};
        _cleanup_(fixture_done) struct fixture f = {};
        _cleanup_(freep) char *text = NULL;

        fixture_init(&f);
        for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
                count_change(&f, labels[i], 1, (double)i + 1, false);
        text = print(&f);
        for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
                char line[256];

                snprintf(line, sizeof(line), "setrad_probe_bytes_per_second{label=\"%s\",when=\"after\"} %zu000000",
                                printed[i], i + 1);
                assert_line(text, line);
        }
}

static void test_many_probes(void **state) {
        _cleanup_(fixture_done) struct fixture f = {};
        _cleanup_(freep) char *text = NULL;
        unsigned n = 0;

        fixture_init(&f);
        for (unsigned i = 0; i < 1500; i++) {
                char label[16];

                snprintf(label, sizeof(label), "lv%u", i);
                count_change(&f, label, 1, 2, false);
        }
        text = print(&f);
        for (const char *p = text; (p = strstr(p, "when=\"after\"")); p++)
                n++;
        assert_int_equal(n, 1000);
        assert_non_null(strstr(text, "\"lv1499\""));
        assert_null(strstr(text, "\"lv0\""));
}

static void test_write(void **state) {
        _cleanup_(fixture_done) struct fixture f = {};
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        _cleanup_(freep) char *path = NULL, *temporary = NULL, *nowhere = NULL, *victim = NULL;
        struct stat st;

        fixture_init(&f);
        assert_true(asprintf(&path, "%s/setrad.prom", tree_path(tree)) > 0);
        assert_true(asprintf(&temporary, "%s.new", path) > 0);
        assert_true(asprintf(&nowhere, "%s/none/setrad.prom", tree_path(tree)) > 0);
        assert_int_equal(metrics_write(f.metrics, tally_sums(f.tally), NULL), 0);
        assert_int_equal(metrics_write(f.metrics, tally_sums(f.tally), nowhere), -ENOENT);

        umask(0077);
        /* What others have put there is neither followed nor written to. */
        assert_true(asprintf(&victim, "%s/victim", tree_path(tree)) > 0);
        tree_write(tree, "victim", "mine\n");
        assert_int_equal(symlink(victim, temporary), 0);
        assert_int_equal(metrics_write(f.metrics, tally_sums(f.tally), path), 0);
        assert_int_equal(stat(victim, &st), 0);
        assert_int_equal(st.st_size, 5);
        assert_int_equal(mkfifo(temporary, 0600), 0);
        assert_int_equal(metrics_write(f.metrics, tally_sums(f.tally), path), 0);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0644);
        assert_true(st.st_size > 100);
        assert_int_equal(stat(temporary, &st), -1);

        /* What can't be replaced is left as it is, and nothing stays behind. */
        assert_int_equal(remove(path), 0);
        assert_int_equal(mkdir(path, 0755), 0);
        assert_int_equal(metrics_write(f.metrics, tally_sums(f.tally), path), -EISDIR);
        assert_int_equal(stat(temporary, &st), -1);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_print),
                        cmocka_unit_test(test_once),
                        cmocka_unit_test(test_hostile_labels),
                        cmocka_unit_test(test_many_probes),
                        cmocka_unit_test(test_write),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
