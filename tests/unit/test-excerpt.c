/* SPDX-License-Identifier: MIT */

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "cli/excerpt.h"

/* What is shown of LINE below the message, for an error at COLUMN. */
static char *show(const char *line, unsigned column, unsigned line_column) {
        struct policy_error error = {
                        .file = (char[]){"f"},
                        .line = 3,
                        .column = column,
                        .text = (char[]){"wrong"},
                        .line_text = strdup(line),
                        .line_column = line_column,
        };
        char prefix[64];
        char *text, *shown;

        assert_non_null(error.line_text);
        text = excerpt_format(&error);
        free(error.line_text);
        assert_non_null(text);
        snprintf(prefix, sizeof(prefix), "f:3:%u: wrong\n", column);
        assert_memory_equal(text, prefix, strlen(prefix));
        shown = strdup(text + strlen(prefix));
        free(text);
        return shown;
}

static const struct {
        const char *line;
        unsigned column;
        const char *shown;
} cases[] = {
                {"abc", 1, "    abc\n    ^\n"},
                {"abc", 3, "    abc\n      ^\n"},
                {"abc", 4, "    abc\n       ^\n"},
                {"abc", 99, "    abc\n       ^\n"},
                {"", 1, "    \n    ^\n"},
                {"\tx", 2, "            x\n            ^\n"},
                {"ab\tx", 4, "    ab      x\n            ^\n"},
                {"ab\tx", 3, "    ab      x\n      ^\n"},
                {"äöü: x", 6, "    äöü: x\n         ^\n"},
                {"宽宽x", 3, "    宽宽x\n        ^\n"},
                {"宽宽x", 2, "    宽宽x\n      ^\n"},
                {"e\u0301x", 3, "    e\u0301x\n     ^\n"}, /* a combining accent */
                {"a\x1b[2Jb", 6, "    a\\x1b[2Jb\n            ^\n"},
                {"a\x80\xff"
                 "b",
                                4, "    a\\x80\\xffb\n             ^\n"},
                {"a\u202e b", 3, "    a\\xe2\\x80\\xae b\n                 ^\n"},
                {"\\x41", 2, "    \\x41\n     ^\n"},
};

static void test_lines(void **state) {
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(freep) char *shown = show(cases[i].line, cases[i].column, 1);

                assert_string_equal(shown, cases[i].shown);
        }
}

/* The caret is below CHARACTER, the one that is looked for in a line of others; the line has not more than its columns. */
static void assert_points_at(const char *shown, char character) {
        const char *end = strchr(shown, '\n'), *at = strchr(shown, character), *caret = strchr(end, '^');
        wchar_t wide[512];
        char part[512];
        int width, before;

        assert_non_null(at);
        assert_true(at < end);
        snprintf(part, sizeof(part), "%.*s", (int)(end - shown), shown);
        width = wcswidth(wide, mbstowcs(wide, part, ARRAY_SIZE(wide)));
        assert_in_range(width, EXCERPT_COLUMNS_MAX / 2, EXCERPT_COLUMNS_MAX);
        snprintf(part, sizeof(part), "%.*s", (int)(at - shown), shown);
        before = wcswidth(wide, mbstowcs(wide, part, ARRAY_SIZE(wide)));
        assert_int_equal(caret - end - 1, before);
}

static void test_long_lines(void **state) {
        static const char *const fillers[] = {"a", "宽", "a宽", "\x01", "é"};

        for (size_t f = 0; f < ARRAY_SIZE(fillers); f++)
                for (unsigned column = 1; column <= 300; column++) {
                        _cleanup_(freep) char *shown = NULL;
                        char line[2048] = "";

                        for (unsigned i = 1; i <= 300; i++)
                                snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s",
                                                i == column ? "#" : fillers[f]);
                        shown = show(line, f == 2 ? 2 * column - 1 : column, 1);
                        assert_points_at(shown, '#');
                }
}

/* A line that fits is not cut. */
static void test_width(void **state) {
        char line[128];
        _cleanup_(freep) char *fits = NULL, *cut = NULL;

        memset(line, 'a', sizeof(line));
        line[EXCERPT_COLUMNS_MAX - 4] = '\0';
        fits = show(line, 1, 1);
        assert_null(strstr(fits, "…"));
        line[EXCERPT_COLUMNS_MAX - 4] = 'a';
        line[EXCERPT_COLUMNS_MAX - 3] = '\0';
        cut = show(line, 1, 1);
        assert_non_null(strstr(cut, "a…\n"));
}

/* Of a line that is kept in part, the first column is not 1. */
static void test_part_of_line(void **state) {
        _cleanup_(freep) char *shown = show("abc", 1002, 1001);

        assert_string_equal(shown, "    …abc\n      ^\n");
}

static void test_whole_file(void **state) {
        struct policy_error error = {.file = (char[]){"a\x1b"}, .text = (char[]){"empty"}};
        _cleanup_(freep) char *text = excerpt_format(&error);

        assert_string_equal(text, "a\\x1b: empty\n");
}

/* The line that an error comes with, whatever ends the lines of the file. */
static void test_lines_of_files(void **state) {
        static const struct {
                const char *text, *line;
        } files[] = {
                        {"version: 1\nrulez: []\nrules: []\n", "rulez: []"},
                        {"version: 1\r\nrulez: []\r\nrules: []\r\n", "rulez: []"},
                        {"version: 1\rrulez: []\rrules: []\r", "rulez: []"},
                        {"version: 1\xc2\x85rulez: []\u2028rules: []\u2029", "rulez: []"},
                        {"\xef\xbb\xbf"
                         "rulez: []\nversion: 1\nrules: []",
                                        "rulez: []"},
                        {"version: 1\nrules: []\nrulez: []", "rulez: []"},
                        {"version: 1\nrules: []\n#a\xff\n", "#a\xff"},
                        {"version: 1\nrules: []\nb: \x1b\n", "b: \x1b"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
                _cleanup_(policy_errors_done) struct policy_errors errors = {};
                struct policy *policy = NULL;

                assert_true(policy_load_text("f", files[i].text, strlen(files[i].text), &policy, &errors) < 0);
                assert_int_equal(errors.n_items, 1);
                assert_string_equal(errors.items[0].line_text, files[i].line);
                assert_int_equal(errors.items[0].line_column, 1);
        }
}

/* Only so much of a line that is the whole file is kept. */
static void test_bounded_line(void **state) {
        _cleanup_(policy_errors_done) struct policy_errors errors = {};
        _cleanup_(freep) char *text = malloc(100001);
        struct policy *policy = NULL;

        assert_non_null(text);
        memset(text, ' ', 100000);
        memcpy(text, "{version: 1, rules: [],", 23);
        memcpy(text + 50000, "rulez: []", 9);
        text[99999] = '}';
        text[100000] = '\0';
        assert_true(policy_load_text("f", text, 100000, &policy, &errors) < 0);
        assert_int_equal(errors.items[0].column, 50001);
        assert_true(strlen(errors.items[0].line_text) <= 400);
        assert_memory_equal(
                        errors.items[0].line_text + errors.items[0].column - errors.items[0].line_column, "rulez", 5);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_lines),
                        cmocka_unit_test(test_long_lines),
                        cmocka_unit_test(test_width),
                        cmocka_unit_test(test_part_of_line),
                        cmocka_unit_test(test_whole_file),
                        cmocka_unit_test(test_lines_of_files),
                        cmocka_unit_test(test_bounded_line),
        };

        setlocale(LC_CTYPE, "C.UTF-8");
        return cmocka_run_group_tests(tests, NULL, NULL);
}
