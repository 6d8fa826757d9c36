/* SPDX-License-Identifier: MIT */
#pragma once

/* Lines that more than one command prints. */

#include <stdio.h>

#include "common/plan.h"

/* The plan for people: a line for each change and each layer that is held, or that there is nothing to change. */
void report_plan(FILE *stream, const struct plan *plan);

/* "held: vg0/data (dm-0): md0 is being reshaped", a line for each. */
void report_held(FILE *stream, const struct plan *plan);
