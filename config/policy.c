/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "config/policy-rule.h"

void policy_free(struct policy *policy) {
        if (!policy)
                return;
        arena_free(policy->arena);
        free(policy);
}

size_t policy_count_rules(const struct policy *policy) {
        return policy->n_rules;
}

size_t policy_count_files(const struct policy *policy) {
        return policy->n_files;
}

static struct verdict find_verdict(const struct policy *policy, const struct match_subject *subject) {
        for (const struct policy_rule *rule = policy->rules; rule; rule = rule->next) {
                const struct match_clause *clause = match_test(&rule->match, subject);

                if (clause)
                        return (struct verdict){.rule = rule->name,
                                        .action = &rule->action,
                                        .names_layer = clause->names_layer};
        }
        return (struct verdict){0};
}

int policy_match(const struct policy *policy, const struct topology *topology, const struct findings *findings,
                struct arena *arena, struct verdict **ret) {
        _cleanup_(arena_freep) struct arena *scratch = arena_new();
        struct match_subjects subjects;
        struct verdict *verdicts;
        int r;

        verdicts = arena_alloc_array(arena, topology->n_layers, sizeof(*verdicts));
        if (!scratch || !verdicts)
                return -ENOMEM;
        r = match_subjects_build(topology, findings, &policy->index, scratch, &subjects);
        if (r < 0)
                return r;
        for (size_t i = 0; i < subjects.n_items; i++)
                verdicts[i] = find_verdict(policy, &subjects.items[i]);
        *ret = verdicts;
        return 0;
}
