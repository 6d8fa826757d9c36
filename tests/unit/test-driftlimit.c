/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "daemon/driftlimit.h"

#define MINUTE_USEC UINT64_C(60000000)

static const struct device_identity a = {.name = "dm-0", .major = 253, .diskseq = 7};
static const struct device_identity b = {.name = "dm-1", .major = 253, .minor = 1, .diskseq = 8};
static const struct device_identity a_again = {.name = "dm-0", .major = 253, .diskseq = 9};

static void test_resets(void **state) {
        _cleanup_(driftlimit_freep) struct driftlimit *limit = driftlimit_new();
        uint64_t now = 1;

        assert_int_equal(driftlimit_take(limit, &a, DRIFT_RESET, 2, now), DRIFTLIMIT_GO);
        assert_int_equal(driftlimit_take(limit, &a, DRIFT_RESET, 2, now + 10 * MINUTE_USEC), DRIFTLIMIT_GO);
        assert_int_equal(driftlimit_take(limit, &a, DRIFT_RESET, 2, now + 20 * MINUTE_USEC), DRIFTLIMIT_STOP);
        assert_int_equal(driftlimit_take(limit, &a, DRIFT_RESET, 2, now + 30 * MINUTE_USEC), DRIFTLIMIT_STOPPED);
        /* To ask changes nothing, be it the first or the last. */
        for (unsigned i = 0; i < 5; i++) {
                assert_int_equal(driftlimit_ask(limit, &b, DRIFT_RESET, 2, now + 30 * MINUTE_USEC), DRIFTLIMIT_GO);
                assert_int_equal(driftlimit_ask(limit, &a, DRIFT_RESET, 2, now + 30 * MINUTE_USEC), DRIFTLIMIT_STOPPED);
        }
        /* Each device and each kind by itself. */
        assert_int_equal(driftlimit_take(limit, &b, DRIFT_RESET, 2, now + 30 * MINUTE_USEC), DRIFTLIMIT_GO);
        assert_int_equal(driftlimit_take(limit, &a_again, DRIFT_RESET, 2, now + 30 * MINUTE_USEC), DRIFTLIMIT_GO);
        assert_int_equal(driftlimit_take(limit, &a, DRIFT_OTHER, 2, now + 30 * MINUTE_USEC), DRIFTLIMIT_GO);
        /* One hour after the first there is room for one, and the stop after it is told of again. */
        assert_int_equal(driftlimit_take(limit, &a, DRIFT_RESET, 2, now + 59 * MINUTE_USEC), DRIFTLIMIT_STOPPED);
        assert_int_equal(driftlimit_take(limit, &a, DRIFT_RESET, 2, now + 61 * MINUTE_USEC), DRIFTLIMIT_GO);
        assert_int_equal(driftlimit_take(limit, &a, DRIFT_RESET, 2, now + 62 * MINUTE_USEC), DRIFTLIMIT_STOP);
        assert_int_equal(driftlimit_take(limit, &a, DRIFT_RESET, 2, now + 71 * MINUTE_USEC), DRIFTLIMIT_GO);
}

static void test_somebody_else(void **state) {
        _cleanup_(driftlimit_freep) struct driftlimit *limit = driftlimit_new();
        uint64_t now = 1;

        assert_int_equal(driftlimit_take(limit, &a, DRIFT_OTHER, 1, now), DRIFTLIMIT_GO);
        assert_int_equal(driftlimit_take(limit, &a, DRIFT_OTHER, 1, now + 1), DRIFTLIMIT_STOP);
        /* For good, however much time goes by. */
        assert_int_equal(driftlimit_take(limit, &a, DRIFT_OTHER, 1, now + 600 * MINUTE_USEC), DRIFTLIMIT_STOPPED);
        assert_int_equal(driftlimit_take(limit, &b, DRIFT_OTHER, 1, now + 600 * MINUTE_USEC), DRIFTLIMIT_GO);
        driftlimit_forgive(limit, &a);
        assert_int_equal(driftlimit_take(limit, &a, DRIFT_OTHER, 1, now + 601 * MINUTE_USEC), DRIFTLIMIT_GO);
        assert_int_equal(driftlimit_take(limit, &b, DRIFT_OTHER, 1, now + 601 * MINUTE_USEC), DRIFTLIMIT_STOP);
        driftlimit_forgive(limit, NULL);
        assert_int_equal(driftlimit_take(limit, &b, DRIFT_OTHER, 1, now + 601 * MINUTE_USEC), DRIFTLIMIT_GO);
}

/* A larger limit after a reload of the settings must not write beyond what was allocated for the smaller one. */
static void test_limit_grows(void **state) {
        _cleanup_(driftlimit_freep) struct driftlimit *limit = driftlimit_new();

        assert_int_equal(driftlimit_take(limit, &a, DRIFT_RESET, 1, 1), DRIFTLIMIT_GO);
        for (unsigned i = 0; i < 59; i++)
                assert_int_equal(driftlimit_take(limit, &a, DRIFT_RESET, 60, 2 + i), DRIFTLIMIT_GO);
        assert_int_equal(driftlimit_take(limit, &a, DRIFT_RESET, 60, 100), DRIFTLIMIT_STOP);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_resets),
                        cmocka_unit_test(test_somebody_else),
                        cmocka_unit_test(test_limit_grows),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
