/* SPDX-License-Identifier: MIT */

/*
 * Identifiers of a machine, and names that may have them in them: a line each, "w", "s" or "h" before an identifier, any
 * other letter before a name. What is different stays different, and no long identifier is left.
 */

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "common/capture-identifier.h"
#include "tests/fuzz/fuzz.h"

#define TEXTS_MAX    8U
#define DISTINCT_MIN 8U /* those of that length are no words by chance: what they stand in does not matter */

struct texts {
        char *items[TEXTS_MAX];
        size_t n;
};

static void texts_done(struct texts *texts) {
        for (size_t i = 0; i < texts->n; i++)
                free(texts->items[i]);
}

/* Takes LINE over. */
static void keep(struct texts *texts, char *line) {
        if (texts->n < TEXTS_MAX)
                texts->items[texts->n++] = line;
        else
                free(line);
}

static bool is_name(const char *line) {
        return *line && !strchr("wsh", *line);
}

/* The length of a stand-in that TEXT begins with, or of what looks like one; 0 if there is none. */
static size_t measure_stand_in(const char *text) {
        static const char *const prefixes[] = {"wwid-", "serial-", "host-"};

        for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
                size_t n = strlen(prefixes[i]), digits = 0;

                if (strncmp(text, prefixes[i], n) != 0)
                        continue;
                while (isdigit((unsigned char)text[n + digits]))
                        digits++;
                if (digits >= 4)
                        return n + digits;
        }
        return 0;
}

/* Between stand-ins, as an identifier may seem to be where one meets what was there before. */
static bool is_left(const char *replaced, const char *identifier) {
        const size_t length = strlen(identifier);
        const char *run = replaced;

        for (const char *p = replaced; *p;) {
                size_t n = measure_stand_in(p);

                if (n > 0) {
                        p += n;
                        run = p;
                } else {
                        p++;
                        if ((size_t)(p - run) >= length && strncasecmp(p - length, identifier, length) == 0)
                                return true;
                }
        }
        return false;
}

/* Those with a scheme in front are looked for without it. */
static bool is_distinct(const char *line) {
        return *line != 'h' && strlen(line + 1) >= DISTINCT_MIN && measure_stand_in(line + 1) == 0 &&
               !strpbrk(line + 1, ".x");
}

static void check_replaced(const struct texts *identifiers, const char *replaced) {
        for (size_t i = 0; i < identifiers->n; i++)
                if (is_distinct(identifiers->items[i]))
                        FUZZ_CHECK(!is_left(replaced, identifiers->items[i] + 1));
}

static void check_names(struct identifiers *known, const struct texts *identifiers, const struct texts *names) {
        _cleanup_(texts_done) struct texts replaced = {};

        for (size_t i = 0; i < names->n; i++)
                identifiers_reserve(known, names->items[i] + 1, strlen(names->items[i] + 1));
        for (size_t i = 0; i < names->n; i++) {
                replaced.items[i] = identifiers_replace(known, names->items[i] + 1);
                FUZZ_CHECK(replaced.items[i]);
                replaced.n++;
                check_replaced(identifiers, replaced.items[i]);
                for (size_t j = 0; j < i; j++)
                        FUZZ_CHECK((strcasecmp(names->items[i] + 1, names->items[j] + 1) == 0) ==
                                        (strcasecmp(replaced.items[i], replaced.items[j]) == 0));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static const char letters[] = "wsh"; /* in the order of enum identifier_type */
        _cleanup_(identifiers_freep) struct identifiers *known = identifiers_new();
        _cleanup_(texts_done) struct texts identifiers = {}, names = {};

        FUZZ_CHECK(known);
        while (size > 0) {
                char *line = fuzz_take_text(&data, &size, '\n');
                const char *letter = *line ? strchr(letters, *line) : NULL;

                if (letter)
                        FUZZ_CHECK(identifiers_add(known, (enum identifier_type)(letter - letters), line + 1) == 0);
                if (letter)
                        keep(&identifiers, line);
                else if (is_name(line))
                        keep(&names, line);
                else
                        free(line);
        }
        check_names(known, &identifiers, &names);
        return 0;
}
