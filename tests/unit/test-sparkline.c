/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/sparkline.h"
#include "common/cleanup.h"

static void expect(const double *values, size_t n, const char *blocks, const char *plain) {
        _cleanup_(freep) char *utf8 = sparkline_format(values, n, true), *ascii = sparkline_format(values, n, false);

        assert_string_equal(utf8, blocks);
        assert_string_equal(ascii, plain);
}

static void test_levels(void **state) {
        const double steps[] = {1, 2, 3, 4, 5, 6, 7, 8}, between[] = {0.1, 1.1, 4.5, 7.1, 8};

        expect(steps, ARRAY_SIZE(steps), "▁▂▃▄▅▆▇█", "_.-=+*#@");
        expect(between, ARRAY_SIZE(between), "▁▂▅██", "_.+@@");
}

/* What differs little looks alike. */
static void test_from_zero(void **state) {
        const double values[] = {100, 99, 101}, readahead[] = {256, 7168, 256};

        expect(values, ARRAY_SIZE(values), "███", "@@@");
        expect(readahead, ARRAY_SIZE(readahead), "▁█▁", "_@_");
}

static void test_unknown(void **state) {
        const double values[] = {NAN, 1, -1, INFINITY, 2};

        expect(values, ARRAY_SIZE(values), " ▄  █", " =  @");
        expect(values, 1, " ", " ");
}

static void test_few(void **state) {
        const double zeros[] = {0, 0}, one[] = {5};

        expect(NULL, 0, "", "");
        expect(zeros, ARRAY_SIZE(zeros), "▁▁", "__");
        expect(one, ARRAY_SIZE(one), "█", "@");
}

static void test_large(void **state) {
        const double values[] = {1e308, 1.7e308, 1e-320};

        expect(values, ARRAY_SIZE(values), "▅█▁", "+@_");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_levels),
                        cmocka_unit_test(test_from_zero),
                        cmocka_unit_test(test_unknown),
                        cmocka_unit_test(test_few),
                        cmocka_unit_test(test_large),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
