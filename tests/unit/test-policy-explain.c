/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/policy.h"
#include "tests/support/append.h"
#include "tests/support/stack.h"

static const char machine[] = "disk sda sdb sdc sdd\n"
                              "md md0 raid5 64K sda sdb sdc\n"
                              "map dm-0 0 1000 linear md0 0\n"
                              "lv dm-0 vg0/data\n"
                              "map dm-1 0 1000 linear md0 0\n"
                              "lv dm-1 vg0/home\n"
                              "map dm-2 0 900 linear dm-1 0\n"
                              "mount dm-0 /srv xfs\n"
                              "mount dm-0 /export xfs\n"
                              "set dm-0 ra=256\n"
                              "set sdd ra=0\n";

static struct policy *load(const char *rules) {
        _cleanup_(policy_errors_done) struct policy_errors errors = {};
        _cleanup_(freep) char *text = NULL;
        struct policy *policy = NULL;

        assert_true(asprintf(&text, "version: 1\nrules:\n%s", rules) > 0);
        if (policy_load_text("p", text, strlen(text), &policy, &errors) < 0)
                fail_msg("%s: %s", rules, errors.items[0].text);
        return policy;
}

static const struct policy_trace *explain(const struct stack *stack, const struct policy *policy, const char *name) {
        struct policy_trace *trace;

        assert_int_equal(policy_explain(policy, stack->topology, &stack->findings, stack_layer(stack, name),
                                         stack->arena, &trace),
                        0);
        return trace;
}

/* "KEY: VALUE / WANTED" of each miss, with "; " between; "matched" where the rule has won. */
static const char *describe(const struct stack *stack, const struct policy_step *step) {
        const char *text = step->matched ? "matched" : "";

        for (size_t i = 0; i < step->n_misses; i++) {
                const struct policy_miss *miss = &step->misses[i];

                text = arena_printf(stack->arena, "%s%s%s: %s / %s", text, *text ? "; " : "", miss->key,
                                miss->value ?: "-", miss->wanted);
        }
        return text;
}

/* What the first rule that is looked at comes to. */
static const struct {
        const char *name, *match, *expected;
} cases[] = {
                {"dm-0", "kind: dm", "matched"},
                {"dm-0", "kind: [md, loop]", "kind: dm-linear / [md, loop]"},
                {"dm-0", "over: [md-raid6, loop]", "over: disk, md-raid5 / [md-raid6, loop]"},
                {"sda", "over: md", "over: - / md"},
                {"dm-2", "over: vg1/data", "over: vg0/home, md0, sda, sdb, sdc / vg1/data"},
                {"dm-0", "vg: vg1", "vg: vg0 / vg1"},
                {"sda", "vg: vg0", "vg: - / vg0"},
                {"dm-0", "vg: vg0, lv: [home, 'ho*']", "lv: data / [home, ho*]"},
                {"dm-0", "name: md0", "name: dm-0, vg0/data, vg0-data / md0"},
                {"sda", "device: sdb", "device: sda, 8:0, /dev/sda / sdb"},
                {"sda", "uuid: x*", "uuid: - / x*"},
                {"sda", "serial: S", "serial: - / S"},
                {"sdb", "serial: S", "serial: 1A, Disk_1A / S"},
                {"sdc", "serial: S", "serial: 1B / S"},
                {"sdd", "serial: S", "serial: Disk_1C / S"},
                {"sda", "model: S", "model: - / S"},
                {"sda", "transport: usb", "transport: - / usb"},
                {"sda", "rotational: true", "rotational: - / true"},
                {"sda", "size: '> 2TiB'", "size: 1 TiB / > 2TiB"},
                {"dm-0", "filesystem: [ext4]", "filesystem: xfs / [ext4]"},
                {"dm-0", "mountpoint: /", "mountpoint: /srv, /export / /"},
                {"dm-1", "top: true", "top: false / true"},
                {"sdd", "finding: suspended", "finding: readahead-off / suspended"},
                {"sda", "finding: suspended", "finding: - / suspended"},
                {"dm-0", "not: {vg: vg0, lv: 'd*'}", "not: - / {vg: vg0, lv: d*}"},
                {"dm-0", "not: {vg: vg1}", "matched"},
                /* Cheap keys are tested first, whatever their order. */
                {"dm-0", "name: md0, kind: md", "kind: dm-linear / md"},
                {"dm-0", "kind: md, name: md0", "kind: dm-linear / md"},
};

/* One has both of udev's, which differ; one has the same twice; one has only the long one. */
static void set_serials(struct stack *stack) {
        struct layer *sdb = stack_layer(stack, "sdb"), *sdc = stack_layer(stack, "sdc");

        sdb->serial = "1A";
        sdb->serial_long = "Disk_1A";
        sdc->serial = sdc->serial_long = "1B";
        stack_layer(stack, "sdd")->serial_long = "Disk_1C";
}

static void test_keys(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(machine);

        set_serials(stack);

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(freep) char *rule = NULL;
                _cleanup_(policy_freep) struct policy *policy = NULL;
                const struct policy_trace *trace;

                assert_true(asprintf(&rule, "  - {match: {%s}, readahead: auto}\n", cases[i].match) > 0);
                policy = load(rule);
                trace = explain(stack, policy, cases[i].name);
                assert_int_equal(trace->n_steps, 1);
                if (strcmp(describe(stack, &trace->steps[0]), cases[i].expected) != 0)
                        fail_msg("%s: \"%s\", not \"%s\"", cases[i].match, describe(stack, &trace->steps[0]),
                                        cases[i].expected);
        }
}

static void test_order(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(machine);
        _cleanup_(policy_freep) struct policy *policy =
                        load("  - {name: a, match: [{kind: md}, {lv: x}, {vg: y}], readahead: auto}\n"
                             "  - {name: b, match: [{kind: dm}, {lv: data}], readahead: 32s}\n"
                             "  - {name: c, match: {kind: loop}, readahead: auto}\n"
                             "  - {name: d, match: {kind: rom}, readahead: auto}\n");
        const struct policy_trace *trace = explain(stack, policy, "dm-0");

        assert_int_equal(trace->n_steps, 2);
        assert_int_equal(trace->n_not_reached, 2);
        assert_string_equal(trace->steps[0].rule, "a");
        assert_string_equal(trace->steps[0].file, "p");
        assert_int_equal(trace->steps[0].line, 3);
        assert_string_equal(describe(stack, &trace->steps[0]), "kind: dm-linear / md; lv: data / x; vg: vg0 / y");
        assert_ptr_equal(policy_trace_winner(trace), &trace->steps[1]);
        assert_true(trace->steps[1].names_layer);
        assert_int_equal(trace->steps[1].line, 4);

        trace = explain(stack, policy, "dm-1");
        assert_string_equal(policy_trace_winner(trace)->rule, "b");
        assert_false(policy_trace_winner(trace)->names_layer);

        trace = explain(stack, policy, "sda");
        assert_int_equal(trace->n_steps, 4);
        assert_int_equal(trace->n_not_reached, 0);
        assert_null(policy_trace_winner(trace));
}

/* The trace comes to what policy_match() says, for each layer. */
static void test_same_verdict(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(machine);
        _cleanup_(policy_freep) struct policy *policy =
                        load("  - {name: a, match: {over: vg0/home}, readahead: auto}\n"
                             "  - {name: b, match: [{kind: disk, not: {name: sda}}, {name: dm-0}], readahead: keep}\n"
                             "  - {name: c, match: {finding: readahead-below-array}, readahead: auto}\n"
                             "  - {name: d, match: {over: disk}, readahead: auto}\n");
        struct verdict *verdicts;

        assert_int_equal(policy_match(policy, stack->topology, &stack->findings, stack->arena, &verdicts), 0);
        for (size_t i = 0; i < stack->topology->n_layers; i++) {
                const struct policy_step *winner =
                                policy_trace_winner(explain(stack, policy, stack->topology->layers[i]->name));

                assert_ptr_equal(winner ? winner->rule : NULL, verdicts[i].rule);
                assert_int_equal(winner && winner->names_layer, verdicts[i].names_layer);
        }
}

static void test_empty(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(machine);
        _cleanup_(policy_freep) struct policy *policy = NULL;
        _cleanup_(policy_errors_done) struct policy_errors errors = {};
        const struct policy_trace *trace;

        assert_int_equal(policy_load_text("p", "version: 1\nrules: []\n", 21, &policy, &errors), 0);
        trace = explain(stack, policy, "dm-0");
        assert_int_equal(trace->n_steps, 0);
        assert_int_equal(trace->n_not_reached, 0);
        assert_null(policy_trace_winner(trace));
}

/* What a rule wants is cut, between characters; many mount points are not all listed. */
static void test_long(void **state) {
        char rule[4096] = "  - {match: {serial: [";
        char mounts[2048] = "disk sda\n";
        _cleanup_(stack_freep) struct stack *stack = NULL;
        _cleanup_(policy_freep) struct policy *policy = NULL;
        const struct policy_miss *miss;

        for (size_t i = 0; i < 120; i++)
                append(rule, sizeof(rule), i % 2 ? "\"ä€\", " : "'x', ");
        append(rule, sizeof(rule), "z]}, readahead: auto}\n  - {match: {mountpoint: /none}, readahead: auto}\n");
        for (size_t i = 0; i < 40; i++) {
                size_t n = strlen(mounts);

                snprintf(mounts + n, sizeof(mounts) - n, "mount sda /m%zu xfs\n", i);
        }
        stack = stack_build(mounts);
        policy = load(rule);
        miss = &explain(stack, policy, "sda")->steps[0].misses[0];
        assert_true(strlen(miss->wanted) <= 200 + strlen("…"));
        assert_true(strlen(miss->wanted) > 190);
        assert_string_equal(miss->wanted + strlen(miss->wanted) - strlen("…"), "…");
        for (const char *s = miss->wanted; *s; s++)
                if (((unsigned char)*s & 0xe0) == 0xc0)
                        assert_int_equal((unsigned char)s[1] & 0xc0, 0x80);

        miss = &explain(stack, policy, "sda")->steps[1].misses[0];
        assert_string_equal(miss->value, "/m0, /m1, /m2, /m3, /m4, /m5, /m6, /m7, /m8, /m9, /m10, /m11, …");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_keys),
                        cmocka_unit_test(test_order),
                        cmocka_unit_test(test_same_verdict),
                        cmocka_unit_test(test_empty),
                        cmocka_unit_test(test_long),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
