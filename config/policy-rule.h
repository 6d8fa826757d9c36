/* SPDX-License-Identifier: MIT */
#pragma once

/* The rules of a policy: the tables of the language above "match", and what they are read into. */

#include <stddef.h>

#include "common/plan.h"
#include "config/policy-match.h"
#include "config/policy-reader.h"
#include "config/policy-value.h"
#include "config/policy.h"

#define POLICY_VERSION "1"

/* What the built-in policy measures, and what holds where neither a rule nor its file's defaults say more. */
#define PROBE_SPEC_DEFAULT                                                                                             \
        ((struct probe_spec){.on_change = true, .time_msec = 5000, .bytes = UINT64_C(64) << 20, .runs = 5})

struct policy_rule {
        const char *name;
        const char *file;
        unsigned line;
        struct match match;
        struct rule_action action;
        unsigned directory; /* which of those that the policy was read from, later ones override */
        struct policy_rule *next;
};

struct policy {
        struct arena *arena; /* everything but this struct */
        struct policy_rule *rules, *last;
        size_t n_rules, n_files;
        struct match_index index;
        unsigned directory; /* of the file that is read */
};

/* Appends the rules of one file. Returns 0, -EINVAL with errors added, or -ENOMEM. */
int policy_read_rules(struct policy_reader *reader, const struct tree_node *root, struct policy *policy);
