/* SPDX-License-Identifier: MIT */
#pragma once

/* Shared by the files finding*.c only. */

#include "finding.h"
#include "target.h"

/* What a check looks at, and where its findings go. */
struct finding_context {
        const struct topology *topology;
        const struct geometry *geometry;
        struct arena *arena;
        struct findings *findings; /* not the arena's yet: findings_keep() */
        size_t allocated;
        /* The least readahead of the top layers above each layer, by its index; UINT64_MAX with none. */
        const uint64_t *least_above;
};

static inline void findings_done(struct findings *findings) {
        free(findings->items);
}

/* Copies them to ARENA, which has no room to spare for what is still growing. Returns 0 or -ENOMEM. */
int findings_keep(const struct findings *findings, struct arena *arena, struct findings *ret);

/* Both return 0 or -ENOMEM. */
int finding_append(struct finding_context *context, const struct finding *finding);
int finding_add(struct finding_context *context, const struct layer *layer, enum finding_code code,
                enum finding_severity severity, const char *format, ...) __attribute__((format(printf, 5, 6)));

/*
 * That TARGET is capped, if it is: by LIMITS of a rule, or by the default where that is NULL. Returns 0 or -ENOMEM.
 */
int finding_add_capped(struct finding_context *context, const struct layer *layer, const struct target *target,
                const struct readahead_limits *limits);

/* Sorts those from FIRST on, which are of one layer, by code. */
void finding_sort(struct findings *findings, size_t first);

/* One kind of finding; looks at one layer. Returns 0 or -ENOMEM. */
typedef int (*finding_check)(struct finding_context *context, const struct layer *layer);

/* NULL-terminated. */
extern const finding_check finding_readahead_checks[];
extern const finding_check finding_state_checks[];
extern const finding_check finding_limits_checks[];
