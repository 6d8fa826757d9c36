/* SPDX-License-Identifier: MIT */

/*
 * Policies, and the matching of those that load. A policy loads or there is an error that says why, and every error is
 * one line of text at a place in the input.
 */

#include <errno.h>

#include "config/policy.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/stack.h"

static const char machine[] = "disk sda sdb sdc; part sda1 sda 2048; md md0 raid5 64K sda1 sdb sdc;"
                              " map dm-0 0 2097152 linear md0 2048; lv dm-0 vg/lv; map dm-1 0 2048 crypt x 0 0 dm-0 0;"
                              " set dm-1 dmname=luks; mount dm-1 /srv xfs; loop loop0 /srv/disk.img; swap loop0";

static void match_all(const struct policy *policy) {
        static const struct stack *stack; /* constant once it is built */
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct verdict *verdicts = NULL;

        if (!stack)
                stack = stack_build(machine);
        FUZZ_CHECK(policy_match(policy, stack->topology, &stack->findings, arena, &verdicts) == 0 && verdicts);
}

static void check_errors(const struct policy_errors *errors, size_t size) {
        for (size_t i = 0; i < errors->n_items; i++) {
                _cleanup_(freep) char *line = policy_error_format(&errors->items[i]);

                FUZZ_CHECK(line && *errors->items[i].text && !strchr(line, '\n'));
                FUZZ_CHECK(errors->items[i].line <= size + 1 && errors->items[i].column <= size + 1);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        _cleanup_(policy_freep) struct policy *policy = NULL;
        struct policy_errors errors = {};
        int r;

        r = policy_load_text("input", (const char *)data, size, &policy, &errors);
        FUZZ_CHECK(r == 0 || r == -EINVAL);
        FUZZ_CHECK((r == 0) == (policy != NULL) && (r == 0) == (errors.n_items == 0));
        check_errors(&errors, size);
        if (policy)
                match_all(policy);
        policy_errors_done(&errors);
        return 0;
}
