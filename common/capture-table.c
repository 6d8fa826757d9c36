/* SPDX-License-Identifier: MIT */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/capture-table.h"
#include "common/cleanup.h"

#define BLANKS        " \t\n"
#define DEVICE_DIGITS 7  /* of a major or minor number, at most */
#define NUMBER_DIGITS 20 /* of any other: UINT64_MAX has as many */

/*
 * What is kept of the words of a target's parameters: K a key, "0" in its place; # a number, A the name of an algorithm,
 * M a mode of one letter, D only a device. Devices are kept everywhere. A word that is nothing of the kind is cut, as a
 * table that is not what it should be may have its key anywhere.
 */
struct disclosure {
        const char *target;
        const char *form; /* NULL: all is kept */
};

static const struct disclosure disclosures[] = {
                {"linear", NULL},
                {"striped", NULL},
                {"crypt", "AK#D#"},
                {"raid", NULL},
                {"mirror", NULL},
                {"thin-pool", NULL},
                {"thin", NULL},
                {"snapshot", NULL},
                {"snapshot-merge", NULL},
                {"snapshot-origin", NULL},
                {"cache", NULL},
                {"writecache", NULL},
                {"integrity", "D##M"},  /* then internal_hash:ALGORITHM:KEY and more */
                {"verity", "#DD####A"}, /* then digest, salt, descriptions of keys */
                {"multipath", NULL},
                {"vdo", "AD"}, /* "V4": the version of the format */
                {"delay", NULL},
};

static const struct disclosure *find_disclosure(const char *target) {
        static const struct disclosure unknown = {"", ""};

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

/* The length of what stands before a device: integrity has "meta_device:MAJOR:MINOR". */
static size_t count_prefix(const char *word, size_t length) {
        static const char meta[] = "meta_device:";
        const size_t n = sizeof(meta) - 1;

        return length > n && memcmp(word, meta, n) == 0 ? n : 0;
}

/* "MAJOR:MINOR", also with such a prefix. */
static bool is_device(const char *word, size_t length) {
        size_t n = count_prefix(word, length);

        word += n;
        length -= n;
        if (!skip_number(&word, &length) || length == 0 || *word != ':')
                return false;
        word++;
        length--;
        return skip_number(&word, &length) && length == 0;
}

static bool is_number(const char *word, size_t length) {
        return length <= NUMBER_DIGITS && strspn(word, "0123456789") >= length;
}

static bool is_letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Begins as a name does, and has a character that no key in hexadecimal has. */
static bool is_algorithm(const char *word, size_t length) {
        return is_letter(*word) && strspn(word, "0123456789abcdefABCDEF") < length;
}

static bool is_disclosed(char form, const char *word, size_t length) {
        switch (form) {
        case '#': return is_number(word, length);
        case 'A': return is_algorithm(word, length);
        case 'M': return length == 1 && is_letter(*word);
        default: return false;
        }
}

/* FORM is that of this very word. The prefix of a device that is none is kept: what did not parse shall not parse then. */
static void put_word(FILE *stream, char form, const char *word, size_t length) {
        if (form == 'K')
                fputc('0', stream);
        else if (form == '.' || is_device(word, length) || is_disclosed(form, word, length))
                fwrite(word, 1, length, stream);
        else {
                fwrite(word, 1, count_prefix(word, length), stream);
                fputc('-', stream);
        }
}

char *capture_redact_parameters(const char *target, const char *params) {
        const char *form = find_disclosure(target)->form;
        FILE *stream;
        char *text = NULL;
        size_t size, length;

        stream = open_memstream(&text, &size);
        if (!stream)
                return NULL;
        for (bool first = true;; first = false, params += length) {
                params += strspn(params, BLANKS);
                length = strcspn(params, BLANKS);
                if (length == 0)
                        break;
                if (!first)
                        fputc(' ', stream);
                put_word(stream, (char)(form ? *form : '.'), params, length);
                if (form && *form)
                        form++;
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
        mangled = end = calloc(room + 1, 1);
        if (!mangled)
                return NULL;
        for (; *name; name++) {
                if (stands_for_itself(*name))
                        *end++ = *name;
                else
                        end += snprintf(end, sizeof("\\x00"), "\\x%02x", (unsigned char)*name);
        }
        return mangled;
}
