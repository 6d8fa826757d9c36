/* SPDX-License-Identifier: MIT */
#pragma once

/* The command line: one table of options drives parsing, checking against the verb, and --help. */

#include <stdio.h>

#include "cli/context.h"
#include "cli/verb.h"

enum option_id {
        OPTION_ALL,
        OPTION_CHECK,
        OPTION_COLUMNS,
        OPTION_DIRECTORY,
        OPTION_DRY_RUN,
        OPTION_FORCE,
        OPTION_HELP,
        OPTION_JSON,
        OPTION_LINES,
        OPTION_NO_HEADINGS,
        OPTION_NO_PROBE,
        OPTION_PAIRS,
        OPTION_POLICY,
        OPTION_RAW,
        OPTION_ROOT,
        OPTION_SINCE,
        OPTION_UNTIL,
        OPTION_VERSION,
        OPTION_WITH_IDENTIFIERS,
        _OPTION_MAX,
};

#define OPTION_BIT(id) (1U << (id))

/*
 * Reads options (before or after the verb) and finds the verb among VERBS; the first one is meant where none is named.
 * Returns 0, or -EINVAL after saying on stderr what is wrong. --help and --version are only noted.
 */
int options_parse(int argc, char *argv[], const struct verb *verbs, size_t n_verbs, struct options *ret,
                const struct verb **ret_verb);

/* Lines for --help: the options in the mask. */
void options_print_help(FILE *stream, unsigned options);
