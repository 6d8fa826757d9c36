/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A small set of kernel names, bounded: a set that is full stands for all names there are, since by then reading
 * everything is no dearer.
 */

#include <stdbool.h>
#include <stddef.h>

#define NAMESET_MAX 256U

struct nameset {
        char **names; /* NULL-terminated once there is one */
        size_t n;
        bool all;
};

/* Copies NAME. The set is "all" when it is full or memory is short. */
void nameset_add(struct nameset *set, const char *name);
void nameset_add_all(struct nameset *set);

bool nameset_contains(const struct nameset *set, const char *name);

/* Empties the set and frees what it has. */
void nameset_done(struct nameset *set);
