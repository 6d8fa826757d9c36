/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "cli/text.h"
#include "common/cleanup.h"
#include "common/topology.h"

static void test_layer_title(void **state) {
        const struct layer map = {.name = "dm-0", .label = "vg0/data"}, array = {.name = "md0", .label = "md0"};
        _cleanup_(freep) char *map_title = text_layer_title(&map);
        _cleanup_(freep) char *array_title = text_layer_title(&array);

        assert_string_equal(map_title, "vg0/data (dm-0)");
        assert_string_equal(array_title, "md0");
}

static void test_print_is_one_line(void **state) {
        _cleanup_(freep) char *text = NULL;
        size_t length = 0;
        FILE *stream = open_memstream(&text, &length);

        text_print(stream, "%s: %d", "two\nlines", 3);
        assert_int_equal(fclose(stream), 0);
        assert_string_equal(text, "two\\x0alines: 3\n");
}

/* As JSON is printed: blanks stay, what acts on a terminal is escaped, all else is left as it is. */
static void test_write_json(void **state) {
        static const struct {
                const char *json, *written;
        } cases[] = {
                        {"", ""}, {"{\n  \"a\": \"2 × 卷\"\n}", "{\n  \"a\": \"2 × 卷\"\n}"},
                        {"\"\x7f\"", "\"\\u007f\""}, {"\"\xc2\x9b\xc2\x9b\"", "\"\\u009b\\u009b\""},
                        {"\"a\xe2\x80\xae\xe2\x81\xa9\"", "\"a\\u202e\\u2069\""}, {"\xef\xbb\xbf", "\\ufeff"},
                        {"\xe2\x80\x8b", "\\u200b"}, {"\xf3\xa0\x81\x81😀", "\\udb40\\udc41😀"}, /* a tag: above U+FFFF */
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(freep) char *text = NULL;
                size_t length = 0;
                FILE *stream = open_memstream(&text, &length);

                assert_int_equal(text_write_json(stream, cases[i].json, strlen(cases[i].json)), 0);
                assert_int_equal(fclose(stream), 0);
                assert_string_equal(text, cases[i].written);
        }
}

static void test_write_json_fails(void **state) {
        FILE *full = fopen("/dev/full", "we");

        assert_non_null(full);
        setbuf(full, NULL);
        assert_int_equal(text_write_json(full, "\"a\"", 3), -EIO);
        assert_int_equal(text_write_json(full, "\x7f", 1), -EIO);
        fclose(full);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_layer_title),
                        cmocka_unit_test(test_print_is_one_line),
                        cmocka_unit_test(test_write_json),
                        cmocka_unit_test(test_write_json_fails),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
