/* SPDX-License-Identifier: MIT */
#pragma once

/* What to type next, in a line or two under what is shown on a terminal. */

#include <stdio.h>

#include "cli/context.h"
#include "cli/service.h"

struct advice {
        size_t n_changes, n_warnings;
        bool other_options; /* what is shown is another machine, or by another policy */
        bool is_root;
        bool shows_plan; /* else it is a scan */
        enum service_state service;
};

/* What is to be known for it. */
struct advice advice_for(const struct context *context, bool shows_plan);

void advice_print(FILE *stream, const struct advice *advice);
