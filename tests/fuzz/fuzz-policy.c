/* SPDX-License-Identifier: MIT */

/*
 * Policies, and the matching of those that load. A policy loads or there is an error that says why, and every error is
 * one line of text at a place in the input. What wins a layer is what explain says.
 */

#include <errno.h>

#include "config/policy.h"
#include "tests/fuzz/errors.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/stack.h"

static const char machine[] = "disk sda sdb sdc; part sda1 sda 2048; md md0 raid5 64K sda1 sdb sdc;"
                              " map dm-0 0 2097152 linear md0 2048; lv dm-0 vg/lv; map dm-1 0 2048 crypt x 0 0 dm-0 0;"
                              " set dm-1 dmname=luks; mount dm-1 /srv xfs; loop loop0 /srv/disk.img; swap loop0";

/* The same rule wins. Of each before it there is a key that the layer does not match. */
static void explain(const struct policy *policy, const struct stack *stack, const struct layer *layer,
                const struct verdict *verdict) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        const struct policy_step *winner;
        struct policy_trace *trace;

        FUZZ_CHECK(policy_explain(policy, stack->topology, &stack->findings, layer, arena, &trace) == 0);
        winner = policy_trace_winner(trace);
        FUZZ_CHECK(!winner == !verdict->rule && (!winner || strcmp(winner->rule, verdict->rule) == 0));
        for (size_t i = 0; i < trace->n_steps; i++)
                for (size_t j = 0; j < trace->steps[i].n_misses; j++)
                        FUZZ_CHECK(*trace->steps[i].misses[j].key && trace->steps[i].misses[j].wanted);
}

static void match_all(const struct policy *policy) {
        static const struct stack *stack; /* constant once it is built */
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct verdict *verdicts = NULL;

        if (!stack)
                stack = stack_build(machine);
        FUZZ_CHECK(policy_match(policy, stack->topology, &stack->findings, arena, &verdicts) == 0 && verdicts);
        for (size_t i = 0; i < stack->topology->n_layers; i++)
                explain(policy, stack, stack->topology->layers[i], &verdicts[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        _cleanup_(policy_freep) struct policy *policy = NULL;
        struct policy_errors errors = {};
        int r;

        r = policy_load_text(ERRORS_INPUT, (const char *)data, size, &policy, &errors);
        FUZZ_CHECK(r == 0 || r == -EINVAL);
        FUZZ_CHECK((r == 0) == (policy != NULL) && (r == 0) == (errors.n_items == 0));
        errors_check(&errors, size, policy, NULL);
        if (policy)
                match_all(policy);
        policy_errors_done(&errors);
        return 0;
}
