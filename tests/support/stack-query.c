/* SPDX-License-Identifier: MIT */

/* What tests ask of a stack that is built. */

#include <stdlib.h>

#include "tests/support/stack.h"

const char *stack_names(const struct stack *stack, const struct layer *const *layers, size_t n) {
        const char *names = "";

        for (size_t i = 0; i < n; i++)
                names = arena_printf(stack->arena, "%s%s%s", names, i ? " " : "", layers[i]->name);
        return names;
}

static bool has_above(const struct layer *lower, const struct layer *upper) {
        size_t n = 0;

        for (size_t i = 0; i < lower->n_above; i++)
                n += lower->above[i] == upper;
        return n == 1;
}

bool stack_is_in_order(const struct topology *topology) {
        for (size_t i = 0; i < topology->n_layers; i++) {
                const struct layer *layer = topology->layers[i];
                unsigned depth = 0;

                for (size_t j = 0; j < layer->n_below; j++) {
                        const struct layer *lower = layer->below[j];

                        if (lower->index >= i || !has_above(lower, layer))
                                return false;
                        if (lower->depth + 1 > depth)
                                depth = lower->depth + 1;
                }
                if (layer->index != i || layer->depth != depth ||
                                layer->top != (layer->n_uses > 0 || layer->n_above == 0))
                        return false;
        }
        return true;
}

const char *stack_codes(const struct stack *stack, const char *name) {
        const char *codes = "";
        size_t n;
        const struct finding *items = findings_of(&stack->findings, stack_layer(stack, name), &n);

        for (size_t i = 0; i < n; i++)
                codes = arena_printf(stack->arena, "%s%s%s", codes, i ? " " : "", finding_code_name(items[i].code));
        return codes;
}

struct plan stack_plan(const struct stack *stack, const struct rule_action *action, bool names_layer) {
        size_t n = stack->topology->n_layers;
        struct verdict *verdicts = arena_alloc_array(stack->arena, n, sizeof(*verdicts));
        struct plan plan;

        if (!verdicts)
                abort();
        for (size_t i = 0; i < n && action; i++)
                verdicts[i] = (struct verdict){.rule = STACK_RULE, .action = action, .names_layer = names_layer};
        if (plan_build(stack->topology, stack->geometry, &stack->findings, verdicts, stack->arena, &plan) < 0)
                abort();
        return plan;
}
