/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/probe-busy.h"

static void test_parse(void **state) {
        static const struct {
                const char *text;
                bool valid;
                struct io_counters counters;
        } cases[] = {
                        {"    1029       33    54321      210      777        8     9000      344        2      300    "
                         "  "
                         "554        0        0        0        0       12        3\n",
                                        true, {1029, 777, 54321, 2}},
                        {"1 2 3 4 5 6 7 8 9", true, {1, 5, 3, 9}},
                        {"18446744073709551615 0 0 0 0 0 0 0 4294967295 0 0", true, {UINT64_MAX, 0, 0, UINT32_MAX}},
                        {"1 2 3 4 5 6 7 8", false, {}},
                        {"1 2 3 4 5 6 7 8 x", false, {}},
                        {"", false, {}},
                        {"a b", false, {}},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct io_counters counters = {};

                assert_int_equal(io_counters_parse(cases[i].text, &counters), cases[i].valid ? 0 : -EINVAL);
                assert_memory_equal(&counters, &cases[i].counters, sizeof(counters));
        }
}

static void test_busy(void **state) {
        static const struct {
                struct io_counters first, then;
                const char *reason; /* NULL: not busy */
        } cases[] = {
                        {{100, 50, 0, 0}, {100, 50, 0, 0}, NULL},
                        {{100, 50, 0, 0}, {102, 52, 0, 0}, NULL},
                        {{100, 50, 0, 0}, {103, 52, 0, 0}, "md0 is busy: others made 5 reads and writes in 0.2 s"},
                        {{100, 50, 0, 0}, {900, 50, 0, 7}, "md0 is busy: others made 800 reads and writes in 0.2 s"},
                        {{100, 50, 0, 0}, {100, 50, 0, 1}, "md0 is busy: 1 read or write of others is under way"},
                        {{100, 50, 0, 0}, {100, 50, 0, 3}, "md0 is busy: 3 reads and writes of others are under way"},
                        /* What was under way at the first look and is done is counted as done. */
                        {{100, 50, 0, 2}, {102, 50, 0, 0}, NULL},
                        /* More than can be counted is not nothing. */
                        {{0, 0, 0, 0}, {UINT64_MAX, 1, 0, 0},
                                        "md0 is busy: others made 18446744073709551615 reads and writes in 0.2 s"},
                        /* Begun anew, for whatever reason: nobody knows. */
                        {{100, 50, 0, 0}, {0, 0, 0, 0}, NULL},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char reason[128] = "";

                assert_int_equal(probe_busy_reason("md0", &cases[i].first, &cases[i].then, reason, sizeof(reason)),
                                cases[i].reason != NULL);
                assert_string_equal(reason, cases[i].reason ?: "");
        }
}

static void test_disturbed(void **state) {
        static const struct {
                uint64_t sectors, own_bytes, ahead_bytes;
                bool disturbed;
        } cases[] = {
                        {0, 0, 0, false},
                        {2000, 1000 * 512, 1000 * 512, false},
                        {2250, 1000 * 512, 1000 * 512, false},
                        {2251, 1000 * 512, 1000 * 512, true},
                        {1250, 1000 * 512, 0, false},
                        {1251, 1000 * 512, 0, true},
                        {500, 1000 * 512, 0, false}, /* some was in the cache */
                        {1, 0, 0, true},
                        {UINT64_MAX / 2, 1000 * 512, 0, false},
                        {5000, UINT64_MAX, 1, false},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct io_counters first = {.sectors_read = 77}, then = {.sectors_read = 77 + cases[i].sectors};

                assert_int_equal(probe_was_disturbed(&first, &then, cases[i].own_bytes, cases[i].ahead_bytes),
                                cases[i].disturbed);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_parse),
                        cmocka_unit_test(test_busy),
                        cmocka_unit_test(test_disturbed),
        };

        return cmocka_run_group_tests_name("probe-busy", tests, NULL, NULL);
}
