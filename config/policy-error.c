/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "common/growth.h"
#include "common/printable.h"
#include "common/wrap.h"
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
        free(errors->rest);
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
        return growth_is_due(n) ? reallocarray(items, growth_room(n), size) : items;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n) {
        const unsigned char *s = bytes;

        for (size_t i = 0; i < n; i++)
                hash = fnv_add(hash, s[i]);
        return hash;
}

/* Counts an error for which there is no place, so that one that comes again and again can be told from many. */
static int add_to_rest(struct policy_errors *errors, const struct policy_error *error) {
        uint64_t *rest = make_room(errors->rest, errors->n_rest, sizeof(*rest));
        uint64_t hash = FNV_OFFSET;

        if (!rest)
                return -ENOMEM;
        hash = hash_bytes(hash, &error->line, sizeof(error->line));
        hash = hash_bytes(hash, &error->column, sizeof(error->column));
        errors->rest = rest;
        errors->rest[errors->n_rest++] = hash_bytes(hash, error->text, strlen(error->text));
        return 0;
}

/* Takes over the file and the text of ERROR. */
static int add_item(struct policy_errors *errors, struct policy_error *error) {
        struct policy_error *items = make_room(errors->items, errors->n_items, sizeof(*items));

        if (!items)
                return -ENOMEM;
        errors->items = items;
        errors->items[errors->n_items++] = *error;
        *error = (struct policy_error){0};
        return 0;
}

/* How many of the last items are of FILE, at most POLICY_ERRORS_MAX. Those of one file stand together. */
static size_t count_of_file(const struct policy_errors *errors, const char *file) {
        size_t n = 0;

        if (errors->n_items >= POLICY_ERRORS_MAX &&
                        strcmp(errors->items[errors->n_items - POLICY_ERRORS_MAX].file, file) == 0)
                return POLICY_ERRORS_MAX;
        while (n < errors->n_items && n < POLICY_ERRORS_MAX &&
                        strcmp(errors->items[errors->n_items - 1 - n].file, file) == 0)
                n++;
        return n;
}

/* What an anchor holds is looked at once for each of its aliases, and is wrong each time. */
static bool is_repeated(const struct policy_errors *errors, size_t n_of_file, const struct policy_error *error) {
        for (size_t i = errors->n_items - n_of_file; i < errors->n_items; i++)
                if (errors->items[i].line == error->line && errors->items[i].column == error->column &&
                                strcmp(errors->items[i].text, error->text) == 0)
                        return true;
        return false;
}

int policy_errors_add(struct policy_errors *errors, const char *file, unsigned line, unsigned column,
                const char *format, ...) {
        _cleanup_(policy_error_done) struct policy_error error = {.line = line, .column = column};
        size_t n_of_file = count_of_file(errors, file);
        va_list args;
        int r;

        va_start(args, format);
        r = vasprintf(&error.text, format, args);
        va_end(args);
        if (r < 0) {
                error.text = NULL;
                return -ENOMEM;
        }
        printable_mask(error.text); /* it quotes the file, and goes to terminals and to the journal */
        if (is_repeated(errors, n_of_file, &error))
                return -EINVAL;
        if (n_of_file >= POLICY_ERRORS_MAX)
                r = add_to_rest(errors, &error);
        else
                r = (error.file = strdup(file)) ? add_item(errors, &error) : -ENOMEM;
        return r < 0 ? r : -EINVAL;
}

static int compare_places(const struct policy_error *a, const struct policy_error *b) {
        if (a->line != b->line)
                return a->line < b->line ? -1 : 1;
        return (a->column > b->column) - (a->column < b->column);
}

static int compare_hashes(const void *a, const void *b) {
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

static size_t count_rest(struct policy_errors *errors) {
        size_t n = 0;

        if (errors->n_rest > 0)
                qsort(errors->rest, errors->n_rest, sizeof(*errors->rest), compare_hashes);
        for (size_t i = 0; i < errors->n_rest; i++)
                n += i == 0 || errors->rest[i] != errors->rest[i - 1];
        return n;
}

/* Past the errors that there is place for. */
static int add_count(struct policy_errors *errors, size_t n) {
        _cleanup_(policy_error_done) struct policy_error error = {
                        .file = strdup(errors->items[errors->n_items - 1].file)};

        if (!error.file)
                return -ENOMEM;
        if (asprintf(&error.text, "… and %zu more error%s", n, n == 1 ? "" : "s") < 0) {
                error.text = NULL;
                return -ENOMEM;
        }
        return add_item(errors, &error);
}

int policy_errors_sort(struct policy_errors *errors, size_t first) {
        struct policy_error *items;
        size_t n_rest;

        if (errors->n_items == 0)
                return 0;
        items = errors->items + first;
        n_rest = count_rest(errors);
        for (size_t i = 1, n = errors->n_items - first; i < n; i++) {
                struct policy_error error = items[i];
                size_t at = i;

                while (at > 0 && compare_places(&items[at - 1], &error) > 0)
                        at--;
                memmove(&items[at + 1], &items[at], (i - at) * sizeof(*items));
                items[at] = error;
        }
        errors->n_rest = 0;
        return n_rest > 0 ? add_count(errors, n_rest) : 0;
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
