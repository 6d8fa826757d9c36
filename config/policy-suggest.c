/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "common/cleanup.h"
#include "config/policy-suggest.h"

#define WORD_MAX 32U

static int fold(char c) {
        return c == '_' ? '-' : tolower((unsigned char)c);
}

static size_t min3(size_t a, size_t b, size_t c) {
        size_t least = a < b ? a : b;

        return least < c ? least : c;
}

/* Optimal string alignment (Damerau-Levenshtein without substrings edited twice). */
size_t suggestion_distance(const char *a, const char *b) {
        size_t n_a = strnlen(a, WORD_MAX + 1), n_b = strnlen(b, WORD_MAX + 1);
        size_t rows[WORD_MAX + 1][WORD_MAX + 1];

        if (n_a > WORD_MAX || n_b > WORD_MAX)
                return WORD_MAX;
        for (size_t i = 0; i <= n_a; i++)
                rows[i][0] = i;
        for (size_t j = 0; j <= n_b; j++)
                rows[0][j] = j;

        for (size_t i = 1; i <= n_a; i++)
                for (size_t j = 1; j <= n_b; j++) {
                        size_t change = fold(a[i - 1]) != fold(b[j - 1]);

                        rows[i][j] = min3(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + change);
                        if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]) &&
                                        rows[i - 2][j - 2] + 1 < rows[i][j])
                                rows[i][j] = rows[i - 2][j - 2] + 1;
                }
        return rows[n_a][n_b];
}

/* A third of the letters may be wrong, but one always. */
static size_t tolerance(const char *word) {
        size_t third = strnlen(word, WORD_MAX) / 3;

        return third > 0 ? third : 1;
}

/* "mount" for "mountpoint" */
static bool is_beginning(const char *word, const char *candidate) {
        size_t n = strlen(word);

        return n >= 3 && strncasecmp(word, candidate, n) == 0;
}

void suggestion_offer(struct suggestion *suggestion, const char *candidate) {
        size_t distance = suggestion_distance(suggestion->word, candidate);

        if (is_beginning(suggestion->word, candidate))
                distance = distance > 0 ? 1 : 0;
        if (distance > tolerance(suggestion->word) || (suggestion->best && distance >= suggestion->distance))
                return;
        suggestion->best = candidate;
        suggestion->distance = distance;
}
