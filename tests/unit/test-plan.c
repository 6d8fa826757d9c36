/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rule.h"
#include "tests/support/stack.h"

/* A rule that has won every layer, and what it makes of one: "raise 256 → 3072", "keep (3072)", "ignore (none)". */
struct plan_case {
        const char *stack, *layer, *rule, *decision;
};

enum naming { BY_SORT, BY_NAME };

static const struct decision *find_decision(const struct stack *stack, const struct plan *plan, const char *name) {
        return &plan->decisions[stack_layer(stack, name)->index];
}

static const char *describe(const struct stack *stack, const struct decision *d) {
        const char *action = plan_action_name(d->action);

        if (decision_is_change(d))
                return arena_printf(stack->arena, "%s %lld → %lld", action,
                                (long long)d->layer->readahead_sectors.value, (long long)d->target.sectors.value);
        if (!d->target.sectors.known)
                return arena_printf(stack->arena, "%s (none)", action);
        return arena_printf(stack->arena, "%s (%lld)", action, (long long)d->target.sectors.value);
}

/* What holds of every plan. */
static void check_plan(const struct stack *stack, const struct plan *plan) {
        size_t n_changes = 0, n_held = 0;

        assert_int_equal(plan->n_decisions, stack->topology->n_layers);
        for (size_t i = 0; i < plan->n_decisions; i++) {
                const struct decision *d = &plan->decisions[i];

                assert_ptr_equal(d->layer, stack->topology->layers[i]);
                assert_non_null(d->reason);
                assert_true(*d->reason);
                assert_int_equal(!d->rule, !d->rule_action);
                n_changes += d->action == ACTION_RAISE || d->action == ACTION_LOWER;
                n_held += d->action == ACTION_HOLD;
        }
        assert_int_equal(plan->n_changes, n_changes);
        assert_int_equal(plan->n_held, n_held);
}

static void check_cases(const struct plan_case *cases, size_t n, enum naming naming) {
        for (size_t i = 0; i < n; i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                struct rule_action rule = rule_from_text(cases[i].rule);
                struct plan plan = stack_plan(stack, &rule, naming == BY_NAME);

                print_message("%s: %s\n", cases[i].stack, cases[i].rule);
                check_plan(stack, &plan);
                assert_string_equal(describe(stack, find_decision(stack, &plan, cases[i].layer)), cases[i].decision);
        }
}

#define RAID5  "disk a b c d; md md0 raid5 256K a b c d; set md0 ra=3072; map dm-0 0 9 linear md0 0;" /* 3072 sectors */
#define MIRROR "disk e f; md md1 raid1 0 e f; map dm-1 0 9 linear md1 0;"

#define DEGRADED  (UINT64_C(1) << FINDING_ARRAY_DEGRADED)
#define RESYNCING (UINT64_C(1) << FINDING_ARRAY_RESYNCING)

static void test_directions(void **state) {
        static const struct plan_case cases[] = {
                        {RAID5 "set dm-0 ra=256", "dm-0", "auto raise", "raise 256 → 3072"},
                        {RAID5 "set dm-0 ra=3072", "dm-0", "auto raise", "keep (3072)"},
                        {RAID5 "set dm-0 ra=8192", "dm-0", "auto raise", "keep (3072)"},
                        {RAID5 "set dm-0 ra=256", "dm-0", "auto lower", "keep (3072)"},
                        {RAID5 "set dm-0 ra=3072", "dm-0", "auto lower", "keep (3072)"},
                        {RAID5 "set dm-0 ra=8192", "dm-0", "auto lower", "lower 8192 → 3072"},
                        {RAID5 "set dm-0 ra=256", "dm-0", "auto both", "raise 256 → 3072"},
                        {RAID5 "set dm-0 ra=3072", "dm-0", "auto both", "keep (3072)"},
                        {RAID5 "set dm-0 ra=8192", "dm-0", "auto both", "lower 8192 → 3072"},
                        {RAID5 "set dm-0 ra=256", "dm-0", "auto report", "keep (3072)"},
                        {RAID5 "set dm-0 ra=3072", "dm-0", "auto report", "keep (3072)"},
                        {RAID5 "set dm-0 ra=8192", "dm-0", "auto report", "keep (3072)"},
                        /* arrays as well, and numbers as well */
                        {RAID5 "set md0 ra=256", "md0", "auto raise", "raise 256 → 3072"},
                        {RAID5 "set md0 ra=8192", "md0", "auto both", "lower 8192 → 3072"},
                        {RAID5 "set md0 ra=8192; set dm-0 ra=256", "dm-0", "auto raise", "raise 256 → 8192"},
                        {RAID5, "dm-0", "sectors=32 both", "lower 256 → 32"},
                        {RAID5, "dm-0", "sectors=32 raise", "keep (32)"},
                        {RAID5, "dm-0", "sectors=131072 raise", "raise 256 → 131072"},
                        {RAID5, "dm-0", "off both", "lower 256 → 0"},
                        {RAID5, "dm-0", "off raise", "keep (0)"},
                        {RAID5, "dm-0", "stripes=4 raise", "raise 256 → 6144"},
                        {RAID5, "dm-0", "keep both", "keep (none)"},
                        {MIRROR, "dm-1", "auto both", "keep (256)"},
                        {"disk a; loop loop0 /dev/a", "loop0", "auto both", "keep (256)"},
        };

        check_cases(cases, ARRAY_SIZE(cases), BY_SORT);
}

/* Both sides are compared in whole pages: else a value would be set for ever. */
static void test_rounding(void **state) {
        static const struct plan_case cases[] = {
                        {RAID5 "set dm-0 ra=256", "dm-0", "sectors=257 both", "keep (256)"},
                        {RAID5 "set dm-0 ra=256", "dm-0", "sectors=263 both", "keep (256)"},
                        {RAID5 "set dm-0 ra=256", "dm-0", "sectors=264 both", "raise 256 → 264"},
                        {RAID5 "set dm-0 ra=8", "dm-0", "sectors=1 both", "keep (8)"},
                        {RAID5 "set dm-0 ra=257", "dm-0", "sectors=256 both", "keep (256)"},
                        {"page 64K; disk a b c; md md0 raid0 52K a b c; set md0 ra=512", "md0", "auto both",
                                        "keep (512)"},
                        {"page 16K; disk a b c; md md0 raid0 52K a b c; set md0 ra=608", "md0", "auto both",
                                        "keep (608)"},
                        {"page 16K; disk a b c; md md0 raid0 52K a b c; set md0 ra=512", "md0", "auto both",
                                        "raise 512 → 608"},
                        {"page 64K; disk a b; md md0 raid5 64K a b -; set md0 ra=600", "md0", "auto both",
                                        "keep (512)"},
        };

        check_cases(cases, ARRAY_SIZE(cases), BY_SORT);
}

#define LVM_RAID5                                                                                                      \
        "disk a b c; map dm-8 0 9 raid raid5_ls 1 128 3 - a - b - c; set dm-8 ra=256; map dm-9 0 9 linear dm-8 0;"     \
        "status dm-8 raid5_ls 3 "
#define LVM_RESHAPED                                                                                                   \
        "disk r1 r2 r3; map dm-8 0 9 raid raid5_ls 1 128 3 - r1 - r2 - r3;"                                            \
        "status dm-8 raid5_ls 3 aaa 0/9 reshape 0 0 -;"

/* An array over a map with two paths, and a map over the array; what is left of the paths follows. */
#define OVER_PATHS                                                                                                     \
        "disk p q x y; map dm-4 0 9 multipath 1 queue_if_no_path 0 1 1 queue-length 0 2 1 p 1 q 1;"                    \
        "md md4 raid5 256K dm-4 x y; set md4 ra=2048; map dm-5 0 9 linear md4 0;"
#define PATHS(one, other) "status dm-4 2 0 0 0 1 1 A 0 2 1 8:0 " one " 1 0 8:16 " other " 0 0;"

#define OPAQUE RAID5 "disk o; map dm-9 0 9 era o md0 8192;"

static void test_held(void **state) {
        static const struct {
                const char *settings, *rule, *decision, *reason;
        } cases[] = {
                        {"set md0 reshape", "auto", "hold (none)", "md0 is being reshaped"},
                        {"set md0 reshape", "sectors=8192", "hold (8192)", "md0 is being reshaped"},
                        {"set dm-0 suspended", "auto", "hold (3072)", "suspended"},
                        {"set dm-0 other-rules-off", "auto", "hold (3072)", "DM_UDEV_DISABLE_OTHER_RULES_FLAG"},
                        {"set dm-0 not-ready", "auto", "hold (3072)", "SYSTEMD_READY=0"},
                        {"set dm-0 suspended ra=8192", "auto both", "hold (3072)", "suspended"},
                        /* nothing is held that would not be changed */
                        {"set dm-0 suspended ra=3072", "auto both", "keep (3072)", ""},
                        {"set dm-0 not-ready ra=3072", "auto both", "keep (3072)", ""},
                        {"set md0 reshape; set dm-0 ra=8192", "sectors=8192", "keep (8192)", ""},
                        {"set dm-0 suspended ra=8192", "auto raise", "keep (3072)", ""},
                        {"set dm-0 suspended", "auto lower", "keep (3072)", ""},
                        {"set dm-0 suspended", "auto report", "keep (3072)", ""},
                        {"set dm-0 suspended", "keep", "keep (none)", ""},
                        {"set md0 reshape", "keep", "keep (none)", ""},
                        {"set md0 reshape", "auto report", "keep (none)", ""},
                        {"set dm-0 suspended ra=0", "auto", "keep (3072)", "off"},
                        /* what is beneath or above does not matter */
                        {"set md0 not-ready degraded=1 sync=recover", "auto", "raise 256 → 3072", ""},
                        {"map dm-9 0 9 linear dm-0 0; set dm-9 suspended", "auto", "raise 256 → 3072", ""},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char text[512];
                struct rule_action rule = rule_from_text(cases[i].rule);

                snprintf(text, sizeof(text), "%s %s", RAID5, cases[i].settings);
                print_message("%s: %s\n", text, cases[i].rule);
                _cleanup_(stack_freep) struct stack *stack = stack_build(text);
                struct plan plan = stack_plan(stack, &rule, false);
                const struct decision *d = find_decision(stack, &plan, "dm-0");

                check_plan(stack, &plan);
                assert_string_equal(describe(stack, d), cases[i].decision);
                assert_non_null(strstr(d->reason, cases[i].reason));
        }
}

static void test_more_held(void **state) {
        static const struct plan_case cases[] = {
                        {"map dm-0; set dm-0 ra=128", "dm-0", "auto", "hold (256)"},
                        {"map dm-0; set dm-0 ra=256", "dm-0", "auto", "keep (256)"},
                        {"disk a; map dm-0; set dm-0 ra=128 no-tables; over dm-0 a", "dm-0", "auto", "raise 128 → 256"},
                        {"disk a; md md0 raid5 64K a -; set md0 inactive ra=128", "md0", "auto", "hold (256)"},
                        {RAID5 "set md0 inactive", "dm-0", "auto", "hold (none)"},
                        {RAID5 "set md0 inactive", "dm-0", "sectors=8192", "hold (8192)"},
                        {RAID5 MIRROR "set md0 inactive; map dm-9 0 9 linear md1 0; map dm-9 9 9 linear md0 0", "dm-9",
                                        "auto", "hold (none)"},
                        {RAID5 MIRROR "set md0 inactive; set md1 ra=512", "dm-1", "auto", "raise 256 → 512"},
                        {RAID5 "set md0 reshape", "md0", "auto", "hold (none)"},
                        {RAID5 "set md0 reshape", "a", "auto", "ignore (none)"},
                        {RAID5 "set md0 reshape; map dm-9 0 9 crypt c k 0 dm-0 0", "dm-9", "auto", "hold (none)"},
                        {LVM_RESHAPED, "dm-8", "auto", "hold (none)"},
                        {OVER_PATHS, "dm-5", "auto", "raise 256 → 2048"},
                        {OVER_PATHS PATHS("F", "A"), "dm-5", "auto", "raise 256 → 2048"},
                        {OVER_PATHS PATHS("F", "F"), "dm-5", "auto", "hold (2048)"},
                        {OVER_PATHS PATHS("F", "F"), "dm-4", "sectors=512", "hold (512)"},
                        {OVER_PATHS PATHS("F", "F") "set dm-5 ra=2048", "dm-5", "auto", "keep (2048)"},
                        {OVER_PATHS PATHS("F", "F") RAID5, "dm-0", "auto", "raise 256 → 3072"},
                        {OPAQUE, "dm-9", "auto both", "keep (none)"},
                        {OPAQUE "set dm-9 suspended", "dm-9", "auto", "keep (none)"},
                        {OPAQUE "set dm-9 suspended", "dm-9", "sectors=8192", "hold (8192)"},
                        {OPAQUE "set md0 reshape", "dm-9", "auto", "hold (none)"},
                        {OPAQUE "map dm-10 0 9 linear dm-9 0", "dm-10", "auto", "keep (none)"},
                        {LVM_RESHAPED "map dm-9 0 9 linear dm-8 0", "dm-9", "auto", "hold (none)"},
                        {LVM_RESHAPED "map dm-9 0 9 linear dm-8 0", "dm-9", "sectors=8192", "hold (8192)"},
                        {RAID5 MIRROR "set md0 reshape; set md1 ra=512", "dm-1", "auto", "raise 256 → 512"},
                        {RAID5 MIRROR "set md0 reshape; map dm-9 0 9 linear md1 0; map dm-9 9 9 linear md0 0", "dm-9",
                                        "auto", "hold (none)"},
        };

        check_cases(cases, ARRAY_SIZE(cases), BY_SORT);
}

static void test_lost_paths(void **state) {
        static const struct {
                const char *stack, *layer, *reason;
        } cases[] = {
                        {OVER_PATHS PATHS("F", "F"), "dm-4", "map dm-4 has none of its 2 paths left"},
                        {OVER_PATHS PATHS("F", "F"), "dm-5", "map dm-4 has none of its 2 paths left"},
                        {"disk p; map dm-4 0 9 multipath 0 0 1 1 queue-length 0 1 1 p 1;"
                         "status dm-4 2 0 0 0 1 1 E 0 1 1 8:0 F 1 0",
                                        "dm-4", "map dm-4 has lost its only path"},
        };
        struct rule_action rule = rule_from_text("sectors=512 both");

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                struct plan plan = stack_plan(stack, &rule, false);

                assert_string_equal(find_decision(stack, &plan, cases[i].layer)->reason, cases[i].reason);
        }
}

#define OVER_RAID5 "disk a b c d; md md0 raid5 256K a b c d; map dm-0 0 9 linear md0 0;"

/* Sorts of layers that a rule touches only where it names them. */
static void test_left_alone(void **state) {
        static const struct {
                const char *stack, *layer, *named;
        } cases[] = {
                        {OVER_RAID5 "swap dm-0", "dm-0", "raise 256 → 512"},
                        {"disk a b; md md1 raid1 0 a b; swap md1", "md1", "raise 256 → 512"},
                        {"other zram0 zram", "zram0", "raise 256 → 512"},
                        {"other zd0 zvol", "zd0", "raise 256 → 512"},
                        {"other sr0 rom", "sr0", "raise 256 → 512"},
                        {OVER_RAID5 "lv dm-0 vg/pool tpool", "dm-0", "raise 256 → 512"},
                        {OVER_RAID5 "lv dm-0 vg/lv real", "dm-0", "raise 256 → 512"},
                        {OVER_RAID5 "lv dm-0 vg/lv cow", "dm-0", "raise 256 → 512"},
                        {OVER_RAID5 "lv dm-0 vg/pool_tdata tdata", "dm-0", "raise 256 → 512"},
                        {OVER_RAID5 "lv dm-0 vg/lv_rimage_0", "dm-0", "raise 256 → 512"},
                        {OVER_RAID5 "lv dm-0 vg/pvmove0", "dm-0", "raise 256 → 512"},
                        {"disk a", "a", "raise 256 → 512"},
                        {"disk a; mount a /srv xfs", "a", "raise 256 → 512"},
                        {OVER_RAID5 "mount dm-0 /srv btrfs", "dm-0", "raise 256 → 512"},
                        {OVER_RAID5 "mount dm-0 /srv bcachefs; mount dm-0 /srv2 bcachefs", "dm-0", "raise 256 → 512"},
                        /* these never: a partition has its disk's, nothing reads through the others */
                        {"disk a; part a1 a 2048", "a1", "ignore (none)"},
                        {OVER_RAID5 "part md0p1 md0 2048", "md0p1", "ignore (none)"},
                        {"disk a; set a hidden", "a", "ignore (none)"},
                        {"disk a; set a nodev", "a", "ignore (none)"},
                        {"disk a b; md md1 raid0 64K a b; set md1 container", "md1", "ignore (none)"},
                        {"disk a; map dm-0 0 9 linear a 0; set dm-0 ra=?", "dm-0", "ignore (none)"},
        };
        struct rule_action rule = rule_from_text("sectors=512 both"), lower = rule_from_text("sectors=64 both");

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                struct plan by_sort = stack_plan(stack, &rule, false), by_name = stack_plan(stack, &rule, true),
                            lowered = stack_plan(stack, &lower, false);

                print_message("%s\n", cases[i].stack);
                check_plan(stack, &by_sort);
                check_plan(stack, &by_name);
                assert_string_equal(describe(stack, find_decision(stack, &by_sort, cases[i].layer)), "ignore (none)");
                assert_string_equal(describe(stack, find_decision(stack, &lowered, cases[i].layer)), "ignore (none)");
                assert_string_equal(describe(stack, find_decision(stack, &by_name, cases[i].layer)), cases[i].named);
        }
}

static void test_not_left_alone(void **state) {
        static const struct plan_case cases[] = {
                        /* a plain disk that is not plausible */
                        {"disk a; set a opt=33553920 ra=131064", "a", "auto lower", "lower 131064 → 256"},
                        {"disk a; set a opt=33553920 ra=4096", "a", "auto both", "ignore (none)"},
                        {"disk a; set a opt=33553920 ra=131064; swap a", "a", "auto lower", "ignore (none)"},
                        {"disk a; set a opt=33553920 ra=131064; map dm-0 0 9 linear a 0; set dm-0 ra=131064", "dm-0",
                                        "auto lower", "lower 131064 → 256"},
                        /* btrfs beside another use; a volume with a common name */
                        {OVER_RAID5 "mount dm-0 /srv btrfs; mount dm-0 /b ext4", "dm-0", "auto", "raise 256 → 3072"},
                        {OVER_RAID5 "lv dm-0 vg/pool_data", "dm-0", "auto", "raise 256 → 3072"},
                        {"disk a; other nbd0 nbd a", "nbd0", "sectors=512", "raise 256 → 512"},
                        {OVER_RAID5 "other bcache0 bcache md0", "bcache0", "auto", "raise 256 → 3072"},
        };

        check_cases(cases, ARRAY_SIZE(cases), BY_SORT);
}

/* Readahead 0 is somebody's decision. */
static void test_left_off(void **state) {
        static const struct plan_case cases[] = {
                        {RAID5 "set dm-0 ra=0", "dm-0", "auto raise", "keep (3072)"},
                        {RAID5 "set dm-0 ra=0", "dm-0", "auto both", "keep (3072)"},
                        {RAID5 "set dm-0 ra=0", "dm-0", "array both", "keep (3072)"},
                        {RAID5 "set dm-0 ra=0", "dm-0", "stripes=4 both", "keep (6144)"},
                        {RAID5 "set md0 ra=0", "md0", "auto both", "keep (3072)"},
                        {RAID5 "set dm-0 ra=0", "dm-0", "off both", "keep (0)"},
        };
        /* … and a number in a rule, or a rule for this very layer, is a later one. */
        static const struct plan_case later[] = {
                        {RAID5 "set dm-0 ra=0", "dm-0", "auto raise", "raise 0 → 3072"},
                        {RAID5 "set dm-0 ra=0", "dm-0", "sectors=8192 raise", "raise 0 → 8192"},
        };

        check_cases(cases, ARRAY_SIZE(cases), BY_SORT);
        check_cases(later, ARRAY_SIZE(later), BY_NAME);
}

static void test_no_rule(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(RAID5 MIRROR);
        struct plan plan = stack_plan(stack, NULL, false);

        check_plan(stack, &plan);
        for (size_t i = 0; i < plan.n_decisions; i++) {
                assert_int_equal(plan.decisions[i].action, ACTION_IGNORE);
                assert_false(plan.decisions[i].target.sectors.known);
                assert_null(plan.decisions[i].rule);
        }
}

static void test_empty(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build("");
        struct rule_action rule = rule_from_text("auto");
        struct plan plan = stack_plan(stack, &rule, false);

        check_plan(stack, &plan);
}

/* The policy may be loaded anew while a plan of the old one is carried out. */
static void test_outlives_rules(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(RAID5);
        struct verdict *verdicts = calloc(stack->topology->n_layers, sizeof(*verdicts));
        struct rule_action *rule = malloc(sizeof(*rule));
        char *name = strdup("stacks over arrays");
        struct plan plan;

        assert_true(verdicts && rule && name);
        *rule = rule_from_text("auto both max=1M");
        for (size_t i = 0; i < stack->topology->n_layers; i++)
                verdicts[i] = (struct verdict){.rule = name, .action = rule};
        assert_int_equal(plan_build(stack->topology, stack->geometry, NULL, verdicts, stack->arena, &plan), 0);
        memset(name, 'x', strlen(name));
        memset(rule, 0xff, sizeof(*rule));
        free(name);
        free(rule);
        free(verdicts);

        assert_string_equal(find_decision(stack, &plan, "dm-0")->rule, "stacks over arrays");
        assert_int_equal(find_decision(stack, &plan, "dm-0")->rule_action->limits.max_sectors, 2048);
        assert_int_equal(find_decision(stack, &plan, "dm-0")->rule_action->direction, DIRECTION_BOTH);
}

/* The first is what the journal's example promises; of the rest, the facts must be there. */
static void test_reasons(void **state) {
        static const struct {
                const char *stack, *layer, *rule, *reason;
        } cases[] = {
                        {RAID5, "dm-0", "auto", "2 × stripe width 768 KiB of md0, raid5 4 × 256 KiB"},
                        {RAID5, "dm-0", "stripes=4", "4 × stripe width 768 KiB of md0, raid5 4 × 256 KiB"},
                        {RAID5 "set md0 ra=8192", "dm-0", "auto", "md0"},
                        {RAID5, "dm-0", "auto max=1M", "1.5 MiB"},
                        {RAID5 "memory 256M", "dm-0", "auto", "0.5 % of memory"},
                        {RAID5 "memory 256M", "dm-0", "auto share=2500", "0.25 % of memory"},
                        {RAID5, "dm-0", "sectors=8192 max=1M", "above its max of 1 MiB"},
                        {RAID5, "dm-0", "sectors=2048 max=1M", "the rule's number"},
                        {RAID5, "dm-0", "auto report", "only reports"},
                        {RAID5, "dm-0", "auto lower", "does not raise"},
                        {RAID5 "set dm-0 ra=8192", "dm-0", "auto", "does not lower"},
                        {MIRROR "set md1 ra=?", "dm-1", "auto", "nothing beneath has a stripe"},
                        {"disk a b; md md0 raid0 16K a b; set md0 ra=128", "md0", "auto", "stripe width 32 KiB"},
                        {MIRROR "set md1 ra=?", "dm-1", "auto min=1M", "min"},
                        {MIRROR "set md1 ra=?", "dm-1", "auto min=4M max=1M", "would be 4 MiB"},
                        {MIRROR "set md1 ra=1024", "dm-1", "auto", "as md1 beneath has it"},
                        {MIRROR "set md1 ra=256", "dm-1", "auto min=1M", "as md1 beneath is given it"},
                        {RAID5 "set md0 reshape", "md0", "auto", "the array is being reshaped"},
                        {LVM_RESHAPED, "dm-8", "auto", "the array is being reshaped"},
                        {LVM_RESHAPED "map dm-9 0 9 linear dm-8 0", "dm-9", "auto", "dm-8 is being reshaped"},
                        {OPAQUE, "dm-9", "auto",
                                        "it is not known how the map (target \"era\") spreads its reads over several "
                                        "devices"},
                        {OPAQUE "map dm-10 0 9 linear dm-9 0", "dm-10", "auto",
                                        "it is not known how dm-9 (target \"era\") spreads its reads over several "
                                        "devices"},
                        {OPAQUE "set dm-9 no-tables; map dm-10 0 9 linear dm-9 0", "dm-10", "auto", "dm-9"},
                        {RAID5 "disk g h; md md3 raid0 512K g h; map dm-9 0 9 striped 2 128 md0 0 md3 0", "dm-9",
                                        "auto",
                                        "dm-9 (striped 2 × 64 KiB), md0 (raid5 4 × 256 KiB) and md3 (raid0 2 × 512 "
                                        "KiB)"},
                        {MIRROR "disk g h i j k l m n o p;"
                                "md m1 raid0 64K g h; md m2 raid0 64K i j; md m3 raid0 64K k l; md m4 raid0 64K m n;"
                                "md m5 raid0 64K o p; map dm-9 0 9 striped 5 128 m1 0 m2 0 m3 0 m4 0 m5 0",
                                        "dm-9", "auto", "m3 (raid0 2 × 64 KiB) and 2 more"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                struct rule_action rule = rule_from_text(cases[i].rule);
                struct plan plan = stack_plan(stack, &rule, false);
                const char *reason = find_decision(stack, &plan, cases[i].layer)->reason;

                print_message("%s: %s\n", cases[i].rule, reason);
                assert_non_null(strstr(reason, cases[i].reason));
        }
}

/* A rule's own hold: at the layer or at any depth beneath it, and only where there is a change to wait. */
static void test_held_by_rule(void **state) {
        static const struct {
                const char *stack, *layer, *rule;
                struct hold_spec hold;
                const char *decision, *reason;
        } cases[] = {
                        {RAID5, "dm-0", "auto", {.always = true}, "hold (3072)", "held by rule 'the rule'"},
                        {RAID5 "set md0 reshape", "dm-0", "auto", {.always = true}, "hold (none)",
                                        "md0 is being reshaped"},
                        {RAID5 "set md0 reshape", "dm-0", "sectors=8192", {.always = true}, "hold (8192)",
                                        "held by rule 'the rule'"},
                        {RAID5 "set dm-0 ra=3072", "dm-0", "auto", {.always = true}, "keep (3072)", "stripe width"},
                        {RAID5, "dm-0", "auto lower", {.always = true}, "keep (3072)", "does not raise"},
                        {RAID5, "dm-0", "auto report", {.always = true}, "keep (3072)", "only reports"},
                        {RAID5, "dm-0", "keep", {.always = true}, "keep (none)", "the rule keeps it"},
                        {RAID5 "set dm-0 ra=0", "dm-0", "auto", {.always = true}, "keep (3072)", "readahead is off"},
                        {RAID5, "dm-0", "auto", {.states = DEGRADED}, "raise 256 → 3072", "stripe width"},
                        {RAID5 "set md0 degraded=1", "dm-0", "auto", {.states = DEGRADED}, "hold (3072)",
                                        "rule 'the rule' waits while md0 is degraded"},
                        {RAID5 "set md0 degraded=1 ra=256", "md0", "auto", {.states = DEGRADED}, "hold (3072)",
                                        "rule 'the rule' waits while md0 is degraded"},
                        {RAID5 "set md0 degraded=1", "dm-0", "auto", {.states = RESYNCING}, "raise 256 → 3072",
                                        "stripe width"},
                        {RAID5 "set md0 sync=check", "dm-0", "auto", {.states = DEGRADED | RESYNCING}, "hold (3072)",
                                        "rule 'the rule' waits while md0 is resyncing"},
                        {RAID5 "set md0 degraded=1 sync=recover", "dm-0", "auto", {.states = RESYNCING}, "hold (3072)",
                                        "rule 'the rule' waits while md0 is resyncing"},
                        {RAID5 "map dm-1 0 9 linear dm-0 0; map dm-2 0 9 linear dm-1 0; set md0 degraded=1", "dm-2",
                                        "auto", {.states = DEGRADED}, "hold (3072)",
                                        "rule 'the rule' waits while md0 is degraded"},
                        {RAID5 "map dm-1 0 9 linear dm-0 0; set dm-0 suspended", "dm-1", "auto",
                                        {.states = UINT64_C(1) << FINDING_SUSPENDED}, "hold (3072)",
                                        "rule 'the rule' waits while dm-0 is suspended"},
                        {LVM_RAID5 "AAD 9/9 idle 0 0 -", "dm-9", "auto", {.states = DEGRADED}, "hold (512)",
                                        "rule 'the rule' waits while dm-8 is degraded"},
                        {LVM_RAID5 "AAD 9/9 idle 0 0 -", "dm-9", "auto", {.states = RESYNCING}, "raise 256 → 512",
                                        "stripe width"},
                        {LVM_RAID5 "aaa 1/9 resync 0 0 -", "dm-9", "auto", {.states = DEGRADED | RESYNCING},
                                        "hold (512)", "rule 'the rule' waits while dm-8 is resyncing"},
                        {RAID5 MIRROR "set md1 degraded=1", "dm-0", "auto", {.states = DEGRADED}, "raise 256 → 3072",
                                        "stripe width"},
                        {RAID5 MIRROR "map dm-9 0 9 linear dm-0 0; map dm-9 9 9 linear dm-1 0; set md1 degraded=1",
                                        "dm-9", "auto", {.states = DEGRADED}, "hold (3072)",
                                        "rule 'the rule' waits while md1 is degraded"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                struct rule_action rule = rule_from_text(cases[i].rule);
                const struct decision *decision;
                struct plan plan;

                rule.hold = cases[i].hold;
                plan = stack_plan(stack, &rule, false);
                check_plan(stack, &plan);
                decision = find_decision(stack, &plan, cases[i].layer);
                print_message("%s: %s: %s\n", cases[i].stack, cases[i].rule, decision->reason);
                assert_string_equal(describe(stack, decision), cases[i].decision);
                assert_non_null(strstr(decision->reason, cases[i].reason));
        }
}

/* What a later step acts on comes with the decision. */
static void test_carries_rule(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(RAID5);
        struct rule_action rule = rule_from_text("auto");
        const struct rule_action *carried;
        struct plan plan;

        rule.on_drift = DRIFT_REASSERT;
        rule.probe.keep_if = (struct keep_condition){.given = true, .or_equal = true, .min_gain = 0.97};
        plan = stack_plan(stack, &rule, false);
        carried = find_decision(stack, &plan, "dm-0")->rule_action;
        assert_int_equal(carried->on_drift, DRIFT_REASSERT);
        assert_true(carried->probe.keep_if.given && carried->probe.keep_if.or_equal);
        assert_float_equal(carried->probe.keep_if.min_gain, 0.97, 1e-9);
}

static void test_action_names(void **state) {
        assert_string_equal(plan_action_name(ACTION_RAISE), "raise");
        assert_string_equal(plan_action_name(ACTION_LOWER), "lower");
        assert_string_equal(plan_action_name(ACTION_KEEP), "keep");
        assert_string_equal(plan_action_name(ACTION_HOLD), "hold");
        assert_string_equal(plan_action_name(ACTION_IGNORE), "ignore");
}

/* Every layer of a deep stack waits for the array at its bottom, and can say so. */
static void test_deep(void **state) {
        _cleanup_(stack_freep) struct stack *stack =
                        stack_build_chain("disk a b c; md md0 raid5 64K a b c; set md0 reshape", "md0", 20000);
        struct rule_action rule = rule_from_text("auto");
        struct plan plan = stack_plan(stack, &rule, false);

        check_plan(stack, &plan);
        assert_int_equal(plan.n_held, 20001);
        assert_int_equal(find_decision(stack, &plan, "dm-19999")->action, ACTION_HOLD);

        rule = rule_from_text("sectors=8192");
        rule.hold.states = UINT64_C(1) << FINDING_ARRAY_RESHAPING;
        plan = stack_plan(stack, &rule, false);
        assert_int_equal(plan.n_held, 20001);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_directions),
                        cmocka_unit_test(test_rounding),
                        cmocka_unit_test(test_held),
                        cmocka_unit_test(test_more_held),
                        cmocka_unit_test(test_lost_paths),
                        cmocka_unit_test(test_left_alone),
                        cmocka_unit_test(test_not_left_alone),
                        cmocka_unit_test(test_left_off),
                        cmocka_unit_test(test_no_rule),
                        cmocka_unit_test(test_empty),
                        cmocka_unit_test(test_outlives_rules),
                        cmocka_unit_test(test_reasons),
                        cmocka_unit_test(test_held_by_rule),
                        cmocka_unit_test(test_carries_rule),
                        cmocka_unit_test(test_action_names),
                        cmocka_unit_test(test_deep),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
