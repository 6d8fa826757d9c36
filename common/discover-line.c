/* SPDX-License-Identifier: MIT */

#include "common/discover-line.h"

/* False where it has no end. */
static bool skip_line(FILE *stream) {
        for (size_t n = 0; n < LINE_SKIPPED_MAX; n++) {
                int c = getc_unlocked(stream);

                if (c == EOF || c == '\n')
                        return c == '\n';
        }
        return false;
}

bool line_read(FILE *stream, char *buffer, size_t size) {
        for (;;) {
                size_t n = 0;
                int c;

                while ((c = getc_unlocked(stream)) != EOF && c != '\n' && n + 1 < size)
                        buffer[n++] = (char)c;
                buffer[n] = 0;
                if (c == '\n')
                        return true;
                if (c == EOF)
                        return n > 0 && !ferror(stream);
                if (!skip_line(stream))
                        return false;
        }
}
