/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A number that may be unknown, because a kernel lacks the attribute or a capture does not hold it. Unknown is never
 * written as 0: JSON has null for it, tables a dash.
 */

#include <stdbool.h>
#include <stdint.h>

struct opt_int {
        int64_t value;
        bool known;
};

static inline struct opt_int opt_some(int64_t value) {
        return (struct opt_int){.value = value, .known = true};
}

static inline struct opt_int opt_none(void) {
        return (struct opt_int){0};
}

/* Of what can't be negative: a negative number is none. */
static inline struct opt_int opt_natural(struct opt_int o) {
        return o.known && o.value < 0 ? opt_none() : o;
}

static inline int64_t opt_or(struct opt_int o, int64_t fallback) {
        return o.known ? o.value : fallback;
}

static inline bool opt_equal(struct opt_int a, struct opt_int b) {
        return a.known == b.known && (!a.known || a.value == b.value);
}
