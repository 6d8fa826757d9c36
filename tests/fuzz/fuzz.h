/* SPDX-License-Identifier: MIT */
#pragma once

/* What every fuzzer has: libFuzzer calls it with inputs of its own, replay.c with those of the corpus. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds in builds without assert() too, and says what did not. */
#define FUZZ_CHECK(condition)                                                                                          \
        do {                                                                                                           \
                if (!(condition)) {                                                                                    \
                        fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                 \
                        abort();                                                                                       \
                }                                                                                                      \
        } while (0)

/* Takes the input up to DELIMITER or its end off it, as text that ends where its memory does. The caller frees it. */
static inline char *fuzz_take_text(const uint8_t **data, size_t *size, char delimiter) {
        const uint8_t *end = *size > 0 ? memchr(*data, delimiter, *size) : NULL;
        size_t length = end ? (size_t)(end - *data) : *size;
        char *text = strndup(*size > 0 ? (const char *)*data : "", length);

        if (!text)
                abort();
        *data += length + (end ? 1 : 0);
        *size -= length + (end ? 1 : 0);
        return text;
}
