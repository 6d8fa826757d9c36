/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "daemon/memory.h"
#include "tests/support/append.h"

#define KEYS_BYTES 64

static void collect(const char *key, void *userdata) {
        append(userdata, KEYS_BYTES, key);
        append(userdata, KEYS_BYTES, ";");
}

/* Rounds of notes. In each, NOTED are the keys in order, and what memory_note() must say of each: "+" news, "-" not. */
static void test_rounds(void **state) {
        static const struct {
                const char *noted, *forgotten;
        } rounds[] = {
                        {"a+ b+ a- b- b-", ""},
                        {"a- b- c+", ""},
                        {"a- a- c-", "b;"},
                        {"b+ a- d+ c-", ""},
                        {"", "a;b;c;d;"},
                        {"", ""},
                        {"a+", ""},
                        {"a-", ""},
                        {"b+", "a;"},
        };
        _cleanup_(memory_freep) struct memory *memory = memory_new();

        for (size_t i = 0; i < ARRAY_SIZE(rounds); i++) {
                char noted[64] = "", forgotten[KEYS_BYTES] = "", *rest;

                print_message("round %zu: %s\n", i, rounds[i].noted);
                append(noted, sizeof(noted), rounds[i].noted);
                for (char *word = strtok_r(noted, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
                        assert_int_equal(memory_note(memory, "md0", "%c", word[0]), word[1] == '+');
                memory_turn(memory, "md0", collect, forgotten);
                assert_string_equal(forgotten, rounds[i].forgotten);
        }
}

/* Without anybody who wants to know, it is forgotten all the same. */
static void test_turn_without_function(void **state) {
        _cleanup_(memory_freep) struct memory *memory = memory_new();

        assert_true(memory_note(memory, "md0", "a"));
        memory_turn(memory, "md0", NULL, NULL);
        assert_false(memory_note(memory, "md0", "a"));
        memory_turn(memory, "md0", NULL, NULL);
        memory_turn(memory, "md0", NULL, NULL);
        assert_true(memory_note(memory, "md0", "a"));
}

static void test_keys_are_whole_texts(void **state) {
        _cleanup_(memory_freep) struct memory *memory = memory_new();

        assert_true(memory_note(memory, "md0", "%s %d", "md0", 1));
        assert_true(memory_note(memory, "md0", "%s %d", "md0", 11));
        assert_true(memory_note(memory, "md0", "md0"));
        assert_true(memory_note(memory, "md0", "%s", ""));
        assert_false(memory_note(memory, "md0", "md0 1"));
        assert_false(memory_note(memory, "md0", "%s%s", "md0 ", "11"));
        assert_false(memory_note(memory, "md0", "%s", ""));
}

/* What is said of one says nothing of another, and ends at its own time. */
static void test_subjects(void **state) {
        _cleanup_(memory_freep) struct memory *memory = memory_new();
        char forgotten[64] = "";

        assert_true(memory_note(memory, "a", "1"));
        assert_true(memory_note(memory, "b", "1"));
        assert_true(memory_note(memory, "", "1"));
        memory_turn(memory, "a", collect, forgotten);
        memory_turn(memory, "none", collect, forgotten);
        assert_false(memory_note(memory, "a", "1"));
        assert_false(memory_note(memory, "b", "1"));
        memory_turn(memory, "a", collect, forgotten);
        memory_turn(memory, "b", collect, forgotten);
        assert_string_equal(forgotten, "");
        memory_turn(memory, "b", collect, forgotten);
        assert_string_equal(forgotten, "1;");
        assert_true(memory_note(memory, "b", "1"));
        assert_false(memory_note(memory, "a", "1"));

        forgotten[0] = '\0';
        assert_true(memory_note(memory, "c", "3"));
        memory_turn_all(memory, collect, forgotten);
        assert_string_equal(forgotten, "");
        assert_true(memory_note(memory, "a", "2"));
        assert_false(memory_note(memory, "c", "3"));
        memory_turn_all(memory, collect, forgotten);
        assert_string_equal(forgotten, "1;1;1;");
        memory_turn_all(memory, NULL, NULL);
        memory_turn_all(memory, collect, forgotten);
        assert_string_equal(forgotten, "1;1;1;");
        assert_true(memory_note(memory, "a", "2"));
}

static void count(const char *key, void *userdata) {
        ++*(size_t *)userdata;
}

static void test_many(void **state) {
        _cleanup_(memory_freep) struct memory *memory = memory_new();
        size_t n = 0;

        for (int i = 0; i < 20000; i++)
                assert_true(memory_note(memory, "md0", "key %d", i));
        memory_turn(memory, "md0", count, &n);
        assert_int_equal(n, 0);
        for (int i = 0; i < 20000; i += 2)
                assert_false(memory_note(memory, "md0", "key %d", i));
        memory_turn(memory, "md0", count, &n);
        assert_int_equal(n, 10000);
}

static void test_free_nothing(void **state) {
        memory_free(NULL);
        memory_free(memory_new());
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_rounds),
                        cmocka_unit_test(test_turn_without_function),
                        cmocka_unit_test(test_keys_are_whole_texts),
                        cmocka_unit_test(test_subjects),
                        cmocka_unit_test(test_many),
                        cmocka_unit_test(test_free_nothing),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
