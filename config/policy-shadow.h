/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Rules that can never win a layer, as an earlier rule takes all that they match. Said only where it is sure: what one
 * match implies is worked out key by key, and no layer is looked at. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

#include "config/policy-match.h"
#include "config/policy-rule.h"

/*
 * How many values are compared for one policy: far more than any that people write needs. The rules of a hostile one
 * count as good from there on.
 */
#define SHADOW_COMPARISONS_MAX 20000000U

/* Whether each layer that MATCH holds for is one that WIDER holds for, whatever the layers. *budget goes down. */
bool match_covers(const struct match *wider, const struct match *match, size_t *budget);

/*
 * Adds an error for each rule from FIRST on that never wins. A rule may be overridden by one of a later directory.
 * Returns 0, -EINVAL with errors added, or -ENOMEM.
 */
int policy_check_shadows(struct policy *policy, const struct policy_rule *first, struct policy_errors *errors);
