/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "config/policy-suggest-finding.h"
#include "config/policy-suggest.h"

static bool has(uint64_t codes, enum finding_code code) {
        return (codes & UINT64_C(1) << code) != 0;
}

/* "degraded" for "array-degraded" */
static bool is_end_of(const char *text, const char *name) {
        const char *dash = strchr(name, '-');

        return dash && strcmp(dash + 1, text) == 0;
}

uint64_t finding_family(const char *text, uint64_t codes) {
        size_t n = strcspn(text, "-");
        uint64_t family = 0;

        for (enum finding_code code = 0; text[n] && code < _FINDING_CODE_MAX; code++)
                if (has(codes, code) && strncmp(finding_code_name(code), text, n + 1) == 0)
                        family |= UINT64_C(1) << code;
        return family;
}

const char *finding_suggest(const char *text, uint64_t codes) {
        uint64_t family = finding_family(text, codes);
        size_t skip = family && (family & (family - 1)) != 0 ? strcspn(text, "-") + 1 : 0;
        struct suggestion suggestion = suggestion_for(text + skip);
        const char *best = NULL;

        for (enum finding_code code = 0; code < _FINDING_CODE_MAX; code++) {
                const char *name = finding_code_name(code);

                if (!has(family ?: codes, code))
                        continue;
                if (is_end_of(text, name))
                        return name;
                /* Where the family has several, it says nothing of which is meant: "readahead-low" is not near "-off". */
                suggestion_offer(&suggestion, name + skip);
                if (suggestion.best == name + skip)
                        best = name;
        }
        return best;
}

const char *finding_list(struct arena *arena, uint64_t codes) {
        const char *list = "";

        for (enum finding_code code = 0; list && code < _FINDING_CODE_MAX; code++)
                if (has(codes, code))
                        list = arena_printf(arena, "%s%s%s", list, *list ? ", " : "", finding_code_name(code));
        return list;
}
