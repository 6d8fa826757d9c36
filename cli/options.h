/* SPDX-License-Identifier: MIT */
#pragma once

/* The command line: one table of options drives parsing, checking against the verb, and --help. */

#include <stdint.h>
#include <stdio.h>

#include "cli/context.h"
#include "cli/verb.h"

enum option_id {
        OPTION_ALL,
        OPTION_BELOW,
        OPTION_BS,
        OPTION_BYTES,       /* how many to read */
        OPTION_BYTES_SHOWN, /* instead of KiB and MiB */
        OPTION_CHECK,
        OPTION_COLOR,
        OPTION_COLUMNS,
        OPTION_COUNT,
        OPTION_CSV,
        OPTION_DIRECTORY,
        OPTION_DRY_RUN,
        OPTION_FORCE,
        OPTION_FORMAT,
        OPTION_HELP,
        OPTION_INTERACTIVE,
        OPTION_INVERSE,
        OPTION_JSON,
        OPTION_LIKE,
        OPTION_LINES,
        OPTION_NO_PROBE,
        OPTION_NOHEADINGS,
        OPTION_PAIRS,
        OPTION_POLICY,
        OPTION_RANDOM,
        OPTION_RAW,
        OPTION_ROOT,
        OPTION_RUNS,
        OPTION_SINCE,
        OPTION_STREAMS,
        OPTION_SVG,
        OPTION_TIME,
        OPTION_UNTIL,
        OPTION_VERSION,
        OPTION_WITH_IDENTIFIERS,
        OPTION_WORKLOAD,
        OPTION_WRITE,
        _OPTION_MAX,
};

#define OPTION_BIT(id) (UINT64_C(1) << (id))

/*
 * Reads options (before or after the verb) and finds the verb among VERBS; the first one is meant where none is named.
 * Returns 0, or -EINVAL after saying on stderr what is wrong. --help and --version are only noted.
 */
int options_parse(int argc, char *argv[], const struct verb *verbs, size_t n_verbs, struct options *ret,
                const struct verb **ret_verb);

/* Lines for --help: the options in the mask. */
void options_print_help(FILE *stream, uint64_t options);
