/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/arena.h"
#include "common/capture-identifier.h"

#define SERIAL_LENGTH_MIN 4
#define DIGITS_MIN        4 /* of a stand-in: as many in each, so that a digit after it is none of its own */

/* So long that it is no part of another word by chance; then it is found within words too ("luks3600…p1"). */
#define DISTINCT_LENGTH_MIN 8

struct identifier {
        const char *text; /* in small letters */
        enum identifier_type type;
        unsigned number; /* of its stand-in; 0: none yet */
};

struct identifiers {
        struct arena *arena;
        struct identifier *items;
        size_t n, allocated;
        bool sorted; /* and without duplicates */
        unsigned last[N_IDENTIFIER_TYPES];
};

static const char *const stand_ins[N_IDENTIFIER_TYPES] = {
                [IDENTIFIER_WWID] = "wwid-", [IDENTIFIER_SERIAL] = "serial-", [IDENTIFIER_HOST] = "host-"};

struct identifiers *identifiers_new(void) {
        _cleanup_(identifiers_freep) struct identifiers *identifiers = calloc(1, sizeof(*identifiers));

        if (!identifiers)
                return NULL;
        identifiers->arena = arena_new();
        return identifiers->arena ? TAKE_PTR(identifiers) : NULL;
}

void identifiers_free(struct identifiers *identifiers) {
        if (!identifiers)
                return;
        arena_freep(&identifiers->arena);
        free(identifiers->items);
        free(identifiers);
}

static char lower(char c) {
        return (char)tolower((unsigned char)c);
}

static bool is_word(char c) {
        return isalnum((unsigned char)c);
}

/* The length of a stand-in that TEXT begins with; 0 if it begins with none. */
static size_t parse_stand_in(const char *text, size_t size, enum identifier_type *ret_type, unsigned *ret_number) {
        for (unsigned type = 0; type < N_IDENTIFIER_TYPES; type++) {
                size_t n = strlen(stand_ins[type]), digits = 0;
                unsigned number = 0;

                if (size < n || memcmp(text, stand_ins[type], n) != 0)
                        continue;
                while (digits < 8 && n + digits < size && isdigit((unsigned char)text[n + digits]))
                        number = number * 10 + (unsigned)(text[n + digits++] - '0');
                if (digits < DIGITS_MIN)
                        continue;
                *ret_type = type;
                *ret_number = number;
                return n + digits;
        }
        return 0;
}

static bool is_telling(enum identifier_type type, const char *text) {
        const size_t n = strlen(text);
        enum identifier_type other;
        unsigned number;

        if (n == 0 || parse_stand_in(text, n, &other, &number) == n)
                return false;
        switch (type) {
        case IDENTIFIER_SERIAL: return n >= SERIAL_LENGTH_MIN;
        case IDENTIFIER_HOST: return strcmp(text, "localhost") != 0 && strcmp(text, "(none)") != 0;
        default: return true;
        }
}

/* Past what says of which kind a number is: names are also made without it. */
static const char *skip_scheme(const char *text) {
        static const char *const schemes[] = {"0x", "eui.", "naa.", "uuid."};

        for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
                if (strncmp(text, schemes[i], strlen(schemes[i])) == 0)
                        return text + strlen(schemes[i]);
        return text;
}

static bool grow(struct identifiers *identifiers) {
        size_t allocated = identifiers->allocated ? identifiers->allocated * 2 : 64;
        struct identifier *items;

        if (identifiers->n < identifiers->allocated)
                return true;
        items = reallocarray(identifiers->items, allocated, sizeof(*items));
        if (!items)
                return false;
        identifiers->items = items;
        identifiers->allocated = allocated;
        return true;
}

int identifiers_add(struct identifiers *identifiers, enum identifier_type type, const char *text) {
        char *copy;

        text = skip_scheme(text);
        if (!is_telling(type, text))
                return 0;
        copy = arena_strdup(identifiers->arena, text);
        if (!copy || !grow(identifiers))
                return -ENOMEM;
        for (char *p = copy; *p; p++)
                *p = lower(*p);
        identifiers->items[identifiers->n] = (struct identifier){.text = copy, .type = type};
        identifiers->n++;
        identifiers->sorted = false;
        return 0;
}

void identifiers_reserve(struct identifiers *identifiers, const char *text, size_t size) {
        for (size_t i = 0; i < size;) {
                enum identifier_type type;
                unsigned number;
                size_t n = parse_stand_in(text + i, size - i, &type, &number);

                if (n > 0 && number > identifiers->last[type])
                        identifiers->last[type] = number;
                i += n ?: 1;
        }
}

static int compare(const void *a, const void *b) {
        const struct identifier *x = a, *y = b;
        int order = strcmp(x->text, y->text);

        if (order != 0)
                return order;
        return x->type < y->type ? -1 : x->type > y->type;
}

static void sort(struct identifiers *identifiers) {
        size_t n = 0;

        if (identifiers->sorted || identifiers->n == 0)
                return;
        qsort(identifiers->items, identifiers->n, sizeof(*identifiers->items), compare);
        for (size_t i = 0; i < identifiers->n; i++)
                if (n == 0 || strcmp(identifiers->items[i].text, identifiers->items[n - 1].text) != 0)
                        identifiers->items[n++] = identifiers->items[i];
        identifiers->n = n;
        identifiers->sorted = true;
}

/* The first in [FIRST, END) whose character at INDEX is C or more; up to there they are all the same. */
static size_t find_first(const struct identifiers *identifiers, size_t first, size_t end, size_t index, unsigned c) {
        while (first < end) {
                size_t middle = first + (end - first) / 2;

                if ((unsigned char)identifiers->items[middle].text[index] < c)
                        first = middle + 1;
                else
                        end = middle;
        }
        return first;
}

/* A short one, or a name that may be any word, counts only where it is a whole word. */
static bool may_stand_here(const struct identifier *identifier, size_t length, char before, char after) {
        if (identifier->type != IDENTIFIER_HOST && length >= DISTINCT_LENGTH_MIN)
                return true;
        return !is_word(before) && !is_word(after);
}

/* The longest that TEXT, with BEFORE in front of it, begins with; NULL if there is none. */
static struct identifier *find(struct identifiers *identifiers, char before, const char *text, size_t *ret_length) {
        struct identifier *longest = NULL;
        size_t first = 0, end = identifiers->n;

        for (size_t i = 0; first < end; i++) {
                const unsigned c = (unsigned char)lower(text[i]);

                if (!identifiers->items[first].text[i]) {
                        if (may_stand_here(&identifiers->items[first], i, before, text[i])) {
                                longest = &identifiers->items[first];
                                *ret_length = i;
                        }
                        first++;
                }
                if (!text[i])
                        break;
                first = find_first(identifiers, first, end, i, c);
                end = find_first(identifiers, first, end, i, c + 1);
        }
        return longest;
}

static void put_stand_in(struct identifiers *identifiers, FILE *stream, struct identifier *identifier) {
        if (identifier->number == 0)
                identifier->number = ++identifiers->last[identifier->type];
        fprintf(stream, "%s%0*u", stand_ins[identifier->type], DIGITS_MIN, identifier->number);
}

char *identifiers_replace(struct identifiers *identifiers, const char *text) {
        FILE *stream;
        char *replaced = NULL, before = 0;
        size_t size;

        stream = open_memstream(&replaced, &size);
        if (!stream)
                return NULL;
        sort(identifiers);
        while (*text) {
                size_t n = 1;
                struct identifier *identifier = find(identifiers, before, text, &n);

                if (identifier)
                        put_stand_in(identifiers, stream, identifier);
                else
                        fputc(*text, stream);
                before = text[n - 1];
                text += n;
        }
        if (fclose(stream) != 0) {
                free(replaced);
                return NULL;
        }
        return replaced;
}
