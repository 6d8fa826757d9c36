/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "config/policy-error.h"
#include "config/policy-syntax.h"

/* How much of a line is kept: enough for a terminal, and bounded where one line is the whole file. In characters. */
#define LINE_BEFORE_MAX 200U
#define LINE_AFTER_MAX  200U

static void policy_error_done(struct policy_error *error) {
        free(error->file);
        free(error->text);
        free(error->line_text);
}

void policy_errors_done(struct policy_errors *errors) {
        for (size_t i = 0; i < errors->n_items; i++)
                policy_error_done(&errors->items[i]);
        free(errors->items);
        for (size_t i = 0; i < errors->n_files; i++)
                free(errors->files[i]);
        free(errors->files);
        *errors = (struct policy_errors){0};
}

char *policy_error_format(const struct policy_error *error) {
        char *s = NULL;
        int r;

        if (error->line > 0)
                r = asprintf(&s, "%s:%u:%u: %s", error->file, error->line, error->column, error->text);
        else
                r = asprintf(&s, "%s: %s", error->file, error->text);
        return r < 0 ? NULL : s;
}

/* An array has room for a power of two, so its size says when it is full. NULL without memory. */
static void *make_room(void *items, size_t n, size_t size) {
        if ((n & (n - 1)) != 0)
                return items;
        return reallocarray(items, n ? n * 2 : 1, size);
}

/* The length of a whole UTF-8 character that is no control character; 0 if there is none. */
static size_t printable_length(const char *s) {
        unsigned char c = (unsigned char)s[0];
        size_t n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

        if (c < ' ' || c == 0x7f || (c >= 0x80 && c < 0xc2) || c > 0xf4 || (c == 0xc2 && (unsigned char)s[1] < 0xa0))
                return 0;
        for (size_t i = 1; i < n; i++)
                if (((unsigned char)s[i] & 0xc0) != 0x80)
                        return 0;
        return n;
}

/* Errors quote the file, and go to terminals and to the journal. */
static void make_printable(char *s) {
        while (*s) {
                size_t n = printable_length(s);

                if (n == 0)
                        *s = '?';
                s += n > 0 ? n : 1;
        }
}

int policy_errors_add(struct policy_errors *errors, const char *file, unsigned line, unsigned column,
                const char *format, ...) {
        _cleanup_(freep) char *text = NULL, *name = NULL;
        struct policy_error *items;
        va_list args;
        int r;

        if (errors->n_items >= POLICY_ERRORS_MAX)
                return -EINVAL;

        va_start(args, format);
        r = vasprintf(&text, format, args);
        va_end(args);
        if (r < 0) {
                text = NULL;
                return -ENOMEM;
        }
        make_printable(text);
        name = strdup(file);
        if (!name)
                return -ENOMEM;
        items = make_room(errors->items, errors->n_items, sizeof(*items));
        if (!items)
                return -ENOMEM;
        errors->items = items;

        errors->items[errors->n_items++] = (struct policy_error){
                        .file = TAKE_PTR(name),
                        .line = line,
                        .column = column,
                        .text = TAKE_PTR(text),
        };
        return -EINVAL;
}

static int compare_places(const struct policy_error *a, const struct policy_error *b) {
        if (a->line != b->line)
                return a->line < b->line ? -1 : 1;
        return (a->column > b->column) - (a->column < b->column);
}

/* What an anchor holds is looked at once for each of its aliases, and is wrong each time. */
static bool is_repeated(const struct policy_error *sorted, size_t n, const struct policy_error *error) {
        for (size_t i = n; i-- > 0 && compare_places(&sorted[i], error) == 0;)
                if (strcmp(sorted[i].text, error->text) == 0)
                        return true;
        return false;
}

void policy_errors_sort(struct policy_errors *errors, size_t first) {
        struct policy_error *items;
        size_t n_sorted = 0;

        if (first == errors->n_items)
                return;
        items = errors->items + first;
        for (size_t i = 0, n = errors->n_items - first; i < n; i++) {
                struct policy_error error = items[i];
                size_t at = n_sorted;

                while (at > 0 && compare_places(&items[at - 1], &error) > 0)
                        at--;
                if (is_repeated(items, at, &error)) {
                        policy_error_done(&error);
                        continue;
                }
                memmove(&items[at + 1], &items[at], (n_sorted - at) * sizeof(*items));
                items[at] = error;
                n_sorted++;
        }
        errors->n_items = first + n_sorted;
}

int policy_errors_add_file(struct policy_errors *errors, const char *file) {
        _cleanup_(freep) char *name = strdup(file);
        char **files;

        if (!name)
                return -ENOMEM;
        files = make_room(errors->files, errors->n_files, sizeof(*files));
        if (!files)
                return -ENOMEM;
        errors->files = files;
        errors->files[errors->n_files++] = TAKE_PTR(name);
        return 0;
}

/* The length of the line at S, its end left out. */
static size_t line_length(const char *s, size_t length) {
        size_t n = 0;

        while (n < length && syntax_break_length(s + n, length - n) == 0)
                n++;
        return n;
}

/* Past the line at S and its end. */
static size_t skip_line(const char *s, size_t length) {
        size_t n = line_length(s, length);

        return n + syntax_break_length(s + n, length - n);
}

/* Past N characters at S. */
static size_t skip_characters(const char *s, size_t length, unsigned n) {
        size_t i = 0;

        for (; i < length && n > 0; n--)
                i += syntax_character_length(s + i, length - i);
        return i;
}

/* Takes of the line at S what is kept of it. A NUL ends the copy: where one is, it is what the error is about. */
static int set_line(struct policy_error *error, const char *s, size_t length) {
        unsigned before = error->column > LINE_BEFORE_MAX ? error->column - LINE_BEFORE_MAX : 0;
        size_t begin = skip_characters(s, length, before);
        size_t n = skip_characters(s + begin, length - begin, LINE_BEFORE_MAX + LINE_AFTER_MAX);

        error->line_text = strndup(s + begin, n);
        error->line_column = before + 1;
        return error->line_text ? 0 : -ENOMEM;
}

int policy_errors_set_lines(struct policy_errors *errors, size_t first, const char *text, size_t length) {
        const char *s = syntax_skip_bom(text, &length);
        unsigned line = 1;

        for (size_t i = first; i < errors->n_items; i++) {
                struct policy_error *error = &errors->items[i];
                int r;

                if (error->line == 0)
                        continue;
                for (; line < error->line; line++) {
                        size_t n = skip_line(s, length);

                        s += n;
                        length -= n;
                }
                r = set_line(error, s, line_length(s, length));
                if (r < 0)
                        return r;
        }
        return 0;
}
