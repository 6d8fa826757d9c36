/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "config/policy-rule.h"

const struct policy_step *policy_trace_winner(const struct policy_trace *trace) {
        const struct policy_step *last = trace->n_steps > 0 ? &trace->steps[trace->n_steps - 1] : NULL;

        return last && last->matched ? last : NULL;
}

static int explain_clause(const struct match_clause *clause, const struct match_subject *subject, struct arena *arena,
                struct policy_miss *ret) {
        const struct match_term *term = match_clause_test(clause, subject);
        const char *value;

        value = term->key->describe(term, subject, arena);
        if (!value)
                return -ENOMEM;
        *ret = (struct policy_miss){.key = term->name, .wanted = term->text};
        if (!*value)
                return 0;
        ret->value = arena_strdup(arena, value); /* what it describes is gone before the trace is */
        return ret->value ? 0 : -ENOMEM;
}

/* Clauses are kept last first. */
static int explain_misses(const struct match *match, const struct match_subject *subject, struct arena *arena,
                struct policy_step *step) {
        size_t n = 0;

        for (const struct match_clause *clause = match->clauses; clause; clause = clause->next)
                n++;
        step->misses = arena_alloc_array(arena, n, sizeof(*step->misses));
        if (!step->misses)
                return -ENOMEM;
        step->n_misses = n;
        for (const struct match_clause *clause = match->clauses; clause; clause = clause->next) {
                int r = explain_clause(clause, subject, arena, &step->misses[--n]);

                if (r < 0)
                        return r;
        }
        return 0;
}

static int explain_rule(const struct policy_rule *rule, const struct match_subject *subject, struct arena *arena,
                struct policy_step *step) {
        const struct match_clause *clause = match_test(&rule->match, subject);

        *step = (struct policy_step){.rule = rule->name, .file = rule->file, .line = rule->line};
        if (!clause)
                return explain_misses(&rule->match, subject, arena, step);
        step->matched = true;
        step->names_layer = clause->names_layer;
        return 0;
}

static int explain_rules(const struct policy *policy, const struct match_subject *subject, struct arena *arena,
                struct policy_trace *trace) {
        for (const struct policy_rule *rule = policy->rules; rule; rule = rule->next) {
                struct policy_step *step = &trace->steps[trace->n_steps++];
                int r = explain_rule(rule, subject, arena, step);

                if (r < 0)
                        return r;
                if (step->matched)
                        break;
        }
        trace->n_not_reached = policy->n_rules - trace->n_steps;
        return 0;
}

int policy_explain(const struct policy *policy, const struct topology *topology, const struct findings *findings,
                const struct layer *layer, struct arena *arena, struct policy_trace **ret) {
        _cleanup_(arena_freep) struct arena *scratch = arena_new();
        struct policy_trace *trace = arena_alloc(arena, sizeof(*trace));
        struct match_subjects subjects;
        int r;

        if (!scratch || !trace)
                return -ENOMEM;
        trace->steps = arena_alloc_array(arena, policy->n_rules, sizeof(*trace->steps));
        if (!trace->steps)
                return -ENOMEM;
        r = match_subjects_build(topology, findings, &policy->index, scratch, &subjects);
        if (r < 0)
                return r;
        r = explain_rules(policy, &subjects.items[layer->index], arena, trace);
        if (r < 0)
                return r;
        *ret = trace;
        return 0;
}
