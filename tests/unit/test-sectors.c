/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/cleanup.h"
#include "common/sectors.h"

#define SECTORS_MOST (UINT64_MAX / SECTOR_BYTES)

static void test_bytes(void **state) {
        uint64_t bytes;

        assert_true(sectors_to_bytes(0, &bytes));
        assert_int_equal(bytes, 0);
        assert_true(sectors_to_bytes(3072, &bytes));
        assert_int_equal(bytes, 1536 * 1024);
        assert_true(sectors_to_bytes(SECTORS_MOST, &bytes));
        assert_int_equal(bytes, SECTORS_MOST * SECTOR_BYTES);
        assert_false(sectors_to_bytes(SECTORS_MOST + 1, &bytes));
        assert_false(sectors_to_bytes(UINT64_MAX, &bytes));

        assert_int_equal(sectors_to_bytes_at_most(1), 512);
        assert_int_equal(sectors_to_bytes_at_most(SECTORS_MOST), SECTORS_MOST * SECTOR_BYTES);
        assert_int_equal(sectors_to_bytes_at_most(SECTORS_MOST + 1), UINT64_MAX);
        assert_int_equal(sectors_to_bytes_at_most(UINT64_MAX), UINT64_MAX);
}

static void test_kib(void **state) {
        static const struct {
                struct opt_int kib, sectors, bytes;
        } cases[] = {
                        {{.known = false}, {.known = false}, {.known = false}},
                        {{0, true}, {0, true}, {0, true}},
                        {{128, true}, {256, true}, {131072, true}},
                        {{-1, true}, {.known = false}, {.known = false}},
                        {{INT64_MIN, true}, {.known = false}, {.known = false}},
                        {{INT64_MAX, true}, {.known = false}, {.known = false}},
                        {{INT64_MAX / 2, true}, {INT64_MAX - 1, true}, {.known = false}},
                        {{INT64_MAX / 2 + 1, true}, {.known = false}, {.known = false}},
                        {{INT64_MAX / 1024, true}, {INT64_MAX / 1024 * 2, true}, {INT64_MAX / 1024 * 1024, true}},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                assert_true(opt_equal(sectors_from_kib(cases[i].kib), cases[i].sectors));
                assert_true(opt_equal(bytes_from_kib(cases[i].kib), cases[i].bytes));
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_bytes),
                        cmocka_unit_test(test_kib),
        };

        return cmocka_run_group_tests_name("sectors", tests, NULL, NULL);
}
