/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/target.h"
#include "tests/support/rule.h"
#include "tests/support/stack.h"

/*
 * WANTED is what a rule asks for, as rule_from_text() has it. TARGET is what comes out: sectors, where they come from,
 * and the cap; "none" for no target.
 */
struct target_case {
        const char *stack, *layer, *wanted, *target;
};

static const char *describe(const struct stack *stack, const struct target *t) {
        static const char *const origins[] = {"none", "stripe", "array", "floor", "literal"};
        static const char *const caps[] = {"", ", max", ", memory"};

        if (!t->sectors.known)
                return "none";
        return arena_printf(stack->arena, "%lld, %s%s%s%s", (long long)t->sectors.value, origins[t->origin],
                        t->origin == TARGET_ARRAY ? " " : "", t->origin == TARGET_ARRAY ? t->array->name : "",
                        caps[t->cap]);
}

static void check_cases(const struct target_case *cases, size_t n) {
        for (size_t i = 0; i < n; i++) {
                struct rule_action rule = rule_from_text(cases[i].wanted);

                print_message("%s: %s\n", cases[i].stack, cases[i].wanted);
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                struct target target = target_compute(stack->topology, stack->geometry, NULL,
                                stack_layer(stack, cases[i].layer), rule.readahead, rule.limits);
                assert_string_equal(describe(stack, &target), cases[i].target);
        }
}

/* All have 64 GiB of memory, so that it bounds nothing. */
#define RAID5        "memory 64G; disk a b c d; md md0 raid5 256K a b c d; map dm-0 0 9 linear md0 0;" /* 768 KiB */
#define MIRROR       "memory 64G; disk e f; md md1 raid1 0 e f; map dm-1 0 9 linear md1 0;"
#define SIXTEEN      "d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 da db dc dd de df"
#define RAID0_OF_16M "memory 64G; disk " SIXTEEN "; md md2 raid0 1M " SIXTEEN "; map dm-2 0 9 linear md2 0;"

#define RAISED                                                                                                         \
        "memory 64G; disk a b c d; md md0 raid0 64K a b; md md1 raid0 64K c d; set md0 ra=8192; set md1 ra=2048;"      \
        "map dm-0 0 9 striped 2 128 md0 0 md1 0; map dm-1 0 9 crypt c k 0 dm-0 0;"

/* What a map between has is no guide, unless it has more. */
static void test_array_beneath_map(void **state) {
        static const struct target_case cases[] = {
                        {RAISED "set dm-0 ra=256", "dm-0", "auto", "8192, array md0"},
                        {RAISED "set dm-0 ra=256", "dm-1", "auto", "8192, array md0"},
                        {RAISED "set dm-0 ra=16384", "dm-1", "auto", "16384, array dm-0"},
                        {RAISED "set dm-0 ra=65536", "dm-1", "auto", "8192, array md0"},
                        {RAISED "set md0 ra=?; set dm-0 ra=256", "dm-1", "auto", "2048, array md1"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

/* What a plan makes of the array beneath counts, not what it has now. */
static void test_planned(void **state) {
        static const struct {
                int64_t now, planned, target;
        } cases[] = {
                        {256, 8192, 8192},
                        {16384, 2048, 2048},
                        {16384, 256, 512},   /* two stripes */
                        {256, 65536, 512},   /* above max */
                        {8192, 131064, 512}, /* derived from nonsense */
                        {131064, 8192, 8192},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack =
                                stack_build("memory 64G; disk a b; set a opt=33553920; md md0 raid0 64K a b;"
                                            "map dm-0 0 9 linear md0 0");
                size_t array = stack_layer(stack, "md0")->index;
                struct opt_int planned[4] = {};

                print_message("%zu\n", i);
                assert_int_equal(stack->topology->n_layers, ARRAY_SIZE(planned));
                stack_layer(stack, "md0")->readahead_sectors = opt_some(cases[i].now);
                planned[array] = opt_some(cases[i].planned);
                struct target target = target_compute(stack->topology, stack->geometry, planned,
                                stack_layer(stack, "dm-0"), (struct readahead_spec){.mode = READAHEAD_AUTO},
                                READAHEAD_LIMITS_DEFAULT);
                assert_int_equal(target.sectors.value, cases[i].target);
        }
}

static void test_two_stripes(void **state) {
        static const struct target_case cases[] = {
                        {RAID5 "set md0 ra=256", "dm-0", "auto", "3072, stripe"},
                        {RAID5 "set md0 ra=256", "md0", "auto", "3072, stripe"},
                        {RAID5 "set md0 ra=9999", "md0", "auto", "3072, stripe"}, /* its own number is not beneath it */
                        {"disk a b; md md0 raid0 64K a b", "md0", "auto", "512, stripe"},
                        {"disk a b c d e; md md0 raid6 128K a b c d e", "md0", "auto", "1536, stripe"},
                        {"disk a b c; map dm-0 0 9 striped 3 128 a 0 b 0 c 0", "dm-0", "auto", "768, stripe"},
                        /* never under 256 */
                        {"disk a b; md md0 raid0 32K a b", "md0", "auto", "256, stripe"},
                        {"disk a b; md md0 raid0 16K a b", "md0", "auto", "256, floor"},
                        {MIRROR "set md1 ra=248", "dm-1", "auto", "256, floor"},
                        {MIRROR, "md1", "auto", "256, floor"},
                        {"disk a; map dm-0 0 9 linear a 0", "dm-0", "auto", "256, floor"},
                        {"disk a", "a", "auto", "256, floor"},
                        {"map dm-0", "dm-0", "auto", "256, floor"},
                        /* over several arrays: the widest, or the sum of a stripe's legs */
                        {RAID5 MIRROR "map dm-9 0 9 linear md1 0; map dm-9 9 9 linear md0 0", "dm-9", "auto",
                                        "3072, stripe"},
                        {RAID5 "disk g h i; md md3 raid5 64K g h i; map dm-9 0 9 striped 2 128 md0 0 md3 0", "dm-9",
                                        "auto", "3584, stripe"},
                        {RAID5 "set md0 reshape", "dm-0", "auto", "none"},
                        {RAID5 "set md0 reshape", "md0", "auto", "none"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

#define TWO_BELOW RAID5 "disk g; map dm-9 0 9 era g md0 8192; set md0 ra=8192;"

/* Nothing is worked out where it is not known how reads are spread over several devices. */
static void test_opaque(void **state) {
        static const struct target_case cases[] = {
                        {TWO_BELOW, "dm-9", "auto", "none"},
                        {TWO_BELOW, "dm-9", "array", "none"},
                        {TWO_BELOW, "dm-9", "stripes=4", "none"},
                        {TWO_BELOW, "dm-9", "auto min=1M", "none"},
                        {TWO_BELOW, "dm-9", "sectors=8192", "8192, literal"},
                        {TWO_BELOW "map dm-10 0 9 linear dm-9 0", "dm-10", "auto", "none"},
                        {TWO_BELOW "part dm-9p1 dm-9 8; mount dm-9p1 /srv xfs; loop loop0 /srv/x", "loop0", "auto",
                                        "none"},
                        {"disk g h; map dm-9 0 9 era g h 8192", "dm-9", "auto", "none"},
                        {RAID5 "disk g; map dm-9; set dm-9 no-tables; over dm-9 md0 g", "dm-9", "auto", "none"},
                        {RAID5 "map dm-9; set dm-9 no-tables; over dm-9 md0", "dm-9", "auto", "3072, stripe"},
                        {RAID5 "map dm-9 0 9 era md0 8192", "dm-9", "auto", "3072, stripe"},
                        {RAID5 "map dm-9 0 9 era md0 md0 8192", "dm-9", "auto", "3072, stripe"},
                        {"map dm-9 0 9 zero", "dm-9", "auto", "256, floor"},
                        /* only other devices beneath: a cache, a log */
                        {"disk g h; map dm-9 0 9 cache g g h 128 0 smq 0", "dm-9", "auto", "256, floor"},
                        {"disk g h; map dm-9 0 9 linear g 0; map dm-9 9 9 linear h 0", "dm-9", "auto", "256, floor"},
                        /* another part, or the layer itself, has a stripe to go by */
                        {TWO_BELOW "set md0 ra=256; map dm-10 0 9 linear dm-9 0; map dm-10 9 9 linear md0 0", "dm-10",
                                        "auto", "3072, stripe"},
                        {TWO_BELOW "disk h; map dm-10 0 9 striped 2 1024 dm-9 0 h 0; set md0 ra=256", "dm-10", "auto",
                                        "4096, stripe"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

/* An administrator raised the array: the stack follows. */
static void test_follows_array(void **state) {
        static const struct target_case cases[] = {
                        {RAID5 "set md0 ra=8192", "dm-0", "auto", "8192, array md0"},
                        {RAID5 "set md0 ra=3080", "dm-0", "auto", "3080, array md0"},
                        {RAID5 "set md0 ra=3072", "dm-0", "auto", "3072, stripe"},
                        {RAID5 "set md0 ra=3064", "dm-0", "auto", "3072, stripe"},
                        {RAID5 "set md0 ra=0", "dm-0", "auto", "3072, stripe"},
                        {RAID5 "set md0 ra=?", "dm-0", "auto", "3072, stripe"},
                        {MIRROR "set md1 ra=4096", "dm-1", "auto", "4096, array md1"},
                        {MIRROR "set md1 ra=128", "dm-1", "auto", "256, floor"},
                        {RAID5 "set md0 ra=8192; map dm-9 0 9 crypt c k 0 dm-0 0", "dm-9", "auto", "8192, array md0"},
                        {RAID5 "set md0 ra=8192; part md0p1 md0 2048; map dm-9 0 9 linear md0p1 0", "dm-9", "auto",
                                        "8192, array md0"},
                        {RAID5 "set md0 ra=8192; mount dm-0 /srv xfs; loop loop0 /srv/img", "loop0", "auto",
                                        "8192, array md0"},
                        /* a map between that was raised is no array */
                        {RAID5 "set md0 ra=256; set dm-0 ra=8192; map dm-9 0 9 crypt c k 0 dm-0 0", "dm-9", "auto",
                                        "3072, stripe"},
                        /* nor is a disk */
                        {"memory 64G; disk a; set a ra=8192; map dm-0 0 9 linear a 0", "dm-0", "auto", "256, floor"},
                        /* plausible: not above max */
                        {RAID5 "set md0 ra=32768", "dm-0", "auto", "32768, array md0"},
                        {RAID5 "set md0 ra=32776", "dm-0", "auto", "3072, stripe"},
                        {RAID5 "set md0 ra=8192", "dm-0", "auto max=4M", "8192, array md0"},
                        {RAID5 "set md0 ra=8192", "dm-0", "auto max=2M", "3072, stripe"},
                        {RAID5 "set md0 ra=65536", "dm-0", "auto max=64M", "65536, array md0"},
                        {MIRROR "set md1 ra=65536", "dm-1", "auto", "256, floor"},
                        /* plausible: not what an implausible io_opt of the array, or of a member, explains */
                        {RAID5 "set md0 ra=65520 opt=16773120", "dm-0", "auto max=64M", "3072, stripe"},
                        {RAID5 "set md0 ra=28672 opt=7340544 pbs=4096", "dm-0", "auto", "3072, stripe"},
                        {RAID5 "set md0 ra=28672", "dm-0", "auto", "28672, array md0"},
                        {MIRROR "set md1 ra=65520; set e opt=16773120 ra=65520", "dm-1", "auto max=64M", "256, floor"},
                        {RAID5 "set md0 ra=8192 opt=16773120", "dm-0", "auto max=64M", "8192, array md0"},
                        /* the largest plausible of several; only the nearest ones */
                        {RAID5 MIRROR "set md0 ra=4096; set md1 ra=8192; map dm-9 0 9 linear md0 0; map dm-9 9 9 "
                                      "linear md1 0",
                                        "dm-9", "auto", "8192, array md1"},
                        {RAID5 MIRROR "set md0 ra=4096; set md1 ra=99992; map dm-9 0 9 linear md0 0; map dm-9 9 9 "
                                      "linear md1 0",
                                        "dm-9", "auto", "4096, array md0"},
                        {MIRROR "disk g h; md md3 raid1 0 g h; set md1 ra=8192; md md9 raid0 64K md1 md3; map dm-9 0 9 "
                                "linear md9 0",
                                        "dm-9", "auto", "512, stripe"},
                        {MIRROR "disk g h; md md3 raid1 0 g h; set md1 ra=8192; md md9 raid0 64K md1 md3", "md9",
                                        "auto", "8192, array md1"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

/* From Linux 6.17 on an array without io_opt that rotates has twice its largest request: a stripe is more to go by. */
#define ROTATES "rot=1 request=4M ra=16384"
#define MIRRORS                                                                                                        \
        "memory 64G; disk a b c d; md md1 raid1 0 a b; md md2 raid1 0 c d; set md1 " ROTATES "; set md2 " ROTATES ";"

static void test_array_by_itself(void **state) {
        static const struct target_case cases[] = {
                        {MIRRORS "md md0 raid0 512K md1 md2", "md0", "auto", "4096, stripe"},
                        {MIRRORS "md md0 raid0 512K md1 md2", "md0", "array", "16384, array md1"},
                        {MIRRORS "md md0 raid0 512K md1 md2; set md1 ra=8192", "md0", "auto", "8192, array md1"},
                        {MIRRORS "md md0 raid0 512K md1 md2; set md1 rot=0", "md0", "auto", "16384, array md1"},
                        {MIRRORS "map dm-0 0 9 striped 2 128 md1 0 md2 0", "dm-0", "auto", "512, stripe"},
                        /* without one it is what the kernel gives whatever lies over it, too */
                        {MIRRORS "map dm-0 0 9 linear md1 0", "dm-0", "auto", "16384, array md1"},
                        {RAID5 MIRROR "set md1 " ROTATES "; map dm-9 0 9 linear md1 0; map dm-9 9 9 linear md0 0",
                                        "dm-9", "auto", "3072, stripe"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_array(void **state) {
        static const struct target_case cases[] = {
                        {RAID5 "set md0 ra=8192", "dm-0", "array", "8192, array md0"},
                        {RAID5 "set md0 ra=1024", "dm-0", "array",
                                        "1024, array md0"}, /* less than two stripes, but as asked */
                        {RAID5 "set md0 ra=65536", "dm-0", "array", "3072, stripe"},
                        {RAID5 "set md0 ra=65520 opt=16773120", "dm-0", "array max=64M", "3072, stripe"},
                        {MIRROR "set md1 ra=512", "dm-1", "array", "512, array md1"},
                        {"disk a", "a", "array", "256, floor"},
                        {RAID5 "set md0 reshape ra=8192", "dm-0", "array", "none"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_stripes(void **state) {
        static const struct target_case cases[] = {
                        {RAID5 "set md0 ra=8192", "dm-0", "stripes=1", "1536, stripe"},
                        {RAID5, "dm-0", "stripes=3", "4608, stripe"},
                        {RAID5, "dm-0", "stripes=4", "6144, stripe"},
                        {RAID5, "dm-0", "stripes=100", "32768, stripe, max"},
                        {RAID5, "dm-0", "stripes=18446744073709551615", "32768, stripe, max"},
                        {RAID5, "dm-0", "stripes=4611686018427387904", "32768, stripe, max"},
                        {MIRROR "set md1 ra=4096", "dm-1", "stripes=4", "256, floor"},
                        {RAID5 "set md0 reshape", "dm-0", "stripes=4", "none"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

/* A number that a rule gives is obeyed, whatever is beneath, but for whole pages. */
static void test_literals(void **state) {
        static const struct target_case cases[] = {
                        {RAID5, "dm-0", "sectors=8192", "8192, literal"},
                        {RAID5, "dm-0", "sectors=32", "32, literal"},
                        {RAID5, "dm-0", "sectors=131072", "131072, literal"},
                        {RAID5, "dm-0", "sectors=8192 max=1M", "8192, literal"},
                        {RAID5 "memory 64M", "dm-0", "sectors=8192", "8192, literal"},
                        {RAID5, "dm-0", "sectors=32 min=1M", "32, literal"},
                        {RAID5 "set md0 reshape", "dm-0", "sectors=8192", "8192, literal"},
                        {"disk a", "a", "sectors=64", "64, literal"},
                        {"disk a", "a", "off", "0, literal"},
                        {RAID5, "dm-0", "off", "0, literal"},
                        {RAID5, "dm-0", "off min=1M", "0, literal"},
                        {RAID5, "dm-0", "keep", "none"},
                        /* whole pages, never 1 to 7 sectors, and 0 only for "off" */
                        {"disk a", "a", "sectors=1", "8, literal"},
                        {"disk a", "a", "sectors=7", "8, literal"},
                        {"disk a", "a", "sectors=8", "8, literal"},
                        {"disk a", "a", "sectors=9", "8, literal"},
                        {"disk a", "a", "sectors=15", "8, literal"},
                        {"disk a", "a", "sectors=257", "256, literal"},
                        {"page 16K; disk a", "a", "sectors=8", "32, literal"},
                        {"page 16K; disk a", "a", "sectors=33", "32, literal"},
                        {"page 16K; disk a", "a", "sectors=1000", "992, literal"},
                        {"page 64K; disk a", "a", "sectors=32", "128, literal"},
                        {"page 64K; disk a", "a", "sectors=257", "256, literal"},
                        {"page 64K; disk a", "a", "sectors=1000", "896, literal"},
                        {"page 64K; disk a", "a", "off", "0, literal"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_bounds(void **state) {
        static const struct target_case cases[] = {
                        /* max: 16 MiB by default */
                        {RAID0_OF_16M "set md2 ra=65536", "dm-2", "auto", "32768, stripe, max"},
                        {RAID0_OF_16M, "dm-2", "auto max=32M", "65536, stripe"},
                        {RAID0_OF_16M, "dm-2", "auto max=1M", "2048, stripe, max"},
                        {RAID5, "dm-0", "auto max=1536K", "3072, stripe"},
                        {RAID5, "dm-0", "auto max=1535K", "3064, stripe, max"},
                        {RAID5 "set md0 ra=8192", "dm-0", "array max=1M", "2048, stripe, max"},
                        /* min */
                        {MIRROR, "dm-1", "auto min=1M", "2048, floor"},
                        {RAID5, "dm-0", "auto min=1M", "3072, stripe"},
                        {RAID5, "dm-0", "auto min=4M", "8192, floor"},
                        {MIRROR "set md1 ra=128", "dm-1", "auto min=64K", "256, floor"},
                        {RAID5, "dm-0", "stripes=1 min=1M", "2048, floor"},
                        {MIRROR, "dm-1", "auto min=4M max=1M", "2048, floor, max"},
                        /* memory: 0.5 % by default */
                        {RAID0_OF_16M "memory 1G", "dm-2", "auto", "10480, stripe, memory"},
                        {RAID0_OF_16M "memory 4G", "dm-2", "auto", "32768, stripe, max"},
                        {RAID0_OF_16M "memory 4G", "dm-2", "auto max=64M", "41936, stripe, memory"},
                        {RAID0_OF_16M "memory 4G", "dm-2", "auto max=64M share=10000", "65536, stripe"},
                        {RAID0_OF_16M "memory 1G", "dm-2", "auto share=0", "32768, stripe, max"},
                        {RAID0_OF_16M "memory ?", "dm-2", "auto", "32768, stripe, max"},
                        {RAID0_OF_16M "memory 1G; page 16K", "dm-2", "auto", "10464, stripe, memory"},
                        {RAID0_OF_16M "memory 1G; page 64K", "dm-2", "auto", "10368, stripe, memory"},
                        {RAID5 "memory 256M", "dm-0", "auto", "2616, stripe, memory"},
                        {RAID5 "memory 512M", "dm-0", "auto", "3072, stripe"},
                        {RAID5 "memory 256M", "dm-0", "stripes=4", "2616, stripe, memory"},
                        {RAID5 "memory 1G; set md0 ra=16384", "dm-0", "auto", "10480, array md0, memory"},
                        /* a bound below the floor still is one, but never 0 */
                        {RAID5 "memory 16M", "dm-0", "auto", "160, stripe, memory"},
                        {RAID5 "memory 512K", "dm-0", "auto", "8, stripe, memory"},
                        {RAID5 "memory 0", "dm-0", "auto", "8, stripe, memory"},
                        {RAID5 "memory 512K; page 64K", "dm-0", "auto", "128, stripe, memory"},
                        {RAID5, "dm-0", "auto max=0", "8, stripe, max"},
                        {RAID5 "memory 9223372036854775807", "dm-0", "auto share=1000000", "3072, stripe"},
                        /* whole pages: stripes of 3 × 52 KiB */
                        {"disk a b c; md md0 raid0 52K a b c", "md0", "auto", "624, stripe"},
                        {"page 16K; disk a b c; md md0 raid0 52K a b c", "md0", "auto", "608, stripe"},
                        {"page 64K; disk a b c; md md0 raid0 52K a b c", "md0", "auto", "512, stripe"},
                        {"page 64K; disk a", "a", "auto", "256, floor"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_round(void **state) {
        static const struct {
                uint64_t sectors, page, rounded;
        } cases[] = {
                        {0, 4096, 0},
                        {7, 4096, 0},
                        {8, 4096, 8},
                        {9, 4096, 8},
                        {15, 4096, 8},
                        {257, 4096, 256},
                        {131070, 4096, 131064},
                        {31, 16384, 0},
                        {1000, 16384, 992},
                        {127, 65536, 0},
                        {1000, 65536, 896},
                        {UINT64_MAX, 4096, UINT64_MAX - 7},
                        {257, 0, 257},
                        {257, 100, 257},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                assert_int_equal(readahead_round(cases[i].sectors, cases[i].page), cases[i].rounded);
}

/* What is rounded once stays: else it would be set again and again. */
static void test_round_is_stable(void **state) {
        static const uint64_t pages[] = {4096, 16384, 65536};

        for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
                for (uint64_t sectors = 0; sectors < 5000; sectors++) {
                        uint64_t once = readahead_round(sectors, pages[i]);

                        assert_int_equal(readahead_round(once, pages[i]), once);
                        assert_true(once <= sectors && sectors - once < pages[i] / SECTOR_BYTES);
                }
}

/* Numbers beyond what JSON and BLKRASET can say. */
static void test_huge_literal(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build("disk a");
        struct readahead_spec spec = {.mode = READAHEAD_SECTORS, .sectors = UINT64_MAX};
        struct target target = target_compute(stack->topology, stack->geometry, NULL, stack_layer(stack, "a"), spec,
                        READAHEAD_LIMITS_DEFAULT);

        assert_true(target.sectors.known);
        assert_true(target.sectors.value > 0);
}

/* asked → after the floor → after the caps → rounded */
static void test_steps(void **state) {
        static const struct target_case cases[] = {
                        {RAID5 "set md0 ra=256", "dm-0", "auto", "3072 3072 3072 3072"},
                        {RAID5 "set md0 ra=256", "dm-0", "auto max=1M", "3072 3072 2048 2048"},
                        {RAID5 "set md0 ra=256; memory 1G", "dm-0", "auto share=1001", "3072 3072 2099 2096"},
                        {RAID5 "set md0 ra=256", "dm-0", "auto min=4M", "3072 8192 8192 8192"},
                        {"disk a b; md md0 raid0 4K a b", "md0", "auto", "32 256 256 256"},
                        {MIRROR "set md1 ra=0", "dm-1", "auto", "0 256 256 256"},
                        {MIRROR, "dm-1", "sectors=1001", "1001 1001 1001 1000"},
                        {MIRROR, "dm-1", "off", "0 0 0 0"},
                        {"disk a; page 65536", "a", "sectors=64", "64 64 64 128"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct rule_action rule = rule_from_text(cases[i].wanted);
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                struct target t = target_compute(stack->topology, stack->geometry, NULL,
                                stack_layer(stack, cases[i].layer), rule.readahead, rule.limits);

                print_message("%s: %s\n", cases[i].stack, cases[i].wanted);
                assert_string_equal(
                                arena_printf(stack->arena, "%llu %llu %llu %lld", (unsigned long long)t.asked_sectors,
                                                (unsigned long long)t.raw_sectors,
                                                (unsigned long long)t.bounded_sectors, (long long)t.sectors.value),
                                cases[i].target);
        }
}

/* Also of more memory than any machine has. */
static void test_memory_bound(void **state) {
        static const struct {
                int64_t memory_bytes;
                unsigned share_ppm;
                uint64_t sectors;
        } cases[] = {
                        {INT64_C(1) << 30, 5000, 10485},
                        {INT64_C(1) << 30, 1, 2},
                        {512, 999999, 0},
                        {INT64_MAX, 1, UINT64_C(18014398509)},
                        {INT64_MAX, 999999, UINT64_C(18014380495083473)},
                        {INT64_MAX, 1000000, INT64_MAX / 512},
                        {0, 1000000, 0},
                        {INT64_MAX, 0, UINT64_MAX},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct topology topology = {.memory_bytes = opt_some(cases[i].memory_bytes)};

                assert_int_equal(readahead_memory_bound(&topology, cases[i].share_ppm), cases[i].sectors);
        }
        assert_int_equal(readahead_memory_bound(&(struct topology){}, 5000), UINT64_MAX);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_array_beneath_map),
                        cmocka_unit_test(test_planned),
                        cmocka_unit_test(test_two_stripes),
                        cmocka_unit_test(test_opaque),
                        cmocka_unit_test(test_follows_array),
                        cmocka_unit_test(test_array),
                        cmocka_unit_test(test_array_by_itself),
                        cmocka_unit_test(test_stripes),
                        cmocka_unit_test(test_literals),
                        cmocka_unit_test(test_bounds),
                        cmocka_unit_test(test_memory_bound),
                        cmocka_unit_test(test_round),
                        cmocka_unit_test(test_round_is_stable),
                        cmocka_unit_test(test_huge_literal),
                        cmocka_unit_test(test_steps),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
