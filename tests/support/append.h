/* SPDX-License-Identifier: MIT */
#pragma once

/* What tests collect, one after the other. After <cmocka.h>. */

#include <string.h>

/* Adds TEXT to that in BUFFER, which must have place for both. */
static inline void append(char *buffer, size_t buffer_bytes, const char *text) {
        size_t length = strlen(buffer), n = strlen(text);

        assert_true(length + n < buffer_bytes);
        memcpy(buffer + length, text, n + 1);
}
