/* SPDX-License-Identifier: MIT */

/* Rules that never win: what is said of pairs of rules, and, for many random ones, that it is true of random layers. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/policy-shadow.h"
#include "tests/support/stack.h"
#include "tests/support/tree.h"

/* Loads two rules with these matches. Returns whether the second is said never to win. */
static bool is_shadowed(const char *first, const char *second) {
        _cleanup_(policy_errors_done) struct policy_errors errors = {};
        _cleanup_(policy_freep) struct policy *policy = NULL;
        _cleanup_(freep) char *text = NULL;
        int r;

        assert_true(asprintf(&text,
                                    "version: 1\nrules:\n- {name: a, match: %s, readahead: auto}\n"
                                    "- {name: b, match: %s, readahead: auto}\n",
                                    first, second) > 0);
        r = policy_load_text("p", text, strlen(text), &policy, &errors);
        if (r == 0)
                return false;
        if (errors.n_items != 1 || !strstr(errors.items[0].text, "the rule \"b\" never wins: \"a\" (line 3)"))
                fail_msg("%s: %s", text, errors.items[0].text);
        assert_int_equal(errors.items[0].line, 4);
        assert_int_equal(errors.items[0].column, 20);
        return true;
}

static const struct {
        const char *first, *second;
        bool shadowed;
} cases[] = {
                /* the same, and everything */
                {"{vg: a}", "{vg: a}", true},
                {"{kind: '*'}", "{vg: a}", true},
                {"{kind: '*'}", "{kind: md, not: {vg: a}}", true},
                {"{kind: [md, dm, disk]}", "{vg: a}", false},
                {"{name: '*'}", "{vg: a}", false},
                {"{kind: '*', vg: a}", "{vg: a}", true},
                {"{kind: '*', vg: a}", "{vg: b}", false},
                /* more keys are narrower */
                {"{vg: a}", "{vg: a, lv: b}", true},
                {"{vg: a, lv: b}", "{vg: a}", false},
                {"{vg: a, lv: b}", "{lv: b, vg: a, top: true}", true},
                {"{vg: a}", "{lv: a}", false},
                /* fewer values are narrower */
                {"{vg: [a, b]}", "{vg: b}", true},
                {"{vg: [a, b]}", "{vg: [b, a]}", true},
                {"{vg: [a, b]}", "{vg: [b, c]}", false},
                /* kinds and what they are beneath */
                {"{kind: md}", "{kind: md-raid5}", true},
                {"{kind: md}", "{kind: [md-raid*, md-linear]}", true},
                {"{kind: dm-raid*}", "{kind: dm-raid5}", true},
                {"{kind: md-raid5}", "{kind: md}", false},
                {"{over: md}", "{over: md-raid5}", true},
                {"{over: md}", "{over: md0}", false},
                {"{over: [md, md0]}", "{over: md0}", true},
                {"{over: md0}", "{over: md0, kind: dm}", true},
                {"{over: vg/*}", "{over: vg/lv}", true},
                {"{over: '*'}", "{over: vg/lv}", false},
                /* globs */
                {"{name: v*}", "{name: vg/lv}", true},
                {"{name: v*}", "{name: vg/*}", true},
                {"{name: vg/*}", "{name: v*}", false},
                {"{name: '?d*'}", "{name: sda}", true},
                {"{name: '?d*'}", "{name: sd*}", false},
                {"{name: '?d*'}", "{name: '?d*'}", true},
                {"{name: '[ab]'}", "{name: a}", true},
                {"{name: '[ab]'}", "{name: c}", false},
                {"{name: '\\*'}", "{name: '*'}", false},
                {"{vg: '*'}", "{vg: 'a?'}", true},
                {"{vg: '*'}", "{lv: a}", false},
                /* "device" compares a pattern with a / in it with other names */
                {"{device: sd*}", "{device: sda}", true},
                {"{device: '*'}", "{device: /dev/sda}", false},
                {"{device: '/*'}", "{device: /dev/sda}", true},
                /* numbers and flags */
                {"{size: '>= 1TiB'}", "{size: '> 1TiB'}", true},
                {"{size: '> 1TiB'}", "{size: '>= 1TiB'}", false},
                {"{size: '> 1TiB'}", "{size: '= 2TiB'}", true},
                {"{size: '< 1TiB'}", "{size: '<= 1TiB'}", false},
                {"{size: '<= 1TiB'}", "{size: ['< 1TiB', '= 1TiB']}", true},
                {"{top: true}", "{top: true, kind: md}", true},
                {"{top: true}", "{top: false}", false},
                {"{rotational: false}", "{rotational: false, top: true}", true},
                {"{finding: [suspended, cycle]}", "{finding: cycle}", true},
                {"{finding: cycle}", "{finding: [suspended, cycle]}", false},
                /* not turns it round */
                {"{not: {vg: a}}", "{not: {vg: a}}", true},
                {"{not: {vg: a}}", "{not: {vg: [a, b]}}", true},
                {"{not: {vg: [a, b]}}", "{not: {vg: a}}", false},
                {"{not: {vg: a, lv: b}}", "{not: {vg: a}}", true},
                {"{not: {vg: a}}", "{not: {vg: a, lv: b}}", false},
                {"{not: {not: {vg: [a, b]}}}", "{not: {not: {vg: a}}}", true},
                {"{not: {vg: a}}", "{vg: b}", false},
                /* lists of matches */
                {"[{vg: a}, {vg: b}]", "{vg: b, lv: c}", true},
                {"[{vg: a}, {vg: b}]", "[{vg: b}, {vg: a}]", true},
                {"[{vg: a}, {vg: b}]", "[{vg: b}, {vg: c}]", false},
                {"{vg: a}", "[{vg: a, lv: b}, {vg: a, lv: c}]", true},
};

static void test_pairs(void **state) {
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                if (is_shadowed(cases[i].first, cases[i].second) != cases[i].shadowed)
                        fail_msg("%s before %s", cases[i].first, cases[i].second);
}

/* A linear congruential generator: each run has the same cases. */
static unsigned draw(uint64_t *seed, unsigned n) {
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        return (unsigned)(*seed >> 33) % n;
}

/* Values that often are the same, or within each other. */
static const struct {
        const char *key, *values[8];
} keys[] = {
                {"kind", {"md", "dm", "md-raid5", "dm-*", "'*'", "loop", "disk", "dm-linear"}},
                {"over", {"md", "md0", "disk", "'m*'", "vg/a", "sd*", "/dev/md0", "'*'"}},
                {"name", {"dm-0", "dm-*", "vg/a", "vg/*", "'*'", "'?d0'", "md0", "'[ms]d*'"}},
                {"device", {"sda", "sd*", "/dev/sda", "'/dev/*'", "'*'", "vg/a", "'8:*'", "'s?a'"}},
                {"vg", {"vg", "v*", "'*'", "other", "'v?'", "vg*", "'[v]g'", "o*"}},
                {"lv", {"a", "b", "'*'", "a*", "'?'", "'[ab]'", "c", "b*"}},
                {"size", {"'>= 1TiB'", "'> 1TiB'", "'< 1TiB'", "'<= 1TiB'", "'= 1TiB'", "'> 1GiB'", "'< 2TiB'",
                                         "'= 8s'"}},
                {"top", {"true", "false", "true", "false", "true", "false", "true", "false"}},
                {"mountpoint", {"/srv", "/srv*", "'/*'", "/", "'*'", "/home", "'/s?v'", "/srv/a"}},
                {"filesystem", {"xfs", "ext4", "'*'", "x*", "ext?", "xfs", "ext4", "ext*"}},
                {"finding", {"readahead-below-array", "cycle", "readahead-off", "suspended", "cycle",
                                            "readahead-below-array", "readahead-off", "array-degraded"}},
};

static void add(char *text, size_t size, const char *part) {
        size_t n = strlen(text);

        assert_true(n + strlen(part) < size);
        snprintf(text + n, size - n, "%s", part);
}

static void add_random_values(uint64_t *seed, size_t key, char *text, size_t size) {
        unsigned n = strcmp(keys[key].key, "top") == 0 ? 1 : 1 + draw(seed, 3);

        add(text, size, n > 1 ? "[" : "");
        for (unsigned i = 0; i < n; i++) {
                add(text, size, i > 0 ? ", " : "");
                add(text, size, keys[key].values[draw(seed, 8)]);
        }
        add(text, size, n > 1 ? "]" : "");
}

static void add_random_match(uint64_t *seed, unsigned levels, char *text, size_t size) {
        unsigned used = 0, n = 1 + draw(seed, 2);

        add(text, size, "{");
        for (unsigned i = 0; i < n; i++) {
                unsigned key = draw(seed, ARRAY_SIZE(keys));

                if (used & 1U << key)
                        continue;
                add(text, size, used ? ", " : "");
                used |= 1U << key;
                add(text, size, keys[key].key);
                add(text, size, ": ");
                add_random_values(seed, key, text, size);
        }
        if (levels > 0 && draw(seed, 3) == 0) {
                add(text, size, ", not: ");
                add_random_match(seed, levels - 1, text, size);
        }
        add(text, size, "}");
}

/* One match, or a list of two. */
static void make_random_matches(uint64_t *seed, char *text, size_t size) {
        unsigned n = draw(seed, 4) == 0 ? 2 : 1;

        text[0] = '\0';
        add(text, size, n > 1 ? "[" : "");
        for (unsigned i = 0; i < n; i++) {
                add(text, size, i > 0 ? ", " : "");
                add_random_match(seed, 2, text, size);
        }
        add(text, size, n > 1 ? "]" : "");
}

static struct stack *make_random_stack(uint64_t *seed) {
        static const char *const disks[] = {"sda sdb sdc", "sda sdb sdc vda"};
        static const char *const levels[] = {"raid5", "raid0", "raid1"};
        static const char *const names[] = {"vg/a", "vg/b", "vg/ab", "other/a", "v/c"};
        static const char *const mounts[] = {"/srv xfs", "/ ext4", "/srv/a ext3", "/home xfs", "/srv2 btrfs"};
        unsigned first = draw(seed, 5), second = (first + 1 + draw(seed, 4)) % 5;
        char text[1024];
        bool over_md = draw(seed, 2);

        snprintf(text, sizeof(text),
                        "disk %s\nmd md%u %s 64K sda sdb sdc\nmap dm-0 0 4096 linear %s 0\nlv dm-0 %s\n"
                        "map dm-1 0 2048 linear dm-0 0\nlv dm-1 %s\nmount dm-%u %s\nset dm-0 ra=%u\nset dm-1 size=%s\n",
                        disks[draw(seed, 2)], over_md ? 0 : draw(seed, 2), levels[draw(seed, 3)],
                        over_md ? "md0" : "sda", names[first], names[second], draw(seed, 2), mounts[draw(seed, 5)],
                        draw(seed, 2) * 256, draw(seed, 2) ? "2147483648" : "8");
        return stack_build(text);
}

static const struct policy_rule *load_rule(const char *match, struct policy **ret) {
        _cleanup_(policy_errors_done) struct policy_errors errors = {};
        _cleanup_(freep) char *text = NULL;

        assert_true(asprintf(&text, "version: 1\nrules:\n- {name: a, match: %s, readahead: auto}\n", match) > 0);
        if (policy_load_text("p", text, strlen(text), ret, &errors) < 0)
                fail_msg("%s: %s", text, errors.items[0].text);
        return (*ret)->rules;
}

static struct verdict *match_stack(const struct policy *policy, const struct stack *stack, struct arena *arena) {
        struct verdict *verdicts = NULL;

        assert_int_equal(policy_match(policy, stack->topology, &stack->findings, arena, &verdicts), 0);
        return verdicts;
}

/* No layer that the second match takes is left by the first one. */
static void assert_all_taken(const struct policy *first, const struct policy *second, const struct stack *stack,
                const char *first_text, const char *second_text) {
        _cleanup_(arena_freep) struct arena *arena = arena_new();
        struct verdict *a, *b;

        assert_non_null(arena);
        a = match_stack(first, stack, arena);
        b = match_stack(second, stack, arena);
        for (size_t i = 0; i < stack->topology->n_layers; i++)
                if (b[i].rule && !a[i].rule)
                        fail_msg("%s does not take %s, which %s matches", first_text, stack->topology->layers[i]->name,
                                        second_text);
}

/* Never a false alarm; and alarms there are, or this would show nothing. */
static void test_random_pairs(void **state) {
        enum { STACKS = 40, PAIRS = 20000 };
        struct stack *stacks[STACKS];
        uint64_t seed = 1;
        size_t n_shadowed = 0;

        for (size_t i = 0; i < STACKS; i++)
                stacks[i] = make_random_stack(&seed);
        for (size_t i = 0; i < PAIRS; i++) {
                _cleanup_(policy_freep) struct policy *first = NULL, *second = NULL;
                char first_text[1024], second_text[1024];
                size_t budget = SHADOW_COMPARISONS_MAX;
                const struct policy_rule *a, *b;

                make_random_matches(&seed, first_text, sizeof(first_text));
                make_random_matches(&seed, second_text, sizeof(second_text));
                a = load_rule(first_text, &first);
                b = load_rule(second_text, &second);
                if (!match_covers(&a->match, &b->match, &budget))
                        continue;
                n_shadowed++;
                for (size_t j = 0; j < STACKS; j++)
                        assert_all_taken(first, second, stacks[j], first_text, second_text);
        }
        assert_true(n_shadowed > PAIRS / 100);
        for (size_t i = 0; i < STACKS; i++)
                stack_free(stacks[i]);
}

/* What the budget does not reach is good. */
static void test_budget(void **state) {
        _cleanup_(policy_freep) struct policy *first = NULL, *second = NULL;
        const struct policy_rule *a = load_rule("{vg: [a, b, '?'], not: {lv: [a, b]}}", &first);
        const struct policy_rule *b = load_rule("{vg: [b, c], not: {lv: [a, b]}}", &second);
        size_t least = 0, budget = SHADOW_COMPARISONS_MAX;

        assert_true(match_covers(&a->match, &b->match, &budget));
        least = SHADOW_COMPARISONS_MAX - budget;
        assert_true(least > 0);
        for (size_t i = 0; i < least; i++) {
                budget = i;
                assert_false(match_covers(&a->match, &b->match, &budget));
        }
        budget = least;
        assert_true(match_covers(&a->match, &b->match, &budget));
        assert_int_equal(budget, 0);
}

/* Files with one rule each; ERROR is that of the only wrong one, "" where none is. */
static void check_files(const struct tree_file *files, size_t n, const char *error) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        _cleanup_(policy_errors_done) struct policy_errors errors = {};
        _cleanup_(policy_freep) struct policy *policy = NULL;
        _cleanup_(freep) char *vendor = NULL, *local = NULL;
        const char *directories[3] = {};

        tree_write_all(tree, files, n);
        assert_true(asprintf(&vendor, "%s/lib", tree_path(tree)) > 0);
        assert_true(asprintf(&local, "%s/etc", tree_path(tree)) > 0);
        directories[0] = vendor;
        directories[1] = local;
        assert_int_equal(policy_load_directories(directories, &policy, &errors), *error ? -EINVAL : 0);
        assert_int_equal(errors.n_items, *error ? 1 : 0);
        if (*error)
                assert_non_null(strstr(errors.items[0].text, error));
}

#define RULE(name, match) "version: 1\nrules:\n- {name: " name ", match: " match ", readahead: auto}\n"

static void test_directories(void **state) {
        const struct tree_file override[] = {
                        {"etc/10-a.yaml", RULE("mine", "{kind: '*'}")},
                        {"lib/50-b.yaml", RULE("built-in", "{kind: md}")},
        };
        const struct tree_file local[] = {
                        {"etc/10-a.yaml", RULE("mine", "{kind: md}")},
                        {"etc/20-b.yaml", RULE("more", "{kind: md-raid5}")},
        };
        const struct tree_file late[] = {
                        {"lib/10-a.yaml", RULE("built-in", "{kind: md}")},
                        {"etc/20-b.yaml", RULE("mine", "{kind: md-raid5}")},
        };

        check_files(override, ARRAY_SIZE(override), "");
        check_files(local, ARRAY_SIZE(local), "the rule \"more\" never wins: \"mine\" (");
        check_files(local, ARRAY_SIZE(local), "etc/10-a.yaml:3) comes first");
        check_files(late, ARRAY_SIZE(late), "the rule \"mine\" never wins: \"built-in\" (");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_pairs),
                        cmocka_unit_test(test_random_pairs),
                        cmocka_unit_test(test_budget),
                        cmocka_unit_test(test_directories),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
