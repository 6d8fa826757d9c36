/* SPDX-License-Identifier: MIT */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ask.h"
#include "common/cleanup.h"

static const struct {
        const char *letter, *word;
        enum answer answer;
} answers[] = {
                {"y", "yes", ANSWER_YES},
                {"n", "no", ANSWER_NO},
                {"", "", ANSWER_NO},
                {"a", "all", ANSWER_ALL},
                {"q", "quit", ANSWER_QUIT},
};

/* TEXT without the blanks around it, which it changes. */
static char *strip(char *text) {
        size_t n;

        text += strspn(text, " \t\r\n");
        for (n = strlen(text); n > 0 && strchr(" \t\r\n", text[n - 1]); n--)
                ;
        text[n] = '\0';
        return text;
}

static bool understand(char *line, enum answer *ret) {
        const char *text = strip(line);

        for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
                if (strcasecmp(text, answers[i].letter) == 0 || strcasecmp(text, answers[i].word) == 0) {
                        *ret = answers[i].answer;
                        return true;
                }
        return false;
}

enum answer ask(FILE *in, FILE *out, const char *question) {
        _cleanup_(freep) char *line = NULL;
        enum answer answer;
        size_t size = 0;

        for (;;) {
                fprintf(out, "%s [y/N/a/q] ", question);
                fflush(out);
                if (getline(&line, &size, in) < 0) {
                        fputc('\n', out);
                        return ANSWER_QUIT;
                }
                if (understand(line, &answer))
                        return answer;
                fputs("y: yes; n, or nothing: no; a: yes to all that follow; q: no to all that follow\n", out);
        }
}
