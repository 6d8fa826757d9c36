/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "common/drift.h"
#include "common/fingerprint.h"
#include "tests/support/rule.h"
#include "tests/support/stack.h"

/* The array's io_opt of 768 KiB makes 3072 sectors of it on kernels from 5.10 on; the map has them from the array. */
#define STACK                                                                                                          \
        "disk a b c d; md md0 raid5 256K a b c d; set md0 ra=3072; map dm-0 0 9 linear md0 0; set dm-0 opt=786432 "

enum stack_is { SAME_STACK, OTHER_STACK, UNKNOWN_STACK };

static void note(const struct stack *stack, struct ledger_note *note, enum stack_is is) {
        struct layer *layer = stack_layer(stack, "dm-0");

        note->stack_known = is != UNKNOWN_STACK;
        note->stack = stack_fingerprint(layer) + (is == OTHER_STACK);
        layer->set = note;
}

static void test_judge(void **state) {
        static const struct {
                const char *stack;
                uint64_t given;
                enum stack_is is;
                bool reloaded, reverted;
                enum drift drift;
        } cases[] = {
                        {STACK "ra=8192", 8192, SAME_STACK, false, false, DRIFT_NONE},
                        {STACK "ra=8192", 8192, OTHER_STACK, true, false, DRIFT_NONE},
                        {STACK "ra=?", 8192, SAME_STACK, false, false, DRIFT_NONE},
                        /* What kernels derive from 768 KiB. */
                        {STACK "ra=3072", 8192, SAME_STACK, false, false, DRIFT_RESET},
                        {STACK "ra=3072", 8192, UNKNOWN_STACK, false, false, DRIFT_RESET},
                        /* Set by hand. */
                        {STACK "ra=1024", 8192, SAME_STACK, false, false, DRIFT_OTHER},
                        {STACK "ra=256", 8192, SAME_STACK, false, false, DRIFT_OTHER},
                        {STACK "ra=0", 8192, SAME_STACK, false, false, DRIFT_OTHER},
                        {STACK "ra=1024", 8192, UNKNOWN_STACK, false, false, DRIFT_OTHER},
                        /* The same values, but with an event, or over another stack than it was given for. */
                        {STACK "ra=1024", 8192, SAME_STACK, true, false, DRIFT_RESET},
                        {STACK "ra=1024", 8192, OTHER_STACK, false, false, DRIFT_RESET},
                        /* Without an io_opt, or with a small one, kernels make 256 of it. */
                        {STACK "opt=0 ra=256", 8192, SAME_STACK, false, false, DRIFT_RESET},
                        {STACK "opt=? ra=256", 8192, SAME_STACK, false, false, DRIFT_RESET},
                        {STACK "opt=65536 ra=256", 8192, SAME_STACK, false, false, DRIFT_RESET},
                        {STACK "opt=0 ra=248", 8192, SAME_STACK, false, false, DRIFT_OTHER},
                        /* Cut to 32 bits, as up to Linux 6.16. */
                        {STACK "opt=4293918720 ra=8384512", 8192, SAME_STACK, false, false, DRIFT_RESET},
                        {STACK "opt=4293918720 ra=16773120", 8192, SAME_STACK, false, false, DRIFT_RESET},
                        /* From Linux 6.17 on, where the device rotates and has no io_opt. */
                        {STACK "opt=0 rot=1 request=4M ra=16384", 8192, SAME_STACK, false, false, DRIFT_RESET},
                        {STACK "opt=0 rot=1 request=4M ra=4096", 8192, SAME_STACK, false, false, DRIFT_OTHER},
                        {STACK "opt=0 rot=0 request=4M ra=16384", 8192, SAME_STACK, false, false, DRIFT_OTHER},
                        {STACK "rot=1 request=4M ra=16384", 8192, SAME_STACK, false, false, DRIFT_OTHER},
                        /* Put back by wish: whatever it has now, until the stack is another one. */
                        {STACK "ra=3072", 8192, SAME_STACK, false, true, DRIFT_REVERTED},
                        {STACK "ra=3072", 8192, SAME_STACK, true, true, DRIFT_REVERTED},
                        {STACK "ra=1024", 8192, UNKNOWN_STACK, false, true, DRIFT_REVERTED},
                        {STACK "ra=3072", 8192, OTHER_STACK, false, true, DRIFT_NONE},
                        {STACK "ra=8192", 8192, SAME_STACK, false, true, DRIFT_NONE},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                struct ledger_note given = {.sectors = cases[i].given, .rule = "rule", .reverted = cases[i].reverted};

                note(stack, &given, cases[i].is);
                stack_layer(stack, "dm-0")->reloaded = cases[i].reloaded;
                print_message("%zu: %s\n", i, cases[i].stack);
                assert_int_equal(drift_judge(stack->topology, stack_layer(stack, "dm-0")), cases[i].drift);
        }
}

/* One that setrad has never changed. */
static void test_not_given(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(STACK "ra=256");

        stack_layer(stack, "dm-0")->reloaded = true;
        assert_int_equal(drift_judge(stack->topology, stack_layer(stack, "dm-0")), DRIFT_NONE);
}

/* What the plan makes of it. The rule of stack_plan() is the one that gave the value, if it has that name and target. */
static void test_plan(void **state) {
        static const struct {
                const char *readahead;
                uint64_t given;
                const char *rule;
                enum on_drift on_drift;
                bool reverted, put_back;
                enum plan_action action;
                enum drift drift;
                const char *reason;
        } cases[] = {
                        {"sectors=8192", 8192, STACK_RULE, DRIFT_RESPECT, false, false, ACTION_KEEP, DRIFT_OTHER,
                                        "somebody has set it since, which the rule respects"},
                        {"sectors=8192", 8192, STACK_RULE, DRIFT_REASSERT, false, false, ACTION_RAISE, DRIFT_OTHER,
                                        "number"},
                        {"sectors=8192", 8192, STACK_RULE, DRIFT_RESPECT, true, false, ACTION_KEEP, DRIFT_REVERTED,
                                        "its original value was put back"},
                        {"sectors=8192", 8192, STACK_RULE, DRIFT_REASSERT, true, false, ACTION_KEEP, DRIFT_REVERTED,
                                        "its original value was put back"},
                        {"sectors=8192", 8192, STACK_RULE, DRIFT_RESPECT, true, true, ACTION_KEEP, DRIFT_REVERTED,
                                        "keep-if has put it back"},
                        {"sectors=8192", 8192, STACK_RULE, DRIFT_REASSERT, true, true, ACTION_KEEP, DRIFT_REVERTED,
                                        "keep-if has put it back"},
                        /* Another rule, or the same with another number, is a new decision. */
                        {"sectors=8192", 8192, "another", DRIFT_RESPECT, false, false, ACTION_RAISE, DRIFT_NONE,
                                        "number"},
                        {"sectors=8192", 4096, STACK_RULE, DRIFT_RESPECT, false, false, ACTION_RAISE, DRIFT_NONE,
                                        "number"},
                        {"sectors=8192", 4096, STACK_RULE, DRIFT_RESPECT, true, false, ACTION_RAISE, DRIFT_NONE,
                                        "number"},
                        /* What a rule would not do anyway, it does not do for another reason. */
                        {"sectors=8192 lower", 8192, STACK_RULE, DRIFT_RESPECT, false, false, ACTION_KEEP, DRIFT_OTHER,
                                        "the rule does not raise"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(STACK "ra=1024");
                struct ledger_note given = {.sectors = cases[i].given,
                                .rule = cases[i].rule,
                                .reverted = cases[i].reverted,
                                .put_back = cases[i].put_back};
                struct rule_action rule = rule_from_text(cases[i].readahead);
                const struct decision *decision;
                struct plan plan;

                note(stack, &given, SAME_STACK);
                rule.on_drift = cases[i].on_drift;
                plan = stack_plan(stack, &rule, false);
                decision = &plan.decisions[stack_layer(stack, "dm-0")->index];
                print_message("%zu: %s\n", i, decision->reason);
                assert_int_equal(decision->action, cases[i].action);
                assert_int_equal(decision->drift, cases[i].drift);
                assert_non_null(strstr(decision->reason, cases[i].reason));
        }
}

static void test_restrict(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(
                        STACK "ra=1024; map dm-1 0 9 linear md0 0; map dm-2 0 9 linear md0 0; set dm-2 suspended");
        struct rule_action rule = rule_from_text("sectors=8192");
        struct plan plan = stack_plan(stack, &rule, false);
        _cleanup_(freep) bool *chosen = calloc(plan.n_decisions, sizeof(*chosen));

        assert_int_equal(plan.n_held, 1);
        assert_true(plan.n_changes >= 2);
        chosen[stack_layer(stack, "dm-1")->index] = true;
        plan_restrict(&plan, chosen);
        assert_int_equal(plan.n_changes, 1);
        assert_int_equal(plan.n_held, 0);
        assert_int_equal(plan.decisions[stack_layer(stack, "dm-0")->index].action, ACTION_KEEP);
        assert_int_equal(plan.decisions[stack_layer(stack, "dm-1")->index].action, ACTION_RAISE);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_judge),
                        cmocka_unit_test(test_not_given),
                        cmocka_unit_test(test_plan),
                        cmocka_unit_test(test_restrict),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
