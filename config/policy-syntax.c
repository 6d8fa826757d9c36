/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "config/policy-error.h"
#include "config/policy-syntax.h"

#define QUOTED_MAX 64U

/* What usually is behind one of libyaml's messages. The first row that fits is taken. */
static const struct {
        char at;             /* the character that it stumbled over; 0: any */
        const char *context; /* part of what it was doing; NULL: anything */
        const char *problem; /* part of what it says; NULL: anything */
        const char *advice;
} advices[] = {
                {'\t', NULL, "cannot start any token", "a tab: YAML indents with spaces"},
                {'\t', NULL, "found a tab", "a tab: YAML indents with spaces"},
                {0, NULL, "cannot start any token", "a value that begins with this character needs quotes"},
                {0, "alias", NULL, "a pattern that begins with * needs quotes"},
                {0, "anchor", NULL, "a value that begins with & needs quotes"},
                {0, "tag", NULL, "a value that begins with ! needs quotes"},
                {0, "block scalar", NULL, "a value that begins with > or | needs quotes, as size: \">= 1TiB\""},
                {0, "quoted scalar", "end of stream", "the closing quote is missing"},
                {0, "quoted scalar", "unknown escape",
                                "write \\\\ for a backslash in double quotes, or use single ones"},
                {0, NULL, "mapping values are not allowed",
                                "put a value with \": \" in it in quotes, or mend the indentation"},
                {0, NULL, "found unexpected ':'", "a key is followed by \": \" and its value"},
                {0, NULL, "could not find expected ':'", "a key is followed by \": \" and its value"},
                {0, "flow sequence", NULL, "a list in brackets is [one, two]"},
                {0, "flow mapping", NULL, "a mapping in braces is {key: value, key: value}"},
                {0, NULL, "did not find expected key", "the keys of one mapping are indented alike"},
                {0, NULL, "did not find expected '-' indicator",
                                "the items of one list are indented alike, each with \"- \""},
                {0, NULL, "block sequence entries are not allowed", "a list begins on a line of its own"},
};

const char *syntax_skip_bom(const char *text, size_t *length) {
        if (*length < 3 || memcmp(text, "\xef\xbb\xbf", 3) != 0)
                return text;
        *length -= 3;
        return text + 3;
}

size_t syntax_break_length(const char *s, size_t length) {
        static const char *const breaks[] = {"\r\n", "\r", "\n", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};

        /* Asked of every byte: most begin none. */
        if (length == 0 || !strchr("\r\n\xc2\xe2", *s) || !*s)
                return 0;
        for (size_t i = 0; i < ARRAY_SIZE(breaks); i++) {
                size_t n = strlen(breaks[i]);

                if (n <= length && memcmp(s, breaks[i], n) == 0)
                        return n;
        }
        return 0;
}

size_t syntax_character_length(const char *s, size_t length) {
        unsigned char c = (unsigned char)*s;
        size_t n = c < 0xc2 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 1;

        if (n > length)
                return 1;
        for (size_t i = 1; i < n; i++)
                if (((unsigned char)s[i] & 0xc0) != 0x80)
                        return 1;
        return n;
}

static bool holds(const char *text, const char *part) {
        return !part || (text && strstr(text, part));
}

static const char *find_advice(const yaml_parser_t *parser, char at) {
        for (size_t i = 0; i < ARRAY_SIZE(advices); i++)
                if ((!advices[i].at || advices[i].at == at) && holds(parser->context, advices[i].context) &&
                                holds(parser->problem, advices[i].problem))
                        return advices[i].advice;
        return NULL;
}

/* Line and column, in characters, of a byte; from 0, as libyaml counts. */
static yaml_mark_t mark_of_offset(const char *text, size_t offset) {
        yaml_mark_t mark = {0};

        for (size_t i = 0; i < offset;) {
                size_t n = syntax_break_length(text + i, offset - i);

                if (n > 0) {
                        mark.line++;
                        mark.column = 0;
                } else {
                        n = syntax_character_length(text + i, offset - i);
                        mark.column++;
                }
                i += n;
        }
        return mark;
}

/* Where line NUMBER (from 0) begins; the end of the text if there is none. */
static size_t find_line(const char *text, size_t length, size_t number) {
        size_t i = 0;

        for (size_t line = 0; i < length && line < number;) {
                size_t n = syntax_break_length(text + i, length - i);

                line += n > 0;
                i += n > 0 ? n : 1;
        }
        return i;
}

/* The byte at a mark; 0 at the end of the text. */
static char byte_at_mark(const char *text, size_t length, yaml_mark_t mark) {
        size_t i = find_line(text, length, mark.line);

        for (size_t column = 0; i < length && column < mark.column; column++)
                i += syntax_character_length(text + i, length - i);
        return (char)(i < length ? text[i] : '\0');
}

static int encoding_error(const yaml_parser_t *parser, const char *name, const char *text, size_t length,
                struct policy_errors *errors) {
        size_t offset = parser->problem_offset < length ? parser->problem_offset : length;
        yaml_mark_t mark = mark_of_offset(text, offset);
        const char *what = strstr(parser->problem, "control") ? "a control character" : "not UTF-8";

        if (parser->problem_value < 0)
                return policy_errors_add(errors, name, (unsigned)mark.line + 1, (unsigned)mark.column + 1,
                                "not UTF-8 (a character is cut off): such a file is text in UTF-8");
        return policy_errors_add(errors, name, (unsigned)mark.line + 1, (unsigned)mark.column + 1,
                        "%s (0x%02X): such a file is text in UTF-8", what, (unsigned)parser->problem_value);
}

/* The beginning of a line that is a word, a colon and no blank after it, as "- name:home". */
struct glued {
        size_t column; /* of the word, from 0 */
        const char *word;
        int n_word;
        const char *value;
        int n_value;
};

static bool find_glued(const char *text, size_t length, size_t start, struct glued *ret) {
        size_t i = start, colon, end;

        while (i < length && (text[i] == ' ' || (text[i] == '-' && i + 1 < length && text[i + 1] == ' ')))
                i++;
        if (i >= length || !islower((unsigned char)text[i]))
                return false;
        for (colon = i; colon < length && (islower((unsigned char)text[colon]) || text[colon] == '-');)
                colon++;
        if (colon + 1 >= length || text[colon] != ':' || strchr(" \t:", text[colon + 1]))
                return false;
        for (end = colon + 1; end < length && syntax_break_length(text + end, length - end) == 0; end++)
                if (text[end] == '#' && text[end - 1] == ' ')
                        break;
        while (end > colon + 1 && text[end - 1] == ' ')
                end--;
        if (end - i > QUOTED_MAX)
                return false;

        *ret = (struct glued){.column = i - start,
                        .word = text + i,
                        .n_word = (int)(colon - i),
                        .value = text + colon + 1,
                        .n_value = (int)(end - colon - 1)};
        return ret->n_value > 0;
}

/*
 * A key without a blank after its colon is a text, and goes on in the next lines until something else is found wrong
 * there: at the next key that is right, or where a key alone in its line must have ended. True if that is what it was.
 */
static bool find_missing_blank(
                const yaml_parser_t *parser, const char *text, size_t length, struct glued *ret, size_t *ret_line) {
        struct glued glued;
        bool found = false;

        if (!parser->problem)
                return false;
        if (strstr(parser->problem, "could not find expected ':'")) {
                *ret_line = parser->context_mark.line;
                return find_glued(text, length, find_line(text, length, *ret_line), ret);
        }
        if (!strstr(parser->problem, "mapping values are not allowed"))
                return false;
        for (size_t line = 0, i = 0; line < parser->problem_mark.line;
                        line++, i += find_line(text + i, length - i, 1)) {
                bool is_glued = find_glued(text, length, i, &glued);

                if (is_glued && !found) {
                        *ret = glued;
                        *ret_line = line;
                }
                found = is_glued;
        }
        return found;
}

int syntax_error(const yaml_parser_t *parser, const char *name, const char *text, size_t length,
                struct policy_errors *errors) {
        yaml_mark_t mark = parser->problem_mark;
        struct glued glued;
        const char *advice;
        size_t line = 0;
        char at;

        if (parser->error == YAML_MEMORY_ERROR)
                return -ENOMEM;
        if (parser->error == YAML_READER_ERROR)
                return encoding_error(parser, name, text, length, errors);

        if (find_missing_blank(parser, text, length, &glued, &line))
                return policy_errors_add(errors, name, (unsigned)line + 1, (unsigned)glued.column + 1,
                                "write %.*s: %.*s, with a blank after the colon", glued.n_word, glued.word,
                                glued.n_value, glued.value);

        /* What is never closed is found at the end of the file; where it begins tells more. */
        at = byte_at_mark(text, length, mark);
        if (at == 0 && parser->context)
                mark = parser->context_mark;

        advice = find_advice(parser, at);
        return policy_errors_add(errors, name, (unsigned)mark.line + 1, (unsigned)mark.column + 1,
                        "not YAML: %s%s%s%s%s", parser->context ? parser->context : "", parser->context ? ", " : "",
                        parser->problem ? parser->problem : "unknown error", advice ? "; " : "", advice ? advice : "");
}
