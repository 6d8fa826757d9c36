/* SPDX-License-Identifier: MIT */
#pragma once

/* Lines of a file that somebody else wrote. */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LINE_BUFFER      65536
#define LINE_SKIPPED_MAX (16U << 20) /* bytes */

/*
 * Reads the next line into BUFFER, without its newline. Lines that do not fit are passed over. False at the end of the
 * file, or where it can't be read further; a line that is longer than LINE_SKIPPED_MAX ends the file, too.
 */
bool line_read(FILE *stream, char *buffer, size_t size);
