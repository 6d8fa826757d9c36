/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/probe-members.h"

#define MEMBERS_MAX 8

struct array_case {
        const char *wanted; /* the slow ones, as "2 5 " */
        size_t n;
        unsigned n_runs;
        double mbps[MEMBERS_MAX][5];
};

struct array {
        struct layer md0, members[MEMBERS_MAX];
        struct probe_series series[MEMBERS_MAX];
        struct probe_member items[MEMBERS_MAX];
        char names[MEMBERS_MAX][8];
};

static void array_build(struct array *array, const struct array_case *c) {
        memset(array, 0, sizeof(*array));
        array->md0 = (struct layer){.name = "md0", .label = "md0", .index = 100};
        for (size_t i = 0; i < c->n; i++) {
                snprintf(array->names[i], sizeof(array->names[i]), "sd%c", (char)('a' + i));
                array->members[i] = (struct layer){.name = array->names[i], .label = array->names[i], .index = i};
                array->series[i].n_runs = c->n_runs;
                memcpy(array->series[i].mbps, c->mbps[i], c->n_runs * sizeof(double));
                probe_series_judge(&array->series[i]);
                array->items[i] = (struct probe_member){.layer = &array->members[i], .series = &array->series[i]};
        }
}

static const struct array_case cases[] = {
                /* Three of eight a third slower than the rest. */
                {"1 4 6 ", 8, 5,
                                {{150, 151, 149, 150, 152}, {100, 101, 99, 100, 102}, {148, 150, 151, 150, 149},
                                                {151, 150, 152, 149, 150}, {101, 99, 100, 101, 100},
                                                {150, 149, 151, 150, 150}, {98, 100, 101, 99, 100},
                                                {149, 151, 150, 152, 150}}},
                /* All alike. */
                {"", 4, 5,
                                {{100, 101, 99, 98, 100}, {99, 100, 98, 101, 99}, {97, 100, 99, 98, 96},
                                                {100, 99, 101, 98, 99}}},
                /* A little slower: 0.81; and just enough: 0.79. */
                {"", 3, 3, {{100, 100, 100}, {100, 100, 100}, {81, 81, 81}}},
                {"2 ", 3, 3, {{100, 100, 100}, {100, 100, 100}, {79, 79, 79}}},
                /* Slow in the middle, but one of its runs was as fast as one of the others'. */
                {"", 3, 5, {{100, 101, 99, 98, 100}, {99, 100, 97, 101, 99}, {60, 61, 59, 97, 60}}},
                {"2 ", 3, 5, {{100, 101, 99, 98, 100}, {99, 100, 97, 101, 99}, {60, 61, 59, 96, 60}}},
                /* Slow ones may overlap with each other. */
                {"0 1 ", 4, 3, {{50, 60, 40}, {45, 55, 60}, {100, 99, 101}, {100, 101, 102}}},
                /* Two members: the faster one is the faster half. */
                {"1 ", 2, 3, {{100, 100, 100}, {70, 70, 70}}},
                {"0 ", 2, 3, {{30, 30, 30}, {70, 70, 70}}},
                /* Most of them slow: as long as the faster half is not. */
                {"0 1 ", 4, 3, {{50, 50, 50}, {50, 50, 50}, {100, 100, 100}, {100, 100, 100}}},
                /* One fast member makes no slow ones of seven alike. */
                {"", 8, 3,
                                {{200, 200, 200}, {100, 100, 100}, {100, 101, 100}, {100, 100, 100}, {100, 100, 100},
                                                {100, 100, 100}, {100, 100, 100}, {100, 100, 100}}},
                /* Too few runs, too few members, none measured. */
                {"", 3, 2, {{100, 100}, {100, 100}, {50, 50}}},
                {"", 1, 5, {{100, 100, 100, 100, 100}}},
                {"", 0, 5, {{0}}},
                {"", 2, 0, {{0}}},
};

static void test_cases(void **state) {
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(arena_freep) struct arena *arena = arena_new();
                struct findings findings = {};
                struct array array;
                char found[64] = "";

                array_build(&array, &cases[i]);
                assert_int_equal(probe_members_find(&array.md0, array.items, cases[i].n, arena, &findings), 0);
                for (size_t j = 0; j < findings.n_items; j++) {
                        size_t n = strlen(found);

                        assert_int_equal(findings.items[j].code, FINDING_MEMBER_SLOW);
                        assert_int_equal(findings.items[j].severity, SEVERITY_WARNING);
                        snprintf(found + n, sizeof(found) - n, "%zu ", findings.items[j].layer->index);
                }
                print_message("case %zu\n", i);
                assert_string_equal(found, cases[i].wanted);
        }
}

static void test_text(void **state) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct findings findings = {};
        struct array array;

        array_build(&array, &cases[0]);
        assert_int_equal(probe_members_find(&array.md0, array.items, cases[0].n, arena, &findings), 0);
        assert_string_equal(findings.items[0].text,
                        "reads 100 MB/s, 0.67 of the 150 MB/s that the faster half of the members of md0 read (median "
                        "of 5 runs)");
}

/* In order with those of another array. */
static void test_added_in_order(void **state) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct findings findings = {};
        struct array array, other;
        size_t n;

        array_build(&array, &cases[0]);
        array_build(&other, &cases[3]);
        for (size_t i = 0; i < cases[3].n; i++)
                other.members[i].index += 3; /* its slow one is number 5, between 4 and 6 */
        assert_int_equal(probe_members_find(&array.md0, array.items, cases[0].n, arena, &findings), 0);
        assert_int_equal(probe_members_find(&other.md0, other.items, cases[3].n, arena, &findings), 0);
        assert_int_equal(findings.n_items, 4);
        for (size_t i = 1; i < findings.n_items; i++)
                assert_true(findings.items[i - 1].layer->index < findings.items[i].layer->index);
        assert_ptr_equal(findings_of(&findings, &other.members[2], &n), &findings.items[2]);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_cases),
                        cmocka_unit_test(test_text),
                        cmocka_unit_test(test_added_in_order),
        };

        return cmocka_run_group_tests_name("probe-members", tests, NULL, NULL);
}
