/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/dmtable-cursor.h"

/* dev_t in the kernel (include/linux/kdev_t.h): 12 bits of major number, 20 of minor. */
#define MINORBITS 20

struct word cursor_next_word(struct cursor *cursor) {
        struct word word;

        cursor->next += strspn(cursor->next, DMTABLE_BLANKS);
        word = (struct word){.start = cursor->next, .length = strcspn(cursor->next, DMTABLE_BLANKS)};
        cursor->next += word.length;
        return word;
}

bool word_equals(struct word word, const char *s) {
        return strlen(s) == word.length && memcmp(word.start, s, word.length) == 0;
}

/* All decimal digits, and no more than MAX. */
static int parse_digits(const char *start, size_t length, uint64_t max, uint64_t *ret) {
        uint64_t value = 0;

        if (length == 0)
                return -EINVAL;
        for (size_t i = 0; i < length; i++) {
                if (start[i] < '0' || start[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
                                __builtin_add_overflow(value, start[i] - '0', &value))
                        return -EINVAL;
        }
        if (value > max)
                return -EINVAL;
        *ret = value;
        return 0;
}

int cursor_next_number(struct cursor *cursor, uint64_t max, uint64_t *ret) {
        struct word word = cursor_next_word(cursor);

        return parse_digits(word.start, word.length, max, ret);
}

int cursor_skip_words(struct cursor *cursor, uint64_t n) {
        for (; n > 0; n--)
                if (cursor_next_word(cursor).length == 0)
                        return -EINVAL;
        return 0;
}

static int parse_device(const char *start, size_t length, struct dm_leg *ret) {
        const char *colon = memchr(start, ':', length);
        uint64_t major, minor;
        size_t n;
        int r;

        if (!colon)
                return -EINVAL;
        n = (size_t)(colon - start);
        r = parse_digits(start, n, UINT_MAX >> MINORBITS, &major);
        if (r < 0)
                return r;
        r = parse_digits(colon + 1, length - n - 1, (1U << MINORBITS) - 1, &minor);
        if (r < 0)
                return r;
        *ret = (struct dm_leg){.major = (unsigned)major, .minor = (unsigned)minor};
        return 0;
}

int cursor_add_leg(struct cursor *cursor, struct word word, enum leg_role role) {
        struct dm_segment *segment = cursor->segment;
        struct dm_leg leg;
        int r;

        r = parse_device(word.start, word.length, &leg);
        if (r < 0)
                return r;
        if (segment->n_legs >= cursor->n_legs_max)
                return -EINVAL;
        leg.role = role;
        segment->legs[segment->n_legs++] = leg;
        return 0;
}

int cursor_next_device(struct cursor *cursor, enum leg_role role) {
        return cursor_add_leg(cursor, cursor_next_word(cursor), role);
}

int cursor_next_offset(struct cursor *cursor) {
        return cursor_next_number(
                        cursor, UINT64_MAX, &cursor->segment->legs[cursor->segment->n_legs - 1].offset_sectors);
}

void cursor_scan_devices(struct cursor *cursor, enum leg_role role) {
        for (;;) {
                struct word word = cursor_next_word(cursor);

                if (word.length == 0)
                        return;
                (void)cursor_add_leg(cursor, word, role);
        }
}
