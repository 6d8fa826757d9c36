/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/append.h"
#include "tests/support/stack.h"

static const char *below(const struct stack *stack, const char *name) {
        const struct layer *layer = stack_layer(stack, name);

        return stack_names(stack, (const struct layer *const *)layer->below, layer->n_below);
}

static const char *above(const struct stack *stack, const char *name) {
        const struct layer *layer = stack_layer(stack, name);

        return stack_names(stack, (const struct layer *const *)layer->above, layer->n_above);
}

static void test_cycles(void **state) {
        static const struct {
                const char *stack, *in_cycle, *others;
        } cases[] = {
                        {"map dm-0 0 9 linear dm-0 0", "dm-0", ""},
                        {"map dm-0 0 9 linear dm-1 0; map dm-1 0 9 linear dm-0 0", "dm-0 dm-1", ""},
                        {"map dm-0 0 9 linear dm-1 0; map dm-1 0 9 linear dm-2 0; map dm-2 0 9 linear dm-0 0",
                                        "dm-0 dm-1 dm-2", ""},
                        {"loop loop0 /dev/loop0", "loop0", ""},
                        {"mount loop0 /srv ext4; loop loop0 /srv/img", "loop0", ""},
                        /* what leads into a cycle, and what it leads to, are in none */
                        {"disk d1; map dm-0 0 9 linear dm-1 0; map dm-1 0 9 linear dm-0 0; map dm-1 9 9 linear d1 0; "
                         "map dm-2 0 9 linear dm-0 0",
                                        "dm-0 dm-1", "d1 dm-2"},
                        {"disk d1; md md0 raid0 64K d1 dm-0; map dm-0 0 9 linear md0 0; mount dm-0 /srv xfs; loop "
                         "loop0 /srv/img",
                                        "md0 dm-0", "d1 loop0"},
                        /* two cycles that share a layer are one; two over each other are two */
                        {"map dm-0 0 9 linear dm-1 0; map dm-0 9 9 linear dm-2 0; map dm-1 0 9 linear dm-0 0; map dm-2 "
                         "0 9 linear dm-0 0",
                                        "dm-0 dm-1 dm-2", ""},
                        {"map dm-0 0 9 linear dm-1 0; map dm-1 0 9 linear dm-0 0; map dm-1 9 9 linear dm-2 0; map dm-2 "
                         "0 9 linear dm-3 0;"
                         "map dm-3 0 9 linear dm-2 0",
                                        "dm-0 dm-1 dm-2 dm-3", ""},
                        {"disk d1; map dm-0 0 9 linear d1 0; map dm-1 0 9 linear d1 0; map dm-2 0 9 striped 2 8 dm-0 0 "
                         "dm-1 0",
                                        "", "d1 dm-0 dm-1 dm-2"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                char in[128] = "", out[128] = "", *rest;

                print_message("%s\n", cases[i].stack);
                assert_true(stack_is_in_order(stack->topology));
                append(in, sizeof(in), cases[i].in_cycle);
                append(out, sizeof(out), cases[i].others);
                for (char *name = strtok_r(in, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
                        assert_true(stack_layer(stack, name)->in_cycle);
                for (char *name = strtok_r(out, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
                        assert_false(stack_layer(stack, name)->in_cycle);
        }
}

/* Edges within a cycle are taken out of both ends, all others stay. */
static void test_edges_of_a_cycle(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(
                        "disk d1; map dm-0 0 9 linear dm-1 0; map dm-1 0 9 linear dm-0 0; map dm-1 9 9 linear d1 0;"
                        "map dm-2 0 9 linear dm-0 0");

        assert_string_equal(below(stack, "dm-0"), "");
        assert_string_equal(above(stack, "dm-0"), "dm-2");
        assert_string_equal(below(stack, "dm-1"), "d1");
        assert_string_equal(above(stack, "dm-1"), "");
        assert_string_equal(below(stack, "dm-2"), "dm-0");
}

static void test_depth(void **state) {
        _cleanup_(stack_freep) struct stack *stack =
                        stack_build("map dm-3 0 9 linear dm-2 0; map dm-3 9 9 linear d1 0; map dm-2 0 9 linear dm-1 0; "
                                    "map dm-1 0 9 linear d1 0;"
                                    "disk d1 d10 d2; map dm-9 0 9 linear d1 0; map dm-10 0 9 linear d1 0");
        static const char order[] = "d1 d2 d10 dm-1 dm-9 dm-10 dm-2 dm-3";

        assert_true(stack_is_in_order(stack->topology));
        assert_int_equal(stack_layer(stack, "dm-3")->depth, 3); /* the longest way, not the shortest */
        assert_string_equal(stack_names(stack, (const struct layer *const *)stack->topology->layers,
                                            stack->topology->n_layers),
                        order);
}

/* The worst order for a search: the top is added first, and the chain is far deeper than any stack of calls. */
static void test_deep_chain_from_the_top(void **state) {
        enum { LENGTH = 100000 };
        _cleanup_(topology_freep) struct topology *t = topology_new();
        struct layer *upper = NULL, *lower;
        char name[32];

        for (int i = 0; i < LENGTH; i++) {
                snprintf(name, sizeof(name), "x%d", i);
                assert_int_equal(topology_add(t, name, &lower), 0);
                if (upper)
                        assert_int_equal(topology_link(t, upper, lower), 0);
                upper = lower;
        }
        assert_int_equal(topology_finish(t), 0);
        assert_true(stack_is_in_order(t));
        assert_string_equal(t->layers[0]->name, "x99999");
        assert_int_equal(topology_find(t, "x0")->depth, LENGTH - 1);
        assert_true(topology_find(t, "x0")->top);
        assert_false(topology_find(t, "x1")->top);
}

static void test_long_cycle(void **state) {
        enum { LENGTH = 100000 };
        _cleanup_(topology_freep) struct topology *t = topology_new();
        struct layer *first, *upper, *lower;
        char name[32];

        assert_int_equal(topology_add(t, "x0", &first), 0);
        upper = first;
        for (int i = 1; i < LENGTH; i++) {
                snprintf(name, sizeof(name), "x%d", i);
                assert_int_equal(topology_add(t, name, &lower), 0);
                assert_int_equal(topology_link(t, upper, lower), 0);
                upper = lower;
        }
        assert_int_equal(topology_link(t, upper, first), 0);
        assert_int_equal(topology_finish(t), 0);
        assert_true(stack_is_in_order(t));
        for (size_t i = 0; i < t->n_layers; i++)
                assert_true(t->layers[i]->in_cycle && t->layers[i]->n_below == 0 && t->layers[i]->n_above == 0);
}

static void test_wide(void **state) {
        enum { WIDTH = 20000 };
        _cleanup_(topology_freep) struct topology *t = topology_new();
        struct layer *disk, *map;
        char name[32];

        assert_int_equal(topology_add(t, "disk", &disk), 0);
        for (int i = 0; i < WIDTH; i++) {
                snprintf(name, sizeof(name), "dm-%d", i);
                assert_int_equal(topology_add(t, name, &map), 0);
                assert_int_equal(topology_link(t, map, disk), 0);
                assert_int_equal(topology_link(t, map, disk), 0);
        }
        assert_int_equal(topology_finish(t), 0);
        assert_int_equal(disk->n_above, WIDTH);
        assert_int_equal(map->n_below, 1);
        assert_int_equal(map->depth, 1);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_cycles),
                        cmocka_unit_test(test_edges_of_a_cycle),
                        cmocka_unit_test(test_depth),
                        cmocka_unit_test(test_deep_chain_from_the_top),
                        cmocka_unit_test(test_long_cycle),
                        cmocka_unit_test(test_wide),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
