/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sparkline.h"

#define LEVELS    8
#define BAR_BYTES 3 /* of the blocks in UTF-8 */

static const char *const blocks[LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const plain[LEVELS] = {"_", ".", "-", "=", "+", "*", "#", "@"};

static bool is_figure(double value) {
        return isfinite(value) && value >= 0;
}

static double find_largest(const double *values, size_t n) {
        double largest = 0;

        for (size_t i = 0; i < n; i++)
                if (is_figure(values[i]) && values[i] > largest)
                        largest = values[i];
        return largest;
}

static unsigned level_of(double value, double largest) {
        double level = largest > 0 ? ceil(value / largest * LEVELS) : 1;

        return level < 1 ? 0 : level > LEVELS ? LEVELS - 1 : (unsigned)level - 1;
}

char *sparkline_format(const double *values, size_t n, bool utf8) {
        const char *const *bars = utf8 ? blocks : plain;
        double largest = find_largest(values, n);
        char *line = calloc(n + 1, BAR_BYTES), *end = line;

        if (!line)
                return NULL;
        for (size_t i = 0; i < n; i++) {
                const char *bar = is_figure(values[i]) ? bars[level_of(values[i], largest)] : " ";
                size_t length = strlen(bar);

                memcpy(end, bar, length);
                end += length;
        }
        return line;
}
