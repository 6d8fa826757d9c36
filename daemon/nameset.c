/* SPDX-License-Identifier: MIT */

#include <string.h>

#include "common/cleanup.h"
#include "daemon/nameset.h"

void nameset_done(struct nameset *set) {
        for (size_t i = 0; i < set->n; i++)
                free(set->names[i]); /* NOLINT(clang-analyzer-core.NullDereference): N of them are there */
        free(set->names);
        *set = (struct nameset){};
}

void nameset_add_all(struct nameset *set) {
        nameset_done(set);
        set->all = true;
}

bool nameset_contains(const struct nameset *set, const char *name) {
        for (size_t i = 0; i < set->n; i++)
                if (strcmp(set->names[i], name) == 0)
                        return true;
        return set->all;
}

void nameset_add(struct nameset *set, const char *name) {
        _cleanup_(freep) char *copy = NULL;

        if (nameset_contains(set, name))
                return;
        if (!set->names)
                set->names = calloc(NAMESET_MAX + 1, sizeof(*set->names));
        copy = strdup(name);
        if (!set->names || !copy || set->n == NAMESET_MAX) {
                nameset_add_all(set);
                return;
        }
        set->names[set->n++] = TAKE_PTR(copy);
}
