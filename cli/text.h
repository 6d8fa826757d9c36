/* SPDX-License-Identifier: MIT */
#pragma once

/* Text from devices, mount tables and policies on its way to a terminal or into JSON. Names are hostile. */

#include <stddef.h>
#include <stdio.h>

struct layer;

/*
 * Writes SIZE bytes of JSON, which end with a whole character: what acts on a terminal, and is none of ASCII's controls, is
 * \uHHHH. Returns 0 or -EIO.
 */
int text_write_json(FILE *stream, const char *json, size_t size);

/* "vg0/data (dm-0)", or "md0" where both names are the same. The caller frees it; NULL without memory. */
char *text_layer_title(const struct layer *layer);

/* One line, its text escaped, with a newline. Only a long one takes memory: without it is cut, and says so. */
void text_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * As text_print(), broken between words so that no line is over 80 columns if it need not be: the first one is indented
 * by FIRST columns, the others by REST.
 */
void text_print_wrapped(FILE *stream, unsigned first, unsigned rest, const char *format, ...)
                __attribute__((format(printf, 4, 5)));

/* As text_print(), on stderr: "setractl: …", "note: …". */
void text_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void text_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
