/* SPDX-License-Identifier: MIT */
#pragma once

/* A process, told from a later one that has its number. */

#include <stdbool.h>
#include <stdint.h>

#include "sysroot.h"

/* Plain data; all 0: not known. */
struct process {
        uint64_t pid;
        uint64_t start_ticks; /* of the clock, since boot */
};

/* This one. Returns 0 or a negative errno. */
int process_self(struct process *ret);

bool process_equal(const struct process *a, const struct process *b);

/*
 * By proc/ of ROOT; what is not known, or is dead and only not waited for yet, is not alive. One that can't be looked at
 * may be.
 */
bool process_is_alive(const struct sysroot *root, const struct process *process);
