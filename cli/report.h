/* SPDX-License-Identifier: MIT */
#pragma once

/* Lines that more than one command prints. Functions return 0 or -ENOMEM. */

#include <stdbool.h>
#include <stdio.h>

#include "common/plan.h"

/*
 * A change as in a diff, and why:
 *     - vg0/data (dm-0 on md0)   256 sectors (128 KiB)
 *     + vg0/data (dm-0 on md0)  3072 sectors (1.5 MiB)
 *       rule 'stacks over arrays': 2 × stripe width 768 KiB of md0, raid5 4 × 256 KiB
 */
int report_change(FILE *stream, const struct decision *decision, bool colors);

/* The plan for people: each change and each layer that is held, and how many, or that there is nothing to change. */
int report_plan(FILE *stream, const struct plan *plan, bool colors);

/* "held: vg0/data (dm-0): md0 is being reshaped", each on lines of its own. */
int report_held(FILE *stream, const struct plan *plan, bool colors);
