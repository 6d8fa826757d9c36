/* SPDX-License-Identifier: MIT */
#pragma once

/* Asks the one who sits at the terminal. */

#include <stdio.h>

enum answer {
        ANSWER_YES,
        ANSWER_NO,
        ANSWER_ALL,  /* yes, and to all that would be asked */
        ANSWER_QUIT, /* no, likewise; also at the end of IN */
};

/* Asks on OUT, "QUESTION [y/N/a/q] ", and again until there is an answer on IN. An empty one is no. */
enum answer ask(FILE *in, FILE *out, const char *question);
