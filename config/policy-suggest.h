/* SPDX-License-Identifier: MIT */
#pragma once

/* "Did you mean": the known word that is nearest to one that is not known. Pure. */

#include <stddef.h>

struct suggestion {
        const char *word; /* what was written */
        const char *best; /* NULL: nothing is near enough */
        size_t distance;
};

static inline struct suggestion suggestion_for(const char *word) {
        return (struct suggestion){.word = word};
}

/* Makes CANDIDATE the best if it is nearer than what was offered before. */
void suggestion_offer(struct suggestion *suggestion, const char *candidate);

/* How many letters were left out, added, changed or exchanged; case does not count, "_" is "-". */
size_t suggestion_distance(const char *a, const char *b);
