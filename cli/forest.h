/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What scan shows, and in which order: the stacks by their top layers, then plain disks. A stack has something in it
 * that setrad looks after (an array, a map) or has something to say about. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

#include "common/survey.h"

struct forest {
        const struct layer **stacks; /* top layers, by label */
        size_t n_stacks;
        const struct layer **plain; /* disks with no stack on them, by name */
        size_t n_plain;
        bool *over; /* upside down: by index, what may be shown over the others; NULL: each layer is over its lower ones */
};

/*
 * ALL: also what is left out otherwise, which is partitions of plain disks, empty devices, hidden nodes, and devices
 * that are no disks. Layers are the survey's. Returns 0 or -ENOMEM.
 */
int forest_build(const struct survey *survey, bool all, struct forest *ret);

/*
 * The same upside down: the bottom layers of the stacks, then those of what else is in FOREST, and what is in FOREST lies
 * over them. Returns 0 or -ENOMEM.
 */
int forest_invert(const struct survey *survey, const struct forest *forest, struct forest *ret);

void forest_done(struct forest *forest);
