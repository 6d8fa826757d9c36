/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "config/policy-error.h"

static void policy_error_done(struct policy_error *error) {
        free(error->file);
        free(error->text);
}

void policy_errors_done(struct policy_errors *errors) {
        for (size_t i = 0; i < errors->n_items; i++)
                policy_error_done(&errors->items[i]);
        free(errors->items);
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

/* The array has room for a power of two, so its size says when it is full. */
static int make_room(struct policy_errors *errors) {
        size_t n = errors->n_items;
        struct policy_error *items;

        if ((n & (n - 1)) != 0)
                return 0;
        items = reallocarray(errors->items, n ? n * 2 : 1, sizeof(*items));
        if (!items)
                return -ENOMEM;
        errors->items = items;
        return 0;
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
        r = make_room(errors);
        if (r < 0)
                return r;

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
