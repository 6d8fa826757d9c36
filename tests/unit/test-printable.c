/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/cleanup.h"
#include "common/printable.h"

static void test_escape(void **state) {
        static const struct {
                const char *text, *terminal, *utf8;
        } cases[] = {
                        {"", "", ""}, {"vg0/data (dm-0)", "vg0/data (dm-0)", "vg0/data (dm-0)"},
                        {"données 2 × ×→", "données 2 × ×→", "données 2 × ×→"}, {"😀", "😀", "😀"},
                        {"\x1b[2J", "\\x1b[2J", "\x1b[2J"}, {"a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f", "a\nb\tc\x7f"},
                        {"\xc2\x9b"
                         "1m",
                                        "\\xc2\\x9b1m",
                                        "\xc2\x9b"
                                        "1m"}, /* CSI of C1 */
                        {"a\xe2\x80\xae"
                         "b",
                                        "a\\xe2\\x80\\xaeb",
                                        "a\xe2\x80\xae"
                                        "b"},                                /* right-to-left override */
                        {"\xe2\x80\xa8", "\\xe2\\x80\\xa8", "\xe2\x80\xa8"}, /* line separator */
                        {"\xff\xfe", "\\xff\\xfe", "\\xff\\xfe"}, {"\x80", "\\x80", "\\x80"},
                        {"\xc3", "\\xc3", "\\xc3"},                                           /* cut off */
                        {"\xe2\x82", "\\xe2\\x82", "\\xe2\\x82"},                             /* cut off */
                        {"\xc0\xaf", "\\xc0\\xaf", "\\xc0\\xaf"},                             /* overlong */
                        {"\xe0\x80\xaf", "\\xe0\\x80\\xaf", "\\xe0\\x80\\xaf"},               /* overlong */
                        {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"},               /* surrogate */
                        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80"}, /* above U+10FFFF */
                        {"\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80", "\\xf8\\x88\\x80\\x80\\x80"},
                        {"a\\x41", "a\\x5cx41", "a\\x41"}, /* what looks escaped, but was not */
                        {"a\\b", "a\\b", "a\\b"}, {"a\xe2\x80\x8b", "a\\xe2\\x80\\x8b", "a\xe2\x80\x8b"}, /* no width */
                        {"a\xc2\xad", "a\\xc2\\xad", "a\xc2\xad"},                           /* soft hyphen */
                        {"a\xf3\xa0\x81\x81", "a\\xf3\\xa0\\x81\\x81", "a\xf3\xa0\x81\x81"}, /* tag */
                        {"\xc2\xa0", "\xc2\xa0", "\xc2\xa0"},                                /* a blank is to be seen */
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(freep) char *terminal = printable_escape(cases[i].text);
                _cleanup_(freep) char *utf8 = printable_to_utf8(cases[i].text);

                assert_string_equal(terminal, cases[i].terminal);
                assert_string_equal(utf8, cases[i].utf8);
                if (strchr(cases[i].text, '\\'))
                        continue; /* a backslash is to be seen, although it may be escaped */
                assert_int_equal(printable_is(cases[i].text), strcmp(terminal, cases[i].text) == 0);
        }
}

/* What is printed is what is copied, and is safe whatever the bytes are. */
static void test_every_byte(void **state) {
        for (unsigned first = 1; first < 256; first++)
                for (unsigned second = 0; second < 256; second++) {
                        const char text[] = {(char)first, (char)second, '\0'};
                        _cleanup_(freep) char *copy = printable_escape(text), *printed = NULL, *again = NULL;
                        size_t length;
                        FILE *stream = open_memstream(&printed, &length);

                        printable_print(stream, text);
                        assert_int_equal(fclose(stream), 0);
                        assert_string_equal(printed, copy);
                        assert_true(printable_is(copy));
                        again = printable_to_utf8(copy);
                        assert_string_equal(again, copy);
                }
}

static void test_mask(void **state) {
        static const struct {
                const char *text, *masked;
        } cases[] = {
                        {"", ""},
                        {"vg0/lv0 \xc3\xa4", "vg0/lv0 \xc3\xa4"},
                        {"a\x1b[1mb\n", "a?[1mb?"},
                        {"a\xe2\x80\xaez", "a???z"},
                        {"\xff\xc3", "??"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char text[32];

                snprintf(text, sizeof(text), "%s", cases[i].text);
                printable_mask(text);
                assert_string_equal(text, cases[i].masked);
                assert_true(printable_is(text));
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_escape),
                        cmocka_unit_test(test_every_byte),
                        cmocka_unit_test(test_mask),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
