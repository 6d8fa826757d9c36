/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Names that users and devices have chosen, on their way to where people look at them: they may hold control characters,
 * escape sequences, marks that nobody sees, or bytes that are no UTF-8.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PRINTABLE_ESCAPED_BYTE 4 /* length of "\xHH" */

/*
 * Decodes one character of UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). Returns its
 * length, or 0 if there is none at S. The terminating NUL ends a sequence that is cut off.
 */
size_t printable_decode(const unsigned char *s, uint32_t *ret);

/*
 * Whether a character does something else than to be seen: controls, separators of lines and paragraphs, marks that change
 * the direction of what follows, and characters without a width of their own, by which two names look the same.
 */
bool printable_is_acting(uint32_t c);

/* Whether TEXT is UTF-8 without such characters. */
bool printable_is(const char *text);

/* Whether it is of printable ASCII only, and has no backslash: as it is, and as wide as it is long, on any terminal. */
bool printable_is_ascii(const char *text);

/*
 * The length of the character at S, and whether it is copied as it is. What is no character is one byte; a backslash before
 * an "x" is not copied either, so that the result can be read back. FOR_UTF8: only what is no UTF-8 is escaped.
 */
size_t printable_next(const unsigned char *s, bool for_utf8, bool *ret_plain);

/* Copies TEXT with what must not be seen as \xHH. OUT has room for it, four bytes for one at most. */
void printable_copy(char *out, const char *text, bool for_utf8);

/* The same, onto a stream. */
void printable_print(FILE *stream, const char *text);

/* The same as a string of its own, which the caller frees; NULL without memory. */
char *printable_escape(const char *text);
char *printable_to_utf8(const char *text);

/* Puts "?" in the place of what must not be seen, each byte of it: it takes no memory, and can't be read back. */
void printable_mask(char *text);
