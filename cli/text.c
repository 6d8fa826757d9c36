/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cli/text.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/topology.h"

#define LINE_COLUMNS 80U
#define TEXT_ROOM    ((size_t)1024)
#define CUT          "... (the rest is left out: Cannot allocate memory)"

/* The length of what is written as it is. ASCII's controls are blanks there, or escaped already. */
static size_t plain_json(const char *json, size_t size, uint32_t *ret_acting, size_t *ret_length) {
        size_t i = 0;

        *ret_length = 0;
        while (i < size && *ret_length == 0) {
                const unsigned char *s = (const unsigned char *)json + i;
                uint32_t c = *s;
                size_t n = *s < 0x7f ? 1 : printable_decode(s, &c);

                if (c >= 0x7f && n > 0 && printable_is_acting(c)) {
                        *ret_acting = c;
                        *ret_length = n;
                } else
                        i += n > 0 ? n : 1;
        }
        return i;
}

/* What is above U+FFFF takes a pair of surrogates. */
static int write_escape(FILE *stream, uint32_t c) {
        uint32_t above;

        if (c < 0x10000)
                return fprintf(stream, "\\u%04" PRIx32, c);
        above = c - 0x10000;
        return fprintf(stream, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd800 | above >> 10, 0xdc00 | (above & 0x3ff));
}

int text_write_json(FILE *stream, const char *json, size_t size) {
        while (size > 0) {
                uint32_t acting = 0;
                size_t length, n = plain_json(json, size, &acting, &length);

                if (fwrite(json, 1, n, stream) != n)
                        return -EIO;
                if (length > 0 && write_escape(stream, acting) < 0)
                        return -EIO;
                json += n + length;
                size -= n + length;
        }
        return 0;
}

char *text_layer_title(const struct layer *layer) {
        char *title = NULL;

        if (strcmp(layer->label, layer->name) == 0)
                return strdup(layer->name);
        return asprintf(&title, "%s (%s)", layer->label, layer->name) < 0 ? NULL : title;
}

/* Most lines are short, and that there is no memory must be said without any. */
struct line {
        char escaped[TEXT_ROOM * PRINTABLE_ESCAPED_BYTE + sizeof(CUT)];
        char *longer; /* NULL: it is in escaped */
};

static void line_done(struct line *line) {
        free(line->longer);
}

/* Escaped, for a terminal; one that is long is cut where there is no memory for it, and says so. */
__attribute__((format(printf, 2, 0))) static const char *line_format(
                struct line *line, const char *format, va_list arguments) {
        _cleanup_(freep) char *whole = NULL;
        char text[TEXT_ROOM];
        va_list again;
        int n;

        line->longer = NULL;
        va_copy(again, arguments);
        n = vsnprintf(text, sizeof(text), format, arguments);
        if (n >= (int)sizeof(text) && vasprintf(&whole, format, again) < 0)
                whole = NULL;
        va_end(again);
        if (whole)
                line->longer = printable_escape(whole);
        if (line->longer)
                return line->longer;
        printable_copy(line->escaped, text, false);
        if (n < 0 || n >= (int)sizeof(text))
                memcpy(line->escaped + strlen(line->escaped), CUT, sizeof(CUT)); /* there is room for it */
        return line->escaped;
}

__attribute__((format(printf, 3, 0))) static void print_line(
                FILE *stream, const char *prefix, const char *format, va_list arguments) {
        _cleanup_(line_done) struct line line;

        fprintf(stream, "%s%s\n", prefix, line_format(&line, format, arguments));
}

void text_print(FILE *stream, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        print_line(stream, "", format, arguments);
        va_end(arguments);
}

/* Characters count, as the text has none that are wide but by a device's name. */
static unsigned count_columns(const char *text, size_t n) {
        unsigned columns = 0;

        for (size_t i = 0; i < n; i++)
                columns += ((unsigned char)text[i] & 0xc0) != 0x80;
        return columns;
}

/* Blanks inside a line stay as they are, so that columns line up. */
static void wrap(FILE *stream, unsigned first, unsigned rest, const char *text) {
        unsigned at = first;
        bool begun = false;

        fprintf(stream, "%*s", (int)first, "");
        while (*text) {
                size_t blanks = strspn(text, " "), n = strcspn(text + blanks, " ");
                unsigned columns = count_columns(text + blanks, n);

                if (begun && at + blanks + columns > LINE_COLUMNS) {
                        fprintf(stream, "\n%*s", (int)rest, "");
                        at = rest;
                        text += blanks;
                        blanks = 0;
                }
                fwrite(text, 1, blanks + n, stream);
                at += (unsigned)blanks + columns;
                text += blanks + n;
                begun = true;
        }
        fputc('\n', stream);
}

void text_print_wrapped(FILE *stream, unsigned first, unsigned rest, const char *format, ...) {
        _cleanup_(line_done) struct line line;
        va_list arguments;

        va_start(arguments, format);
        wrap(stream, first, rest, line_format(&line, format, arguments));
        va_end(arguments);
}

void text_error(const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        print_line(stderr, "setractl: ", format, arguments);
        va_end(arguments);
}

void text_note(const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        print_line(stderr, "note: ", format, arguments);
        va_end(arguments);
}
