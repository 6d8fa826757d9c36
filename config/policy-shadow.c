/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <string.h>

#include "config/policy-error.h"
#include "config/policy-shadow.h"

/* False, which says nothing, once the budget is spent. */
static bool spend(size_t *budget, size_t n) {
        if (*budget < n) {
                *budget = 0;
                return false;
        }
        *budget -= n;
        return true;
}

/* A glob is as long to compare as the text that it is compared with. */
static bool is_pattern_covered(const struct pattern_list *wider, const struct pattern *pattern,
                const struct match_key *key, size_t *budget) {
        for (size_t i = 0; i < wider->n_items; i++) {
                const struct pattern *item = &wider->items[i];

                if (!spend(budget, item->form == PATTERN_GLOB ? 1 + strlen(pattern->text) : 1))
                        return false;
                if ((key->traits & MATCH_HAS_PATHS) && item->is_path != pattern->is_path)
                        continue;
                if (pattern_covers(item, pattern))
                        return true;
        }
        return false;
}

static bool patterns_covered(const struct match_term *wider, const struct match_term *term, size_t *budget) {
        for (size_t i = 0; i < term->patterns.n_items; i++)
                if (!is_pattern_covered(&wider->patterns, &term->patterns.items[i], term->key, budget))
                        return false;
        return true;
}

static bool is_size_covered(const struct match_term *wider, const struct size_comparison *comparison, size_t *budget) {
        for (size_t i = 0; i < wider->n_sizes; i++) {
                if (!spend(budget, 1))
                        return false;
                if (size_comparison_covers(&wider->sizes[i], comparison))
                        return true;
        }
        return false;
}

static bool sizes_covered(const struct match_term *wider, const struct match_term *term, size_t *budget) {
        for (size_t i = 0; i < term->n_sizes; i++)
                if (!is_size_covered(wider, &term->sizes[i], budget))
                        return false;
        return true;
}

/*
 * Whether each value of TERM is among those of WIDER, which has the same key. What a key does not use is empty in both.
 * What does not hold for less does not hold for more: "not" turns them round.
 */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as "not" may be (TREE_LEVELS_MAX) */
static bool term_covers(const struct match_term *wider, const struct match_term *term, size_t *budget) {
        if (term->match.clauses)
                return match_covers(&term->match, &wider->match, budget);
        return (term->mask & ~wider->mask) == 0 && term->flag == wider->flag && patterns_covered(wider, term, budget) &&
               sizes_covered(wider, term, budget);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as "not" may be (TREE_LEVELS_MAX) */
static bool is_term_implied(const struct match_term *wider, const struct match_clause *clause, size_t *budget) {
        if ((wider->key->traits & MATCH_IS_KIND) && wider->mask == MATCH_KINDS_ALL)
                return true;
        for (const struct match_term *term = clause->terms; term; term = term->next) {
                if (!spend(budget, 1))
                        return false;
                if (term->key == wider->key && term_covers(wider, term, budget))
                        return true;
        }
        return false;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as "not" may be (TREE_LEVELS_MAX) */
static bool clause_covers(const struct match_clause *wider, const struct match_clause *clause, size_t *budget) {
        for (const struct match_term *term = wider->terms; term; term = term->next)
                if (!is_term_implied(term, clause, budget))
                        return false;
        return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as "not" may be (TREE_LEVELS_MAX) */
static bool is_clause_covered(const struct match *wider, const struct match_clause *clause, size_t *budget) {
        for (const struct match_clause *c = wider->clauses; c; c = c->next)
                if (spend(budget, 1) && clause_covers(c, clause, budget))
                        return true;
        return false;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as "not" may be (TREE_LEVELS_MAX) */
bool match_covers(const struct match *wider, const struct match *match, size_t *budget) {
        for (const struct match_clause *clause = match->clauses; clause; clause = clause->next)
                if (!is_clause_covered(wider, clause, budget))
                        return false;
        return true;
}

/* The first rule before RULE that takes all that it matches; NULL: none does. */
static const struct policy_rule *find_shadow(
                const struct policy *policy, const struct policy_rule *rule, size_t *budget) {
        for (const struct policy_rule *r = policy->rules; r != rule; r = r->next)
                if (r->directory <= rule->directory && match_covers(&r->match, &rule->match, budget))
                        return r;
        return NULL;
}

static int add_shadow(const struct policy_rule *rule, const struct policy_rule *by, struct policy_errors *errors) {
        bool same_file = strcmp(rule->file, by->file) == 0;

        return policy_errors_add(errors, rule->file, rule->match.line, rule->match.column,
                        "the rule \"%s\" never wins: \"%s\" (%s%s%u) comes first and takes every layer that this one "
                        "matches; put the narrower of the two first, or take one out",
                        rule->name, by->name, same_file ? "line " : by->file, same_file ? "" : ":", by->line);
}

int policy_check_shadows(struct policy *policy, const struct policy_rule *first, struct policy_errors *errors) {
        size_t budget = SHADOW_COMPARISONS_MAX;
        int r = 0;

        for (const struct policy_rule *rule = first; rule; rule = rule->next) {
                const struct policy_rule *by = find_shadow(policy, rule, &budget);

                if (by)
                        r = policy_join(r, add_shadow(rule, by, errors));
                if (r < 0 && r != -EINVAL)
                        return r;
        }
        return r;
}
