/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/color.h"
#include "cli/text.h"

#define RESET "\033[0m"

/* The eight of every terminal, which are readable on dark and on light ones. */
static const char *const sequences[_COLOR_MAX] = {
                [COLOR_HEADING] = "\033[1m",
                [COLOR_CHANGE] = "\033[33m",
                [COLOR_HELD] = "\033[36m",
                [COLOR_WARNING] = "\033[31m",
                [COLOR_REMOVED] = "\033[31m",
                [COLOR_ADDED] = "\033[32m",
};

static bool terminal_has_colors(void) {
        const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

        return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && *term && strcmp(term, "dumb") != 0;
}

int color_decide(const char *when, bool *ret) {
        if (!when || strcmp(when, "auto") == 0)
                *ret = terminal_has_colors();
        else if (strcmp(when, "always") == 0)
                *ret = true;
        else if (strcmp(when, "never") == 0)
                *ret = false;
        else {
                text_error("--color is auto, always or never, not '%s'", when);
                return -EINVAL;
        }
        return 0;
}

const char *color_sequence(enum color color) {
        return sequences[color];
}

void color_print(FILE *stream, bool colors, enum color color, const char *text) {
        fprintf(stream, "%s%s%s", colors ? sequences[color] : "", text, colors ? RESET : "");
}
