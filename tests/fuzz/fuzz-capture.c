/* SPDX-License-Identifier: MIT */

/*
 * Tables for captures, a line "TARGET PARAMS" each. What is cut parses as before; what could be a key is gone. Which
 * words could be is said here once more, by another rule than that of common/capture-table.c.
 */

#include <stdbool.h>

#include "common/capture-table.h"
#include "common/dmtable.h"
#include "tests/fuzz/fuzz.h"

#define DIGITS "0123456789"

static bool is_one_of(const char *word, const char *const *words) {
        while (*words && strcmp(word, *words) != 0)
                words++;
        return *words;
}

static bool is_number(const char *word) {
        return strlen(word) <= 20 && !word[strspn(word, DIGITS)];
}

static bool is_device(const char *word) {
        int n = 0;

        (void)sscanf(word, "%*7[0-9]:%*7[0-9]%n", &n);
        return n > 0 && !word[n];
}

static bool is_hexadecimal(const char *word) {
        return !word[strspn(word, DIGITS "abcdefABCDEF")];
}

/* Numbers and devices are what a table says to everybody, "-" and "0" what stands for words that were cut. */
static bool may_be_key(const char *target, unsigned index, const char *word) {
        static const char *const plain[] = {"linear", "striped", "raid", "mirror", "thin", "thin-pool", "snapshot",
                        "snapshot-merge", "snapshot-origin", "cache", "writecache", "multipath", "delay", NULL};
        static const char *const secretive[] = {"crypt", "integrity", "verity", NULL};
        const char *device = strncmp(word, "meta_device:", 12) == 0 ? word + 12 : word;

        if (strcmp(target, "crypt") == 0 && index == 1)
                return strcmp(word, "0") != 0;
        if (strcmp(device, "-") == 0 || is_device(device) || is_one_of(target, plain))
                return false;
        if (is_one_of(target, secretive) && is_number(word))
                return index > 6;
        if (strcmp(target, "integrity") == 0)
                return index != 3 || strlen(word) > 1;
        if (strcmp(target, "crypt") == 0 || strcmp(target, "vdo") == 0)
                return index > 0 || is_hexadecimal(word) || *word == ':';
        return strcmp(target, "verity") != 0 || index != 7 || is_hexadecimal(word);
}

/* The kernel prints none; in captures, such a number is cut where it has more digits than it can need. */
static bool has_leading_zeros(const char *params) {
        for (const char *zero = strchr(params, '0'); zero; zero = strchr(zero + 1, '0'))
                if (strspn(zero, DIGITS) > 7)
                        return true;
        return false;
}

static void check_words(const char *target, char *text) {
        unsigned i = 0;

        for (char *save, *word = strtok_r(text, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save), i++)
                FUZZ_CHECK(!may_be_key(target, i, word));
}

static void check_line(struct arena *arena, const char *target, const char *params) {
        _cleanup_(freep) char *cut = capture_redact_parameters(target, params);
        _cleanup_(freep) char *again = cut ? capture_redact_parameters(target, cut) : NULL;
        struct dm_segment before = {}, after = {};

        FUZZ_CHECK(again && strcmp(cut, again) == 0);
        check_words(target, again);
        if (has_leading_zeros(params))
                return;
        FUZZ_CHECK(dmtable_parse_target(arena, 0, 1, target, params, &before) ==
                        dmtable_parse_target(arena, 0, 1, target, cut, &after));
        FUZZ_CHECK(before.kind == after.kind && before.n_legs == after.n_legs &&
                        before.chunk_sectors == after.chunk_sectors && before.data_disks == after.data_disks);
        for (size_t i = 0; i < before.n_legs; i++)
                FUZZ_CHECK(memcmp(&before.legs[i], &after.legs[i], sizeof(before.legs[i])) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();

        while (arena && size > 0) {
                _cleanup_(freep) char *line = fuzz_take_text(&data, &size, '\n');
                char *params = line + strcspn(line, " ");

                if (*params)
                        *params++ = '\0';
                check_line(arena, line, params);
        }
        return 0;
}
