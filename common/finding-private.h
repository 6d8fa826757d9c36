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
        struct findings *findings;
        size_t allocated;
        /* The least readahead of the top layers above each layer, by its index; UINT64_MAX with none. */
        const uint64_t *least_above;
};

/* Returns 0 or -ENOMEM. */
int finding_add(struct finding_context *context, const struct layer *layer, enum finding_code code,
                enum finding_severity severity, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* One kind of finding; looks at one layer. Returns 0 or -ENOMEM. */
typedef int (*finding_check)(struct finding_context *context, const struct layer *layer);

/* NULL-terminated. */
extern const finding_check finding_readahead_checks[];
extern const finding_check finding_state_checks[];
extern const finding_check finding_limits_checks[];
