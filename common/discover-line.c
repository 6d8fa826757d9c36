/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "common/discover-line.h"

static void skip_line(FILE *stream) {
        int c;

        do
                c = getc(stream);
        while (c != EOF && c != '\n');
}

bool line_read(FILE *stream, char *buffer, size_t size) {
        while (fgets(buffer, (int)size, stream)) {
                size_t n = strlen(buffer);

                if (n > 0 && buffer[n - 1] == '\n') {
                        buffer[n - 1] = 0;
                        return true;
                }
                /* The last line, one with a NUL in it, or one that is too long. */
                if (n + 1 < size)
                        return true;
                skip_line(stream);
        }
        return false;
}
