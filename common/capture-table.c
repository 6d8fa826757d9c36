/* SPDX-License-Identifier: MIT */

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/capture-table.h"
#include "common/cleanup.h"

#define BLANKS        " \t\n"
#define DEVICE_DIGITS 7 /* of a major or minor number, at most */
#define NO_KEY        UINT_MAX

/* Which words of a target's parameters are kept as they are; of those that follow, only devices are. */
struct disclosure {
        const char *target;
        unsigned n_kept;
        unsigned key; /* index of a word that is a key */
};

static const struct disclosure disclosures[] = {
                {"linear", UINT_MAX, NO_KEY},
                {"striped", UINT_MAX, NO_KEY},
                {"crypt", 5, 1}, /* CIPHER KEY IV-OFFSET DEVICE OFFSET */
                {"raid", UINT_MAX, NO_KEY},
                {"mirror", UINT_MAX, NO_KEY},
                {"thin-pool", UINT_MAX, NO_KEY},
                {"thin", UINT_MAX, NO_KEY},
                {"snapshot", UINT_MAX, NO_KEY},
                {"snapshot-merge", UINT_MAX, NO_KEY},
                {"snapshot-origin", UINT_MAX, NO_KEY},
                {"cache", UINT_MAX, NO_KEY},
                {"writecache", UINT_MAX, NO_KEY},
                {"integrity", 4, NO_KEY}, /* DEVICE RESERVED TAG-SIZE MODE, then internal_hash:ALGORITHM:KEY and more */
                {"verity", 8, NO_KEY},    /* up to the algorithm; then digest, salt, descriptions of keys */
                {"multipath", UINT_MAX, NO_KEY},
                {"vdo", 2, NO_KEY},
                {"delay", UINT_MAX, NO_KEY},
};

static const struct disclosure *find_disclosure(const char *target) {
        static const struct disclosure unknown = {"", 0, NO_KEY};

        for (size_t i = 0; i < sizeof(disclosures) / sizeof(disclosures[0]); i++)
                if (strcmp(disclosures[i].target, target) == 0)
                        return &disclosures[i];
        return &unknown;
}

/* Takes 1 to DEVICE_DIGITS digits off the start of a word. */
static bool skip_number(const char **word, size_t *length) {
        size_t n = 0;

        while (n < *length && (*word)[n] >= '0' && (*word)[n] <= '9')
                n++;
        *word += n;
        *length -= n;
        return n > 0 && n <= DEVICE_DIGITS;
}

/* "MAJOR:MINOR", also as integrity's "meta_device:MAJOR:MINOR". */
static bool is_device(const char *word, size_t length) {
        static const char meta[] = "meta_device:";
        const size_t n = sizeof(meta) - 1;

        if (length > n && memcmp(word, meta, n) == 0) {
                word += n;
                length -= n;
        }
        if (!skip_number(&word, &length) || length == 0 || *word != ':')
                return false;
        word++;
        length--;
        return skip_number(&word, &length) && length == 0;
}

static void put_word(
                FILE *stream, const struct disclosure *disclosure, unsigned index, const char *word, size_t length) {
        if (index > 0)
                fputc(' ', stream);
        if (index == disclosure->key)
                fputc('0', stream);
        else if (index < disclosure->n_kept || is_device(word, length))
                fwrite(word, 1, length, stream);
        else
                fputc('-', stream);
}

char *capture_redact_parameters(const char *target, const char *params) {
        const struct disclosure *disclosure = find_disclosure(target);
        FILE *stream;
        char *text = NULL;
        size_t size, length;

        stream = open_memstream(&text, &size);
        if (!stream)
                return NULL;
        for (unsigned i = 0;; i++, params += length) {
                params += strspn(params, BLANKS);
                length = strcspn(params, BLANKS);
                if (length == 0)
                        break;
                put_word(stream, disclosure, i, params, length);
        }
        if (fclose(stream) != 0) {
                free(text);
                return NULL;
        }
        return text;
}

/* libdevmapper's own list (libdm-common.c), without the backslash, which begins an escape. */
static bool stands_for_itself(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               (c && strchr("#+-.:=@_", c));
}

char *capture_mangle_name(const char *name) {
        size_t n = strlen(name), room;
        char *mangled, *end;

        if (__builtin_mul_overflow(n, sizeof("\\x00") - 1, &room))
                return NULL;
        mangled = end = malloc(room + 1);
        if (!mangled)
                return NULL;
        for (; *name; name++) {
                if (stands_for_itself(*name))
                        *end++ = *name;
                else
                        end += snprintf(end, sizeof("\\x00"), "\\x%02x", (unsigned char)*name);
        }
        *end = 0;
        return mangled;
}
