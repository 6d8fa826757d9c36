/* SPDX-License-Identifier: MIT */
#pragma once

/* What tune has found, in words, bars and numbers. */

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "common/arena.h"
#include "common/topology.h"
#include "common/tune-run.h"
#include "common/tune.h"

struct tune_report {
        const struct layer *layer;
        const struct tune *tune;
        struct tune_choice choice;
        bool mixed;
        struct opt_int now_sectors, plan_sectors;
        const struct tune_result *result;
        const char *max_text; /* what bounds the values that were tried: "max 16 MiB of its rule" */
        const char *rule;     /* tune_rule() */
};

/*
 * A policy file with one rule that gives the layer, and no other of TOPOLOGY, the chosen value: setrad loads it as it
 * stands. ARENA's; NULL without memory.
 */
const char *tune_rule(
                const struct layer *layer, const struct topology *topology, uint64_t sectors, struct arena *arena);

/* The chart, for a terminal of so many columns. Returns 0 or -ENOMEM. */
int tune_print_chart(FILE *stream, const struct tune_report *report, unsigned columns, bool utf8);

/* The choice in a sentence or two, with what is to be known of it; for people. */
void tune_print_choice(FILE *stream, const struct tune_report *report);

/* One line a value, with a line of headings. */
void tune_print_csv(FILE *stream, const struct tune_report *report);

/* Returns 0 or -ENOMEM. */
int tune_print_svg(FILE *stream, const struct tune_report *report);

/* Described in docs/json.md. The caller drops the reference; NULL without memory. */
json_t *tune_json(const struct tune_report *report);
