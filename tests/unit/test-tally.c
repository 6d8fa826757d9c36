/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "daemon/tally.h"
#include "tests/support/append.h"
#include "tests/support/rule.h"
#include "tests/support/stack.h"

#define ARRAY "disk a b c d; md md0 raid5 256K a b c d; set md0 ra=3072; "
#define MAPS  "map dm-0 0 9 linear md0 0; map dm-1 0 9 linear md0 0; "

#define NAMES_BYTES 64

static void append_name(const char *sysname, void *userdata) {
        append(userdata, NAMES_BYTES, sysname);
        append(userdata, NAMES_BYTES, " ");
}

static void assert_waiting(const struct tally *tally, const char *expected) {
        char names[NAMES_BYTES] = "";

        tally_walk_waiting(tally, append_name, names);
        assert_string_equal(names, expected);
}

/* Takes what a stack says; of news, but for the layers in CARRIED, which has blanks around each. */
static void take(struct tally *tally, const char *text, const struct rule_action *rule, const char *carried,
                const char *gone) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(text);
        struct topology *topology = stack->topology;

        for (size_t i = 0; carried && i < topology->n_layers; i++) {
                char name[32];

                snprintf(name, sizeof(name), " %s ", topology->layers[i]->name);
                topology->layers[i]->carried = strstr(carried, name);
        }
        if (gone)
                assert_int_equal(topology_add_gone(topology, gone), 0);
        const struct survey survey = {.topology = topology, .plan = stack_plan(stack, rule, false)};

        assert_int_equal(tally_take(tally, &survey, !carried), 0);
}

static void test_all_and_news(void **state) {
        _cleanup_(tally_freep) struct tally *tally = tally_new();
        const struct tally_sums *sums = tally_sums(tally);
        struct rule_action rule = rule_from_text("auto");

        take(tally, ARRAY MAPS "set dm-0 ra=256; set dm-1 ra=256 suspended", &rule, NULL, NULL);
        assert_int_equal(sums->n_layers, 7);
        assert_int_equal(sums->n_of_kind[KIND_DISK], 4);
        assert_int_equal(sums->n_of_kind[KIND_DM_LINEAR], 2);
        assert_int_equal(sums->n_changes, 1);
        assert_int_equal(sums->n_held, 1);
        assert_int_equal(sums->n_mismatches, 2);
        assert_int_equal(sums->n_waiting, 1);
        assert_waiting(tally, "dm-1 ");

        /* What is carried counts as it did. */
        take(tally, ARRAY "map dm-0 0 9 linear md0 0; set md0 ra=8; set dm-0 ra=3072", &rule, " a b c d md0 ", NULL);
        assert_int_equal(sums->n_layers, 7);
        assert_int_equal(sums->n_changes, 0);
        assert_int_equal(sums->n_mismatches, 1);
        assert_int_equal(sums->n_held, 1);

        take(tally, ARRAY "map dm-2 0 9 striped 2 8 a 0 b 0; set dm-2 ra=3072", &rule, " a b c d md0 ", "dm-1");
        assert_int_equal(sums->n_layers, 7);
        assert_int_equal(sums->n_of_kind[KIND_DM_LINEAR], 1);
        assert_int_equal(sums->n_of_kind[KIND_DM_STRIPED], 1);
        assert_int_equal(sums->n_held, 0);
        assert_waiting(tally, "");

        take(tally, ARRAY, &rule, NULL, NULL);
        assert_int_equal(sums->n_layers, 5);
        assert_int_equal(sums->n_of_kind[KIND_DM_STRIPED], 0);
        assert_int_equal(sums->n_mismatches, 0);
}

/* Of what a rule holds for good nobody waits for the end. */
static void test_held_for_good(void **state) {
        _cleanup_(tally_freep) struct tally *tally = tally_new();
        struct rule_action rule = rule_from_text("auto");

        rule.hold.always = true;
        take(tally, ARRAY "map dm-0 0 9 linear md0 0; set dm-0 ra=256", &rule, NULL, NULL);
        assert_int_equal(tally_sums(tally)->n_held, 1);
        assert_int_equal(tally_sums(tally)->n_waiting, 0);
        assert_waiting(tally, "");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_all_and_news),
                        cmocka_unit_test(test_held_for_good),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
