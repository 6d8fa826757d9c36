/* SPDX-License-Identifier: MIT */
#pragma once

/* What is shown, and whether it is text only. Anything else ends the program. */

#include <stdio.h>

#include <jansson.h>

struct output {
        FILE *stream;
        char *text;
        size_t size;
};

/* In a locale of UTF-8, which it sets. */
void output_begin(struct output *output);

/* It is UTF-8, and has nothing in it that acts on a terminal but newlines and tabs. */
void output_end(struct output *output);

/* What is printed as JSON is valid, and is printed the same once it has been read. Takes DOCUMENT over. */
void output_check_json(json_t *document);
