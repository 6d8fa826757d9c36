/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cli/text.h"
#include "common/cleanup.h"
#include "common/topology.h"

#define ESCAPED_BYTE 4 /* length of "\xHH" */
#define LINE_COLUMNS 80U
#define TEXT_ROOM    ((size_t)1024)
#define CUT          "... (the rest is left out: Cannot allocate memory)"

/*
 * Decodes one character of UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). Returns its
 * length, or 0 if there is none at S. The terminating NUL ends a sequence that is cut off.
 */
static size_t utf8_decode(const unsigned char *s, uint32_t *ret) {
        static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        size_t length = s[0] < 0x80 ? 1 : (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 4;
        uint32_t c = length == 1 ? s[0] : s[0] & (0x7fU >> length);

        if (length == 4 && (s[0] & 0xf8) != 0xf0)
                return 0;
        for (size_t i = 1; i < length; i++) {
                if ((s[i] & 0xc0) != 0x80)
                        return 0;
                c = c << 6 | (s[i] & 0x3f);
        }
        if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
                return 0;
        *ret = c;
        return length;
}

/* Controls (C0, DEL, C1), line and paragraph separators, and the marks that change the direction of what follows. */
static bool acts_on_terminal(uint32_t c) {
        return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || (c >= 0x200e && c <= 0x200f) ||
               (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

/* The length of the character at S, and whether it may be shown as it is. What is no character is one byte. */
static size_t next_character(const unsigned char *s, bool for_terminal, bool *ret_plain) {
        uint32_t c = 0;
        size_t n = utf8_decode(s, &c);

        *ret_plain = n > 0 && (!for_terminal || (!acts_on_terminal(c) && !(c == '\\' && s[1] == 'x')));
        return n > 0 ? n : 1;
}

bool text_is_plain(const char *text) {
        for (const unsigned char *s = (const unsigned char *)text; *s; s++)
                if (*s < 0x20 || *s > 0x7e || *s == '\\')
                        return false;
        return true;
}

static size_t copied_length(const unsigned char *s, bool for_terminal) {
        size_t length = 0, n;
        bool plain;

        for (; *s; s += n) {
                n = next_character(s, for_terminal, &plain);
                length += plain ? n : n * ESCAPED_BYTE;
        }
        return length;
}

static char *put_escaped(char *out, const unsigned char *bytes, size_t n) {
        for (size_t i = 0; i < n; i++)
                out += snprintf(out, ESCAPED_BYTE + 1, "\\x%02x", bytes[i]);
        return out;
}

/* OUT has room for it. */
static void escape_into(char *out, const unsigned char *s, bool for_terminal) {
        size_t n;
        bool plain;

        for (; *s; s += n) {
                n = next_character(s, for_terminal, &plain);
                out = plain ? mempcpy(out, s, n) : put_escaped(out, s, n);
        }
        *out = '\0';
}

static char *copy_text(const char *text, bool for_terminal) {
        const unsigned char *s = (const unsigned char *)text;
        size_t length = strlen(text);
        char *copy;

        if (text_is_plain(text))
                return strdup(text);
        if (length > SIZE_MAX / ESCAPED_BYTE - 1)
                return NULL;
        copy = malloc(copied_length(s, for_terminal) + 1);
        if (copy)
                escape_into(copy, s, for_terminal);
        return copy;
}

char *text_escape(const char *text) {
        return copy_text(text, true);
}

char *text_to_utf8(const char *text) {
        return copy_text(text, false);
}

/* The length of what is written as it is. ASCII's controls are blanks there, or escaped already. */
static size_t plain_json(const char *json, size_t size, uint32_t *ret_acting, size_t *ret_length) {
        size_t i = 0;

        *ret_length = 0;
        while (i < size && *ret_length == 0) {
                const unsigned char *s = (const unsigned char *)json + i;
                uint32_t c = *s;
                size_t n = *s < 0x7f ? 1 : utf8_decode(s, &c);

                if (c >= 0x7f && n > 0 && acts_on_terminal(c)) {
                        *ret_acting = c;
                        *ret_length = n;
                } else
                        i += n > 0 ? n : 1;
        }
        return i;
}

int text_write_json(FILE *stream, const char *json, size_t size) {
        while (size > 0) {
                uint32_t acting = 0;
                size_t length, n = plain_json(json, size, &acting, &length);

                if (fwrite(json, 1, n, stream) != n)
                        return -EIO;
                if (length > 0 && fprintf(stream, "\\u%04" PRIx32, acting) < 0)
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
        char escaped[TEXT_ROOM * ESCAPED_BYTE + sizeof(CUT)];
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
                line->longer = text_escape(whole);
        if (line->longer)
                return line->longer;
        escape_into(line->escaped, (const unsigned char *)text, true);
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
