/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/attempts.h"
#include "daemon/budget.h"

#define MINUTE_USEC UINT64_C(60000000)

static void test_attempts(void **state) {
        _cleanup_(attempts_done) struct attempts attempts = {};
        struct device_identity a = {.name = "dm-0", .major = 253}, b = {.name = "dm-1", .major = 253, .minor = 1};
        uint64_t now = 1000 * MINUTE_USEC;

        assert_false(attempts_count(&attempts, &a, 3072, now));
        assert_false(attempts_count(&attempts, &a, 3072, now));
        assert_false(attempts_exhausted(&attempts, &a, 3072, now));
        assert_true(attempts_count(&attempts, &a, 3072, now));
        assert_true(attempts_exhausted(&attempts, &a, 3072, now));
        /* Told once. */
        assert_false(attempts_count(&attempts, &a, 3072, now));
        /* Another value, another device. */
        assert_false(attempts_exhausted(&attempts, &a, 4096, now));
        assert_false(attempts_exhausted(&attempts, &b, 3072, now));
        attempts_forgive(&attempts, &b);
        assert_true(attempts_exhausted(&attempts, &a, 3072, now));
        attempts_forgive(&attempts, &a);
        assert_false(attempts_exhausted(&attempts, &a, 3072, now));
        attempts_count(&attempts, &a, 3072, now);
        attempts_forgive(&attempts, NULL);
        for (size_t i = 0; i < ATTEMPTS_BUCKETS; i++)
                assert_null(attempts.buckets[i]);
}

/* Failures that lie far apart do not add up, and what was given up is tried again an hour later. */
static void test_attempts_are_forgotten(void **state) {
        _cleanup_(attempts_done) struct attempts attempts = {};
        struct device_identity a = {.name = "dm-0", .major = 253};
        uint64_t now = 1000 * MINUTE_USEC;

        for (unsigned i = 0; i < 2 * ATTEMPTS_MAX; i++, now += 61 * MINUTE_USEC)
                assert_false(attempts_count(&attempts, &a, 3072, now));
        now -= 61 * MINUTE_USEC;
        assert_false(attempts_count(&attempts, &a, 3072, now + 10 * MINUTE_USEC));
        assert_true(attempts_count(&attempts, &a, 3072, now + 20 * MINUTE_USEC));
        assert_true(attempts_exhausted(&attempts, &a, 3072, now + 79 * MINUTE_USEC));
        assert_false(attempts_exhausted(&attempts, &a, 3072, now + 81 * MINUTE_USEC));
        for (size_t i = 0; i < ATTEMPTS_BUCKETS; i++)
                assert_null(attempts.buckets[i]);
}

/* However many devices fail, each is given up. */
static void test_attempts_of_many(void **state) {
        _cleanup_(attempts_done) struct attempts attempts = {};
        unsigned n_given_up = 0;

        for (unsigned round = 0; round < ATTEMPTS_MAX; round++)
                for (unsigned i = 0; i < 1000; i++) {
                        struct device_identity device = {.major = 253, .minor = i};

                        n_given_up += attempts_count(&attempts, &device, 256, 1);
                }
        assert_int_equal(n_given_up, 1000);
}

static void test_budget(void **state) {
        struct budget budget = {.time_usec = 3 * MINUTE_USEC, .bytes = 1000};
        uint64_t now = 1000 * MINUTE_USEC;

        assert_true(budget_take(&budget, 2 * MINUTE_USEC, 100, now));
        assert_false(budget_take(&budget, 2 * MINUTE_USEC, 100, now));
        assert_true(budget_take(&budget, MINUTE_USEC, 100, now + MINUTE_USEC));
        assert_false(budget_take(&budget, 1, 1, now + 59 * MINUTE_USEC));
        /* What was not needed is there again. */
        budget_give_back(&budget, MINUTE_USEC / 2, 50);
        assert_false(budget_take(&budget, MINUTE_USEC / 2, 851, now + 59 * MINUTE_USEC));
        assert_true(budget_take(&budget, MINUTE_USEC / 2, 850, now + 59 * MINUTE_USEC));
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
        budget_give_back(&large, UINT64_MAX, UINT64_MAX);
        assert_int_equal(large.used_usec, 0);
        assert_int_equal(large.used_bytes, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_attempts),
                        cmocka_unit_test(test_attempts_are_forgotten),
                        cmocka_unit_test(test_attempts_of_many),
                        cmocka_unit_test(test_budget),
                        cmocka_unit_test(test_no_budget),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
