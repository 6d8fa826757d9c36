/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "daemon/attempts.h"
#include "daemon/budget.h"

#define MINUTE_USEC UINT64_C(60000000)

static void test_attempts(void **state) {
        static struct attempts attempts;
        struct device_identity a = {.name = "dm-0", .major = 253}, b = {.name = "dm-1", .major = 253, .minor = 1};

        assert_false(attempts_count(&attempts, &a, 3072));
        assert_false(attempts_count(&attempts, &a, 3072));
        assert_false(attempts_exhausted(&attempts, &a, 3072));
        assert_true(attempts_count(&attempts, &a, 3072));
        assert_true(attempts_exhausted(&attempts, &a, 3072));
        /* Told once. */
        assert_false(attempts_count(&attempts, &a, 3072));
        /* Another value, another device. */
        assert_false(attempts_exhausted(&attempts, &a, 4096));
        assert_false(attempts_exhausted(&attempts, &b, 3072));
        attempts_forgive(&attempts);
        assert_false(attempts_exhausted(&attempts, &a, 3072));
}

static void test_attempts_are_bounded(void **state) {
        static struct attempts attempts;
        struct device_identity device = {.major = 253};

        for (unsigned i = 0; i < 3 * ATTEMPTS_KEPT_MAX; i++) {
                device.minor = i;
                (void)attempts_count(&attempts, &device, 256);
                assert_true(attempts.n_items <= ATTEMPTS_KEPT_MAX);
        }
}

static void test_budget(void **state) {
        struct budget budget = {.time_usec = 3 * MINUTE_USEC, .bytes = 1000};
        uint64_t now = 1000 * MINUTE_USEC;

        assert_true(budget_take(&budget, 2 * MINUTE_USEC, 100, now));
        assert_false(budget_take(&budget, 2 * MINUTE_USEC, 100, now));
        assert_true(budget_take(&budget, MINUTE_USEC, 100, now + MINUTE_USEC));
        assert_false(budget_take(&budget, 1, 1, now + 59 * MINUTE_USEC));
        /* What was not needed is there again, but not in bytes. */
        budget_give_back(&budget, MINUTE_USEC, MINUTE_USEC / 2);
        assert_true(budget_take(&budget, MINUTE_USEC / 2, 800, now + 59 * MINUTE_USEC));
        budget_give_back(&budget, 3 * MINUTE_USEC, 0);
        assert_false(budget_take(&budget, MINUTE_USEC, 1, now + 59 * MINUTE_USEC));
        /* A new hour. */
        assert_true(budget_take(&budget, 3 * MINUTE_USEC, 1000, now + 60 * MINUTE_USEC));
        assert_false(budget_take(&budget, 1, 0, now + 61 * MINUTE_USEC));
        assert_false(budget_take(&budget, 1, 0, now + 119 * MINUTE_USEC));
        assert_true(budget_take(&budget, 1, 0, now + 120 * MINUTE_USEC));
}

static void test_no_budget(void **state) {
        struct budget none = {}, large = {.time_usec = UINT64_MAX, .bytes = UINT64_MAX};

        assert_false(budget_take(&none, 1, 0, 0));
        assert_true(budget_take(&large, 1, UINT64_MAX, 0));
        assert_false(budget_take(&large, 1, 1, 0));
        budget_give_back(&large, UINT64_MAX, 0);
        assert_int_equal(large.used_usec, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_attempts),
                        cmocka_unit_test(test_attempts_are_bounded),
                        cmocka_unit_test(test_budget),
                        cmocka_unit_test(test_no_budget),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
