/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"

size_t printable_decode(const unsigned char *s, uint32_t *ret) {
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

bool printable_is_acting(uint32_t c) {
        static const struct {
                uint32_t first, last;
        } ranges[] = {
                        {0, 0x1f},          /* C0 */
                        {0x7f, 0x9f},       /* DEL, C1 */
                        {0xad, 0xad},       /* soft hyphen */
                        {0x34f, 0x34f},     /* combining grapheme joiner */
                        {0x61c, 0x61c},     /* mark of direction */
                        {0x115f, 0x1160},   /* fillers of Hangul */
                        {0x180b, 0x180f},   /* selectors and separator of Mongolian */
                        {0x200b, 0x200f},   /* no width, joiners, marks of direction */
                        {0x2028, 0x202e},   /* separators, embedding and override of direction */
                        {0x2060, 0x206f},   /* joiner, invisible operators, isolates */
                        {0x3164, 0x3164},   /* filler of Hangul */
                        {0xfe00, 0xfe0f},   /* selectors of variants */
                        {0xfeff, 0xfeff},   /* byte order mark */
                        {0xffa0, 0xffa0},   /* filler of Hangul */
                        {0xfff0, 0xfffb},   /* unassigned, annotations */
                        {0xe0000, 0xe0fff}, /* tags, more selectors */
        };

        if (c >= 0x20 && c < 0x7f)
                return false;
        for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
                if (c >= ranges[i].first && c <= ranges[i].last)
                        return true;
        return false;
}

size_t printable_next(const unsigned char *s, bool for_utf8, bool *ret_plain) {
        uint32_t c = 0;
        size_t n = printable_decode(s, &c);

        *ret_plain = n > 0 && (for_utf8 || (!printable_is_acting(c) && !(c == '\\' && s[1] == 'x')));
        return n > 0 ? n : 1;
}

bool printable_is(const char *text) {
        size_t n;

        for (const unsigned char *s = (const unsigned char *)text; *s; s += n) {
                uint32_t c = 0;

                n = printable_decode(s, &c);
                if (n == 0 || printable_is_acting(c))
                        return false;
        }
        return true;
}

bool printable_is_ascii(const char *text) {
        for (const unsigned char *s = (const unsigned char *)text; *s; s++)
                if (*s < 0x20 || *s > 0x7e || *s == '\\')
                        return false;
        return true;
}

static char *put_escaped(char *out, const unsigned char *bytes, size_t n) {
        for (size_t i = 0; i < n; i++)
                out += snprintf(out, PRINTABLE_ESCAPED_BYTE + 1, "\\x%02x", bytes[i]);
        return out;
}

void printable_copy(char *out, const char *text, bool for_utf8) {
        size_t n;
        bool plain;

        for (const unsigned char *s = (const unsigned char *)text; *s; s += n) {
                n = printable_next(s, for_utf8, &plain);
                out = plain ? mempcpy(out, s, n) : put_escaped(out, s, n);
        }
        *out = '\0';
}

void printable_print(FILE *stream, const char *text) {
        size_t n;
        bool plain;

        for (const unsigned char *s = (const unsigned char *)text; *s; s += n) {
                n = printable_next(s, false, &plain);
                for (size_t i = 0; i < n; i++)
                        fprintf(stream, plain ? "%c" : "\\x%02x", s[i]);
        }
}

static size_t copied_length(const char *text, bool for_utf8) {
        size_t length = 0, n;
        bool plain;

        for (const unsigned char *s = (const unsigned char *)text; *s; s += n) {
                n = printable_next(s, for_utf8, &plain);
                length += plain ? n : n * PRINTABLE_ESCAPED_BYTE;
        }
        return length;
}

static char *copy_text(const char *text, bool for_utf8) {
        char *copy;

        if (printable_is_ascii(text))
                return strdup(text);
        if (strlen(text) > SIZE_MAX / PRINTABLE_ESCAPED_BYTE - 1)
                return NULL;
        copy = malloc(copied_length(text, for_utf8) + 1);
        if (copy)
                printable_copy(copy, text, for_utf8);
        return copy;
}

void printable_mask(char *text) {
        size_t n;

        for (unsigned char *s = (unsigned char *)text; *s; s += n) {
                uint32_t c = 0;
                size_t length = printable_decode(s, &c);

                n = length > 0 ? length : 1;
                if (length == 0 || printable_is_acting(c))
                        memset(s, '?', n);
        }
}

char *printable_escape(const char *text) {
        return copy_text(text, false);
}

char *printable_to_utf8(const char *text) {
        return copy_text(text, true);
}
