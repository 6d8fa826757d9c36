/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"
#include "cli/tune-report.h"
#include "common/survey.h"
#include "config/policy.h"
#include "tests/support/stack.h"

#define MIB (UINT64_C(1) << 20)

/* What is printed, to be freed. */
struct printed {
        char *text;
        size_t size;
        FILE *stream;
};

static FILE *print_begin(struct printed *printed) {
        printed->stream = open_memstream(&printed->text, &printed->size);
        assert_non_null(printed->stream);
        return printed->stream;
}

static const char *print_end(struct printed *printed) {
        assert_int_equal(fclose(printed->stream), 0);
        return printed->text;
}

static void printed_done(struct printed *printed) {
        free(printed->text);
}

static double mbps_at(uint64_t sectors) {
        return sectors < 4096 ? 300.0 * (double)sectors / 4096 : 300 + (double)sectors / 4096;
}

/* A search that is done: 4096 sectors are chosen, the device has 256. */
static void fill(struct tune *tune, struct tune_report *report, const struct layer *layer, bool mixed) {
        static const struct tune_result result = {.step = TUNE_DONE};
        const struct tune_bounds bounds = {.page_bytes = 4096,
                        .max_sectors = 16384,
                        .now_sectors = {.known = true, .value = 256},
                        .plan_sectors = {.known = true, .value = 3072},
                        .bytes_per_run = 256 * MIB};
        size_t i;

        tune_begin(tune, &bounds);
        while (tune_next(tune, &i))
                tune_add(tune, i, mbps_at(tune->values[i].sectors), tune_run_bytes(tune, i));
        for (i = 0; mixed && i < tune->n_values; i++)
                if (tune->values[i].n_runs > 0) {
                        tune->values[i].bytes_asked = 4096;
                        tune->values[i].bytes_fetched = tune->values[i].sectors * 512;
                }
        *report = (struct tune_report){.layer = layer,
                        .tune = tune,
                        .mixed = mixed,
                        .now_sectors = bounds.now_sectors,
                        .plan_sectors = bounds.plan_sectors,
                        .result = &result,
                        .max_text = "8 MiB, the max of its rule",
                        .rule = "version: 1\n"};
        assert_true(tune_choose(tune, &report->choice));
        assert_int_equal(tune->values[report->choice.chosen].sectors, 4096);
}

static void check_lines(const char *text, unsigned columns) {
        _cleanup_(freep) char *copy = strdup(text);
        char *rest = copy;

        for (char *line; (line = strsep(&rest, "\n"));)
                assert_true(terminal_text_columns(line) <= columns);
}

static void test_chart(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build("disk sda");
        struct tune_report report;
        struct tune tune;

        for (unsigned i = 0; i < 4; i++) {
                bool mixed = i & 1, utf8 = i & 2;

                fill(&tune, &report, stack_layer(stack, "sda"), mixed);
                for (unsigned columns = 60; columns <= 200; columns += 10) {
                        _cleanup_(printed_done) struct printed printed = {};
                        const char *text;

                        assert_int_equal(tune_print_chart(print_begin(&printed), &report, columns, utf8), 0);
                        text = print_end(&printed);
                        check_lines(text, columns);
                        assert_non_null(strstr(text, utf8 ? "█" : "####"));
                        assert_true(!utf8 == !strpbrk(text, "\xe2"));
                        assert_true(!mixed == !strstr(text, "×512"));
                        assert_non_null(strstr(text, "  now\n"));
                        assert_non_null(strstr(text, "  plan\n"));
                        assert_non_null(strstr(text, "  chosen\n"));
                        assert_non_null(strstr(text, "2 MiB"));
                }
        }
}

static const char *choice_text(const struct tune_report *report, struct printed *printed) {
        tune_print_choice(print_begin(printed), report);
        return print_end(printed);
}

static void test_choice(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build("disk sda");
        _cleanup_(printed_done) struct printed plain = {}, mixed = {}, doubtful = {};
        const struct tune_result result = {.time_is_over = true, .disturbed = true};
        struct tune_report report;
        struct tune tune;
        const char *text;

        fill(&tune, &report, stack_layer(stack, "sda"), false);
        text = choice_text(&report, &plain);
        check_lines(text, 80);
        assert_string_equal(text, "Chosen: 4096 sectors (2 MiB), the smallest that is within 3 % of the fastest:\n"
                                  "301 MB/s, and 304 MB/s with 16384 sectors (8 MiB); now it has 256 sectors (128\n"
                                  "KiB): 18.8 MB/s.\n");
        fill(&tune, &report, stack_layer(stack, "sda"), true);
        text = choice_text(&report, &mixed);
        assert_non_null(strstr(text, "fetch 512 times"));
        assert_non_null(strstr(text, "now 32"));
        report.result = &result;
        report.choice.could_be_more = true;
        text = choice_text(&report, &doubtful);
        assert_non_null(strstr(text, "the largest value that was tried"));
        assert_non_null(strstr(text, "The time was over"));
        assert_non_null(strstr(text, "Others were reading"));
}

static void test_csv(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build("disk sda");
        _cleanup_(printed_done) struct printed printed = {};
        struct tune_report report;
        struct tune tune;
        const char *text;

        fill(&tune, &report, stack_layer(stack, "sda"), false);
        tune_print_csv(print_begin(&printed), &report);
        text = print_end(&printed);
        assert_true(strncmp(text, "readahead_sectors,median_mbps,mad_mbps,runs,amplification,bytes_read,chosen\n256,",
                                    80) == 0);
        assert_non_null(strstr(text, "\n4096,301.000,0.000,301.000 301.000 301.000,,"));
}

static void test_json(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build("disk sda");
        struct tune_report report;
        struct tune tune;
        json_t *json, *values;

        fill(&tune, &report, stack_layer(stack, "sda"), true);
        json = tune_json(&report);
        assert_non_null(json);
        values = json_object_get(json, "values");
        assert_int_equal(json_integer_value(json_object_get(json, "version")), 1);
        assert_int_equal(json_integer_value(json_object_get(json, "chosen_sectors")), 4096);
        assert_int_equal(json_integer_value(json_object_get(json, "best_sectors")), 16384);
        assert_int_equal(json_integer_value(json_object_get(json, "current_sectors")), 256);
        assert_int_equal(json_integer_value(json_object_get(json, "planned_sectors")), 3072);
        assert_int_equal(json_integer_value(json_object_get(json, "bytes_read")), tune.bytes_read);
        assert_string_equal(json_string_value(json_object_get(json_object_get(json, "device"), "name")), "sda");
        assert_string_equal(json_string_value(json_object_get(json, "workload")), "mixed");
        assert_string_equal(json_string_value(json_object_get(json, "rule_yaml")), "version: 1\n");
        assert_int_equal(json_integer_value(json_object_get(json_array_get(values, 0), "readahead_sectors")), 256);
        assert_true(json_real_value(json_object_get(json_array_get(values, 0), "amplification")) == 32);
        json_decref(json);

        report.now_sectors = (struct opt_int){};
        for (size_t i = 0; i < tune.n_values; i++)
                tune.values[i].bytes_asked = 0;
        json = tune_json(&report);
        values = json_object_get(json, "values");
        assert_true(json_is_null(json_object_get(json, "current_sectors")));
        assert_true(json_is_null(json_object_get(json_array_get(values, 0), "amplification")));
        json_decref(json);
}

/* Names that are hostile to YAML, XML and terminals. */
static const char *const names[] = {"plain", "it's", "a*b[c]", "<&\">", "q\\n", "\xff\x01", "x: {y}", "größe", "-",
                "1e3", "null", "true", "a: b", " a", "a ", "#a", "a,b", "!a", "&a", "%a", "sd?", "[a-z]", "sda",
                "dm-1"};

static struct stack *build_named(const char *name) {
        struct stack *stack = stack_build("disk sda\nmap dm-0 0 1000000 linear sda 0; map dm-1 0 1000 linear sda 0");
        struct layer *layer = stack_layer(stack, "dm-0");

        layer->label = name;
        layer->dm->name = name;
        layer->has_devno = true;
        layer->major = 253;
        layer->minor = 7;
        return stack;
}

/* setrad's own loader takes it, and the plan gives the layer that value. */
static void check_rule(const char *name, uint64_t sectors) {
        struct stack *stack = build_named(name);
        struct topology *topology = stack->topology;
        const struct layer *layer = stack_layer(stack, "dm-0");
        _cleanup_(policy_errors_done) struct policy_errors errors = {};
        _cleanup_(policy_freep) struct policy *policy = NULL;
        _cleanup_(survey_unrefp) struct survey *survey = NULL;
        const char *rule = tune_rule(layer, topology, sectors, stack->arena);
        const struct decision *decision;

        assert_non_null(rule);
        assert_int_equal(policy_load_text("rule", rule, strlen(rule), &policy, &errors), 0);
        stack->topology = NULL;
        assert_int_equal(survey_topology(topology, policy, &survey), 0);
        decision = &survey->plan.decisions[layer->index];
        assert_true(decision->target.sectors.known);
        assert_int_equal(decision->target.sectors.value, sectors);
        assert_true(decision_is_change(decision));
        /* And no other. */
        for (size_t i = 0; i < topology->n_layers; i++)
                if (topology->layers[i] != layer)
                        assert_null(survey->plan.decisions[i].rule);
        stack_free(stack);
}

static void test_rule(void **state) {
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                check_rule(names[i], 4096);
                check_rule(names[i], 65536); /* above max */
                check_rule(names[i], 128);
                check_rule(names[i], 0);
        }
}

/* By a parser of XML that is not ours. */
static void test_svg(void **state) {
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                struct stack *stack = build_named(names[i]);
                FILE *parser = popen("python3 -c 'import sys, xml.dom.minidom as m; d = "
                                     "m.parseString(sys.stdin.buffer.read()); "
                                     "assert len(d.getElementsByTagName(\"rect\")) > 4'",
                                "w");
                struct tune_report report;
                struct tune tune;

                assert_non_null(parser);
                fill(&tune, &report, stack_layer(stack, "dm-0"), i % 2);
                assert_int_equal(tune_print_svg(parser, &report), 0);
                assert_int_equal(pclose(parser), 0);
                stack_free(stack);
        }
}

static int set_up(void **state) {
        return setlocale(LC_CTYPE, "C.UTF-8") ? 0 : -1;
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_chart),
                        cmocka_unit_test(test_choice),
                        cmocka_unit_test(test_csv),
                        cmocka_unit_test(test_json),
                        cmocka_unit_test(test_rule),
                        cmocka_unit_test(test_svg),
        };

        return cmocka_run_group_tests(tests, set_up, NULL);
}
