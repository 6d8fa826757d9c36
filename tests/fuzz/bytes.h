/* SPDX-License-Identifier: MIT */
#pragma once

/* An input as a row of choices. Of those that people write, digits and small letters are the first of each. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
        const uint8_t *at, *end;
};

/* The next byte; 0 at the end. */
static inline uint8_t bytes_take(struct bytes *bytes) {
        return bytes->at < bytes->end ? *bytes->at++ : 0;
}

/* '0' is the first of N, '1' the second, and so on around; at the end the first. */
static inline unsigned bytes_pick(struct bytes *bytes, unsigned n) {
        return bytes->at < bytes->end ? (uint8_t)(bytes_take(bytes) - '0') % n : 0;
}

/* What there is up to DELIMITER or the end, with whatever bytes. */
static inline struct bytes bytes_take_until(struct bytes *bytes, char delimiter) {
        const uint8_t *end =
                        bytes->at < bytes->end ? memchr(bytes->at, delimiter, (size_t)(bytes->end - bytes->at)) : NULL;
        struct bytes taken = {.at = bytes->at, .end = end ? end : bytes->end};

        bytes->at = end ? end + 1 : bytes->end;
        return taken;
}

static inline size_t bytes_left(const struct bytes *bytes) {
        return (size_t)(bytes->end - bytes->at);
}
