/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "config/policy-pattern.h"

/* Past a bracket expression, S being after its "["; NULL if it is not closed. */
static const char *skip_bracket(const char *s) {
        if (*s == '!' || *s == '^')
                s++;
        if (*s == ']')
                s++;
        for (; *s && *s != ']'; s++) {
                const char *end;

                /* [:alpha:], [.x.], [=x=] */
                if (s[0] == '[' && s[1] && strchr(":.=", s[1])) {
                        end = strstr(s + 2, (const char[]){s[1], ']', '\0'});
                        if (end)
                                s = end + 1;
                } else if (s[0] == '\\' && s[1]) {
                        s++;
                }
        }
        return *s ? s + 1 : NULL;
}

/* fnmatch() takes what is no glob literally, or as something that never matches. */
static int check_glob(const char *text, struct value_why *why) {
        for (const char *s = text; *s;) {
                if (*s == '\\' && !s[1]) {
                        snprintf(why->text, sizeof(why->text),
                                        "\"%.64s\" ends in a \\, which quotes the next character", text);
                        return -EINVAL;
                }
                if (*s == '[') {
                        s = skip_bracket(s + 1);
                        if (!s) {
                                snprintf(why->text, sizeof(why->text),
                                                "\"%.64s\" is no glob: [ without ]; write [[] for the character itself",
                                                text);
                                return -EINVAL;
                        }
                        continue;
                }
                s += *s == '\\' ? 2 : 1;
        }
        return 0;
}

int pattern_compile(const char *text, struct pattern *ret, struct value_why *ret_why) {
        size_t length = strlen(text), n_prefix = strcspn(text, "*?[\\");
        int r;

        if (length > PATTERN_BYTES_MAX) {
                snprintf(ret_why->text, sizeof(ret_why->text), "a pattern of more than %u bytes", PATTERN_BYTES_MAX);
                return -EINVAL;
        }
        r = check_glob(text, ret_why);
        if (r < 0)
                return r;

        *ret = (struct pattern){
                        .text = text, .form = PATTERN_GLOB, .n_prefix = n_prefix, .is_path = strchr(text, '/') != NULL};
        if (n_prefix == length)
                ret->form = PATTERN_LITERAL;
        else if (n_prefix + 1 == length && text[n_prefix] == '*')
                ret->form = PATTERN_PREFIX;
        return 0;
}

bool pattern_matches(const struct pattern *pattern, const char *s) {
        if (pattern->form == PATTERN_LITERAL)
                return strcmp(pattern->text, s) == 0;
        if (strncmp(pattern->text, s, pattern->n_prefix) != 0)
                return false;
        return pattern->form == PATTERN_PREFIX || fnmatch(pattern->text, s, 0) == 0;
}

bool pattern_covers(const struct pattern *wider, const struct pattern *pattern) {
        if (strcmp(wider->text, pattern->text) == 0)
                return true;
        if (wider->form == PATTERN_PREFIX)
                return pattern->n_prefix >= wider->n_prefix &&
                       strncmp(pattern->text, wider->text, wider->n_prefix) == 0;
        return pattern->form == PATTERN_LITERAL && pattern_matches(wider, pattern->text);
}

bool pattern_list_matches(const struct pattern_list *patterns, const char *s) {
        for (size_t i = 0; s && i < patterns->n_items; i++)
                if (pattern_matches(&patterns->items[i], s))
                        return true;
        return false;
}
