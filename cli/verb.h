/* SPDX-License-Identifier: MIT */
#pragma once

/* The commands of setractl: each is one row of the table in setractl.c and one file verb-NAME.c. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/context.h"

struct verb {
        const char *name;
        const char *summary;  /* one line for --help */
        const char *argument; /* what its argument is called; NULL: it takes none */
        bool any_number;      /* of arguments, none included; else just one */
        const char *details;  /* more lines for its own --help; NULL: none */
        uint64_t options;     /* bits of enum option_id that it takes, besides --help and --version */
        enum exit_status (*run)(struct context *context);
};

enum exit_status verb_scan(struct context *context);
enum exit_status verb_plan(struct context *context);
enum exit_status verb_apply(struct context *context);
enum exit_status verb_revert(struct context *context);
enum exit_status verb_explain(struct context *context);
enum exit_status verb_history(struct context *context);
enum exit_status verb_probe(struct context *context);
enum exit_status verb_graph(struct context *context);
enum exit_status verb_rescan(struct context *context);
enum exit_status verb_capture(struct context *context);
enum exit_status verb_tune(struct context *context);
enum exit_status verb_check_policy(struct context *context);
