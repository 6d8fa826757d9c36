/* SPDX-License-Identifier: MIT */
#pragma once

/* What is said of the machine as a whole in numbers, kept up device by device; and which devices wait. */

#include <stdbool.h>
#include <stddef.h>

#include "common/cleanup.h"
#include "common/kind.h"
#include "common/survey.h"

struct tally;

struct tally_sums {
        size_t n_layers, n_of_kind[_KIND_MAX];
        size_t n_changes, n_held;
        size_t n_mismatches; /* have not the readahead that their rule asks for */
        size_t n_waiting;    /* held by what ends by itself, of which nobody may tell */
};

/* NULL when memory is short. */
struct tally *tally_new(void);
void tally_free(struct tally *tally);
DEFINE_CLEANUP(struct tally *, tally_free);

/* What a survey says: of all, or of news. Returns 0, or -ENOMEM: some of it is missing then. */
int tally_take(struct tally *tally, const struct survey *survey, bool all);

const struct tally_sums *tally_sums(const struct tally *tally);

void tally_walk_waiting(
                const struct tally *tally, void (*handler)(const char *sysname, void *userdata), void *userdata);
