/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/nameset.h"

static void test_names(void **state) {
        _cleanup_(nameset_done) struct nameset set = {};

        assert_true(set.n == 0 && !set.all);
        assert_false(nameset_contains(&set, "md0"));
        nameset_add(&set, "md0");
        nameset_add(&set, "cciss!c0d0");
        nameset_add(&set, "md0");
        assert_int_equal(set.n, 2);
        assert_string_equal(set.names[0], "md0");
        assert_string_equal(set.names[1], "cciss!c0d0");
        assert_null(set.names[2]);
        assert_true(nameset_contains(&set, "cciss!c0d0"));
        assert_false(nameset_contains(&set, "md"));
        assert_false(set.n == 0 && !set.all);
        nameset_done(&set);
        assert_true(set.n == 0 && !set.all);
}

static void test_full_set_is_all(void **state) {
        _cleanup_(nameset_done) struct nameset set = {};
        char name[16];

        for (unsigned i = 0; i < NAMESET_MAX; i++) {
                snprintf(name, sizeof(name), "dm-%u", i);
                nameset_add(&set, name);
        }
        assert_false(set.all);
        assert_int_equal(set.n, NAMESET_MAX);
        nameset_add(&set, "dm-0");
        assert_false(set.all);
        nameset_add(&set, "one-more");
        assert_true(set.all);
        assert_int_equal(set.n, 0);
        assert_true(nameset_contains(&set, "whatever"));
        assert_false(set.n == 0 && !set.all);
        nameset_add(&set, "md0");
        assert_int_equal(set.n, 0);
}

static void test_all(void **state) {
        _cleanup_(nameset_done) struct nameset set = {};

        nameset_add(&set, "md0");
        nameset_add_all(&set);
        assert_true(set.all);
        assert_null(set.names);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_names),
                        cmocka_unit_test(test_full_set_is_all),
                        cmocka_unit_test(test_all),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
