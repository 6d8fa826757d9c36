/* SPDX-License-Identifier: MIT */
#pragma once

/* Words of a dm target's parameters, taken one after the other. Shared by the files dmtable*.c only. */

#include "topology.h"

#define DMTABLE_BLANKS " \t\n"

/* Parameters that are being taken apart, and what has come of them. */
struct cursor {
        const char *next;
        struct dm_segment *segment;
        size_t n_legs_max;
};

struct word {
        const char *start;
        size_t length; /* 0 at the end */
};

struct word cursor_next_word(struct cursor *cursor);
bool word_equals(struct word word, const char *s);

/* The functions below return 0, or -EINVAL where the next word is missing or is no such thing. */

int cursor_next_number(struct cursor *cursor, uint64_t max, uint64_t *ret);
int cursor_skip_words(struct cursor *cursor, uint64_t n);

/* Adds a leg to the segment: "MAJOR:MINOR". No word gives more than one, so n_legs_max words are room enough. */
int cursor_add_leg(struct cursor *cursor, struct word word, enum leg_role role);
int cursor_next_device(struct cursor *cursor, enum leg_role role);

/* Offset of the leg that was added last. */
int cursor_next_offset(struct cursor *cursor);

/* Adds every device among the rest of the words. */
void cursor_scan_devices(struct cursor *cursor, enum leg_role role);

/* Target "raid". */
int dmtable_parse_raid(struct cursor *cursor);
