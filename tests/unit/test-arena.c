/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "common/arena.h"

static bool is_filled(const unsigned char *object, size_t size, unsigned char with) {
        for (size_t i = 0; i < size; i++)
                if (object[i] != with)
                        return false;
        return true;
}

/* Each size that meets an edge: of alignment, of a block, beyond one. */
static void test_alloc(void **state) {
        static const size_t sizes[] = {0, 1, 7, 8, 15, 16, 17, 255, 4096, 16383, 16384, 16385, 16368, 20000, 16384,
                        100000, 1 << 20, 3};
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        unsigned char *objects[8 * ARRAY_SIZE(sizes)];

        for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
                size_t size = sizes[i % ARRAY_SIZE(sizes)];

                objects[i] = arena_alloc(arena, size);
                assert_non_null(objects[i]);
                assert_int_equal((uintptr_t)objects[i] % _Alignof(max_align_t), 0);
                assert_true(is_filled(objects[i], size, 0));
                memset(objects[i], (int)(i + 1), size);
        }
        /* None has been written over by another. */
        for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
                assert_true(is_filled(objects[i], sizes[i % ARRAY_SIZE(sizes)], (unsigned char)(i + 1)));
}

static void test_too_large(void **state) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();

        assert_null(arena_alloc(arena, SIZE_MAX));
        assert_null(arena_alloc(arena, SIZE_MAX - 64));
        assert_null(arena_alloc(arena, SIZE_MAX / 2 + 1));
        assert_null(arena_alloc_array(arena, SIZE_MAX, 2));
        assert_null(arena_alloc_array(arena, SIZE_MAX / 8 + 1, 8));
        assert_null(arena_alloc_array(arena, (size_t)1 << 33, (size_t)1 << 33));
        /* It is none the worse for it. */
        assert_non_null(arena_alloc(arena, 16));
        assert_non_null(arena_alloc_array(arena, 0, SIZE_MAX));
        assert_non_null(arena_alloc_array(arena, SIZE_MAX, 0));
}

static void test_large_after_small(void **state) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        char *small = arena_alloc(arena, 16), *large = arena_alloc(arena, 1 << 20), *next = arena_alloc(arena, 16);

        assert_non_null(large);
        assert_ptr_equal(next, small + 16); /* the block that is not full goes on being filled */
}

static void test_strings(void **state) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        char text[] = "text", *copy = arena_strdup(arena, text);

        text[0] = 'n';
        assert_string_equal(copy, "text");
        assert_string_equal(arena_strdup(arena, ""), "");
        assert_string_equal(arena_strndup(arena, "abcdef", 3), "abc");
        assert_string_equal(arena_strndup(arena, "abc", 3), "abc");
        assert_string_equal(arena_strndup(arena, "abc", 99), "abc");
        assert_string_equal(arena_strndup(arena, "abc", SIZE_MAX), "abc");
        assert_string_equal(arena_strndup(arena, "abc", 0), "");

        static const char unterminated[3] = {'a', 'b', 'c'};
        assert_string_equal(arena_strndup(arena, unterminated, sizeof(unterminated)), "abc");
}

/* Strings are packed, and what comes between them is aligned all the same and in nobody's way. */
static void test_strings_and_objects(void **state) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        char *strings[4000];
        unsigned char *objects[4000];

        for (unsigned i = 0; i < ARRAY_SIZE(strings); i++) {
                objects[i] = arena_alloc(arena, 1 + i % 40);
                strings[i] = arena_printf(arena, "%u", i);
                assert_int_equal((uintptr_t)objects[i] % _Alignof(max_align_t), 0);
                assert_true(is_filled(objects[i], 1 + i % 40, 0));
                memset(objects[i], 0xff, 1 + i % 40);
        }
        for (unsigned i = 0; i < ARRAY_SIZE(strings); i++) {
                assert_int_equal(strtoul(strings[i], NULL, 10), i);
                assert_true(is_filled(objects[i], 1 + i % 40, 0xff));
        }
        objects[0] = (unsigned char *)arena_strdup(arena, "abc");
        strings[0] = arena_strdup(arena, "de");
        assert_ptr_equal(strings[0] + sizeof("de"), objects[0]);
}

static void test_printf(void **state) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        char *longer = arena_printf(arena, "%0*d", 50000, 1);

        assert_string_equal(arena_printf(arena, "%s/%s %d %%", "vg", "lv", -1), "vg/lv -1 %");
        assert_string_equal(arena_printf(arena, "%s", ""), "");
        assert_int_equal(strlen(longer), 50000);
        assert_true(longer[0] == '0' && longer[49999] == '1');
}

static void test_free_nothing(void **state) {
        arena_free(NULL);
        arena_free(arena_new());
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_alloc),
                        cmocka_unit_test(test_too_large),
                        cmocka_unit_test(test_large_after_small),
                        cmocka_unit_test(test_strings),
                        cmocka_unit_test(test_strings_and_objects),
                        cmocka_unit_test(test_printf),
                        cmocka_unit_test(test_free_nothing),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
