/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "common/finding.h"
#include "tests/support/rule.h"
#include "tests/support/stack.h"

/* All that is found about one layer: codes in their order, with blanks between. */
struct finding_case {
        const char *stack, *layer, *codes;
};

static void check_cases(const struct finding_case *cases, size_t n) {
        for (size_t i = 0; i < n; i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);

                print_message("%s: %s\n", cases[i].stack, cases[i].layer);
                assert_string_equal(stack_codes(stack, cases[i].layer), cases[i].codes);
        }
}

/* 3072 sectors, aligned, and io_opt as it should be. */
#define RAID5                                                                                                          \
        "memory 64G; disk a b c d; md md0 raid5 256K a b c d; set md0 ra=3072 min=256K opt=768K;"                      \
        "map dm-0 0 9 linear md0 1536; set dm-0 ra=3072 min=256K opt=768K;"
#define MIRROR "memory 64G; disk e f; md md1 raid1 0 e f; map dm-1 0 9 linear md1 0;"

static void test_healthy(void **state) {
        static const struct finding_case cases[] = {
                        {RAID5, "dm-0", ""},
                        {RAID5, "md0", ""},
                        {RAID5, "a", ""},
                        {MIRROR, "md1", ""},
                        {MIRROR, "dm-1", ""},
                        {"disk a; part p a 63; mount p / ext4", "p", ""},
                        {"disk a; part p a 63; mount p / ext4", "a", ""},
                        {"disk a; map dm-0 0 9 crypt c k 0 a 0; mount dm-0 / xfs", "dm-0", ""},
                        {RAID5 "md md9 raid6 64K a b - -; set md9 container degraded=?", "md9", ""},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

/* What RAID1 of device-mapper's has by itself where its members rotate, from Linux 6.17 on, is nobody's doing. */
#define DM_RAID1                                                                                                       \
        "memory 64G; disk a b; map dm-0 0 9 raid raid1 3 0 region_size 1024 2 - a - b; set dm-0 rot=1 request=4M "

static void test_above_by_itself(void **state) {
        static const struct finding_case cases[] = {
                        {DM_RAID1 "ra=16384", "dm-0", ""},
                        {DM_RAID1 "ra=8192", "dm-0", "readahead-above-array"},
                        {DM_RAID1 "ra=16384 rot=0", "dm-0", "readahead-above-array"},
                        {MIRROR "set md1 ra=256; set dm-1 rot=1 request=4M ra=16384", "dm-1", ""},
                        /* it has a stripe, which two of are enough for */
                        {"memory 64G; disk a b c d; md md1 raid1 0 a b; md md2 raid1 0 c d; md md0 raid0 512K md1 md2;"
                         "set md1 rot=1 request=4M ra=16384; set md2 rot=1 request=4M ra=16384;"
                         "set md0 rot=1 request=4M opt=1M ra=4096; mount md0 /srv xfs",
                                        "md0", ""},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_below_and_above(void **state) {
        static const struct finding_case cases[] = {
                        {RAID5 "set dm-0 ra=256", "dm-0", "readahead-below-array"},
                        {RAID5 "set dm-0 ra=3064", "dm-0", "readahead-below-array"},
                        {RAID5 "set dm-0 ra=3080", "dm-0", "readahead-above-array"},
                        {RAID5 "set dm-0 ra=3074", "dm-0", ""}, /* 3072 in whole pages */
                        {RAID5 "set dm-0 ra=3070", "dm-0", "readahead-below-array"},
                        /* LVM's own default counts copies and parity */
                        {"disk a b c d; map dm-0 0 9 raid raid10 3 128 region_size 64 4 - a - b - c - d; set dm-0 "
                         "ra=1024",
                                        "dm-0", ""},
                        {"disk a b c d; map dm-0 0 9 raid raid10 3 128 region_size 64 4 - a - b - c - d; set dm-0 "
                         "ra=1032",
                                        "dm-0", "readahead-above-array"},
                        {"disk a b c; map dm-0 0 9 raid raid5_ls 3 128 region_size 64 3 - a - b - c; set dm-0 ra=768",
                                        "dm-0", ""},
                        {MIRROR "set dm-1 ra=7168", "dm-1", "readahead-above-array"},
                        {MIRROR "set md1 ra=4096; swap md1", "dm-1", "readahead-below-array"},
                        {MIRROR "set md1 ra=4096; set dm-1 ra=4096", "dm-1", ""},
                        {RAID5 "loop loop0 /dev/md0", "loop0", "readahead-below-array"},
                        {"disk a b; map dm-0 0 9 striped 2 512 a 0 b 0", "dm-0", "readahead-below-array"},
                        {"disk a b c; map dm-0 0 9 raid raid5_ls 1 1024 3 - a - b - c", "dm-0",
                                        "readahead-below-array"},
                        /* an array raised to more than can be meant is no measure */
                        {RAID5 "set md0 ra=99992; mount md0 /srv xfs", "dm-0", ""},
                        /* an array itself is not measured: its administrator's number is what the others follow */
                        {RAID5 "set md0 ra=256; set dm-0 ra=3072", "md0", ""},
                        /* nor what does not read through its readahead, or has none to tell */
                        {RAID5 "set dm-0 ra=256; swap dm-0", "dm-0", ""},
                        {RAID5 "set dm-0 ra=256; lv dm-0 vg/pool_tdata tdata", "dm-0", ""},
                        {RAID5 "set dm-0 ra=256; mount dm-0 /srv btrfs", "dm-0", "filesystem-own-readahead"},
                        /* An array that is read through itself. */
                        {"disk a b c; md md0 raid5 64K a b c; set md0 ra=256; mount md0 /srv xfs", "md0",
                                        "readahead-below-array"},
                        {"disk a b c; md md0 raid5 64K a b c; set md0 ra=256", "md0", ""},
                        {"disk a b c; md md0 raid5 64K a b c; set md0 ra=8192; mount md0 /srv xfs", "md0", ""},
                        /* Neither what setrad gave nor what the kernel falls back to. */
                        {"disk a; set a ra=1024 given=2048", "a", "changed-by-other"},
                        {"disk a; set a ra=2048 given=2048", "a", ""},
                        {"disk a; set a ra=256 given=2048", "a", ""},
                        {"disk a; set a opt=262144 ra=1024 given=2048", "a", ""},
                        {"disk a; map dm-0 0 9 crypt c k 0 a 0; mount dm-0 /srv btrfs", "dm-0",
                                        "filesystem-own-readahead"},
                        {"disk a; set a opt=33553920 ra=131064; map dm-0 0 9 crypt c k 0 a 0; mount dm-0 /srv btrfs;"
                         "set dm-0 ra=131064",
                                        "dm-0", "readahead-implausible filesystem-own-readahead"},
                        {RAID5 "set dm-0 ra=?", "dm-0", ""},
                        {RAID5 "part p md0 1536; set md0 ra=256", "p", ""},
                        {RAID5 "set md0 reshape; set dm-0 ra=256 opt=0", "dm-0", ""},
                        /* no array, no measure */
                        {"disk a; set a ra=8192", "a", ""},
                        {"disk a; map dm-0 0 9 linear a 0; set dm-0 ra=8192", "dm-0", ""},
                        {"disk a; map dm-0 0 9 linear a 0; set dm-0 ra=64", "dm-0", ""},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_off(void **state) {
        static const struct finding_case cases[] = {
                        {RAID5 "set dm-0 ra=0", "dm-0", "readahead-off"},
                        {RAID5 "set md0 ra=0", "md0", "readahead-off"},
                        {"disk a; set a ra=0", "a", "readahead-off"},
                        {"disk a; part p a 0; set a ra=0", "p", ""}, /* its disk's */
                        {"disk a; set a ra=?", "a", ""},
                        {"other zram0 zram; set zram0 ra=0", "zram0", ""},
                        {"other sr0 rom; set sr0 ra=0", "sr0", ""},
                        {"disk a; set a ra=8", "a", ""},
                        {"disk a; set a ra=0 hidden", "a", ""},
                        {"disk a; md md0 raid0 64K a -; set md0 container degraded=? ra=0", "md0", ""},
                        {"disk a; md md0 raid0 64K a -; set md0 inactive ra=0", "md0", "array-inactive"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

#define SIXTEEN      "d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 da db dc dd de df"
#define RAID0_OF_16M "disk " SIXTEEN "; md md2 raid0 1M " SIXTEEN "; map dm-2 0 9 linear md2 0;"

static void test_capped(void **state) {
        static const struct finding_case cases[] = {
                        {"memory 64G;" RAID0_OF_16M "set dm-2 ra=32768", "dm-2", "readahead-capped"},
                        {"memory 64G;" RAID0_OF_16M, "dm-2", "readahead-below-array readahead-capped"},
                        {"memory 1G;" RAID0_OF_16M "set dm-2 ra=10480", "dm-2", "readahead-capped"},
                        {RAID5 "memory 256M; set dm-0 ra=2616", "dm-0", "readahead-capped"},
                        {RAID5 "memory 512M", "dm-0", ""},
                        {"memory 64G;" RAID0_OF_16M "swap dm-2", "dm-2", ""},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static const char *find_text(const struct stack *stack, const char *name, enum finding_code code) {
        size_t n;
        const struct finding *items = findings_of(&stack->findings, stack_layer(stack, name), &n);

        for (size_t i = 0; i < n; i++)
                if (items[i].code == code)
                        return items[i].text;
        return NULL;
}

/* By layer, then by code, none twice. */
static void check_order(const struct findings *findings) {
        for (size_t i = 1; i < findings->n_items; i++) {
                const struct finding *a = &findings->items[i - 1], *b = &findings->items[i];

                assert_true(a->layer->index < b->layer->index || (a->layer == b->layer && a->code < b->code));
        }
}

/* The cap is on what fits, wherever that comes from. */
static void test_capped_text(void **state) {
        static const struct {
                const char *stack, *layer, *has, *has_not;
        } cases[] = {
                        {"memory 1G;" RAID0_OF_16M, "dm-2", "65536 sectors", "8388608"},
                        {MIRROR "memory 1G; set md1 ra=16384", "dm-1", "16384 sectors", "stripe"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                const char *text = find_text(stack, cases[i].layer, FINDING_READAHEAD_CAPPED);

                print_message("%s\n", cases[i].stack);
                assert_non_null(text);
                assert_non_null(strstr(text, cases[i].has));
                assert_null(strstr(text, cases[i].has_not));
        }
}

/* What a rule asks for is capped by its own limits, whatever the default ones would do. */
static void test_capped_by_rule(void **state) {
        static const struct {
                const char *stack, *rule, *text;
        } cases[] = {
                        {"memory 64G;" RAID0_OF_16M, "auto max=8M",
                                        "2 × stripe width would be 65536 sectors (32 MiB); the most that its rule "
                                        "allows is 8 MiB"},
                        {"memory 64G;" RAID0_OF_16M, "auto max=64M", NULL},
                        {"memory 64G;" RAID0_OF_16M, "stripes=3 max=64M share=500",
                                        "3 × stripe width would be 98304 sectors (48 MiB); 0.05 % of this machine's "
                                        "memory are 33552 KiB"},
                        {"memory 64G;" RAID0_OF_16M, "stripes=1 max=64M", NULL},
                        {"memory 64G;" RAID0_OF_16M, "auto min=8M max=1M report",
                                        "2 × stripe width would be 65536 sectors (32 MiB); the most that its rule "
                                        "allows is 1 MiB"},
                        {"memory 64G; disk x; map dm-2 0 9 linear x 0;", "auto min=8M max=1M",
                                        "the rule's min is 16384 sectors (8 MiB); the most that its rule allows is 1 "
                                        "MiB"},
                        /* nothing is worked out */
                        {"memory 64G;" RAID0_OF_16M, "sectors=131072 max=1M", NULL},
                        {"memory 64G;" RAID0_OF_16M, "off both", NULL},
                        /* it asks for nothing, so that what it would be by itself counts */
                        {"memory 64G;" RAID0_OF_16M, "keep max=64M",
                                        "2 × stripe width would be 65536 sectors (32 MiB); the most that is worked out "
                                        "by itself is 16 MiB"},
                        /* the array is capped, and what lies over it follows that */
                        {"memory 64G;" RAID0_OF_16M "set md2 ra=256", "array max=64M share=100", NULL},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                struct rule_action rule = rule_from_text(cases[i].rule);
                struct plan plan = stack_plan(stack, &rule, false);
                const char *codes = stack_codes(stack, "dm-2"), *text = NULL;

                print_message("%s: %s\n", cases[i].stack, cases[i].rule);
                assert_int_equal(findings_settle(&stack->findings, &plan, stack->arena, &stack->findings), 0);
                text = find_text(stack, "dm-2", FINDING_READAHEAD_CAPPED);
                assert_int_equal(!text, !cases[i].text);
                if (text)
                        assert_non_null(strstr(text, cases[i].text));
                assert_int_equal(!strstr(codes, "below-array"),
                                !findings_have(&stack->findings, stack_layer(stack, "dm-2"),
                                                FINDING_READAHEAD_BELOW_ARRAY));
                check_order(&stack->findings);
        }
}

/* As Linux 6.17 and later have disks that rotate. */
#define ROTATING "memory 64G; disk a b; set a rot=1 request=4M ra=16384; set b rot=1 request=4M ra=16384;"

static void test_wrong_layer(void **state) {
        static const struct finding_case cases[] = {
                        {RAID5 "set md0 ra=8192; set dm-0 ra=256", "md0", "readahead-on-wrong-layer"},
                        {RAID5 "set md0 ra=8192; set dm-0 ra=256", "dm-0", "readahead-below-array"},
                        {RAID5 "set md0 ra=8192; set dm-0 ra=8192", "md0", ""},
                        {RAID5 "set md0 ra=8192; set dm-0 ra=16384", "md0", ""},
                        {RAID5 "set dm-0 ra=256", "md0", ""}, /* its own two stripes: nobody raised it */
                        /* while the geometry changes nobody can tell */
                        {RAID5 "set md0 ra=8192 reshape; set dm-0 ra=256", "md0", "array-reshaping"},
                        {RAID5 "set md0 ra=3072 reshape; set dm-0 ra=8192; map dm-9 0 9 linear dm-0 0", "dm-0", ""},
                        {MIRROR "set md1 ra=4096", "md1", "readahead-on-wrong-layer"},
                        /* in the middle, below a map, and through a partition */
                        {RAID5 "set dm-0 ra=8192; map dm-9 0 9 crypt c k 0 dm-0 0; set dm-9 ra=3072 opt=768K", "dm-0",
                                        "readahead-above-array readahead-on-wrong-layer"},
                        {"disk e f; md md1 raid1 0 e f; part p md1 2048; map dm-1 0 9 linear p 0; set md1 ra=4096",
                                        "md1", "readahead-on-wrong-layer"},
                        {"disk a; set a ra=8192; map dm-0 0 9 linear a 0", "a", "readahead-on-wrong-layer"},
                        /* reads go through it: nothing above, in use itself, or by its partitions */
                        {"disk e f; md md1 raid1 0 e f; set md1 ra=4096", "md1", ""},
                        {MIRROR "set md1 ra=4096; mount md1 /srv xfs", "md1", ""},
                        {"disk a; set a ra=4096; part p a 2048; mount p / ext4", "a", ""},
                        {"disk a b; set a ra=4096; part p a 2048; part q a 4096; mount p / ext4; md md0 raid1 0 q b",
                                        "a", ""},
                        /* the kernel's own doing: two io_opts */
                        {"disk a; set a opt=4M ra=16384; map dm-0 0 9 linear a 0", "a", ""},
                        /* the same where the largest request stands in for an io_opt of 0 */
                        {ROTATING "map dm-0 0 9 linear a 0", "a", ""},
                        {ROTATING "map dm-0 0 9 linear a 0; set a ra=16392", "a", "readahead-on-wrong-layer"},
                        {ROTATING "map dm-0 0 9 linear a 0; set a ra=8192", "a", "readahead-on-wrong-layer"},
                        {ROTATING "map dm-0 0 9 linear a 0; set a rot=0", "a", "readahead-on-wrong-layer"},
                        {ROTATING "map dm-0 0 9 linear a 0; set a opt=64K", "a", "readahead-on-wrong-layer"},
                        /* one of two tops is enough */
                        {RAID5 "map dm-9 0 9 linear md0 3072; set dm-9 ra=8192 opt=768K; set md0 ra=8192; set dm-0 "
                               "ra=256",
                                        "md0", "readahead-on-wrong-layer"},
                        /* swap and btrfs do not read through their device's */
                        {MIRROR "set md1 ra=4096; swap dm-1", "md1", ""},
                        {MIRROR "set md1 ra=4096; mount dm-1 /srv btrfs", "md1", ""},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_implausible(void **state) {
        static const struct finding_case cases[] = {
                        {"disk a; set a opt=33553920 ra=131064", "a", "readahead-implausible io-opt-implausible"},
                        {"disk a; set a opt=33553920 ra=256", "a", "io-opt-implausible"},
                        {"disk a; set a opt=33553920 ra=131064; part p a 2048", "p", ""},
                        {"disk a; set a opt=33553920 ra=256; map dm-0 0 9 linear a 0; set dm-0 opt=33553920 ra=131064",
                                        "dm-0", "readahead-implausible io-opt-implausible"},
                        {"memory 64G; disk a b c d; md md0 raid6 512K a b c d; set md0 opt=4293918720 min=512K "
                         "ra=8384512",
                                        "md0", "readahead-implausible io-opt-implausible"},
                        {"memory 64G; disk a b c d; md md0 raid6 512K a b c d; set md0 opt=4293918720 min=512K "
                         "ra=8384512;"
                         "map dm-0 0 9 linear md0 2048; set dm-0 ra=8384512",
                                        "dm-0", "readahead-implausible"},
                        {"disk a; set a opt=16M", "a", "io-opt-implausible"},
                        {"disk a; set a opt=8M ra=32768", "a", ""},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_stale(void **state) {
        static const struct finding_case cases[] = {
                        /* 4 → 5 disks: the array has 1 MiB now, the map still what it was made with */
                        {"memory 64G; disk a b c d e; md md0 raid5 256K a b c d e; set md0 ra=4096 min=256K opt=1M;"
                         "map dm-0 0 9 linear md0 2048; set dm-0 ra=4096 min=256K opt=768K",
                                        "dm-0", "geometry-stale"},
                        {"memory 64G; disk a b c d e; md md0 raid5 256K a b c d e; set md0 ra=4096 min=256K opt=1M;"
                         "map dm-0 0 9 linear md0 2048; set dm-0 ra=3072 min=256K opt=768K",
                                        "dm-0", "readahead-below-array geometry-stale"},
                        {"disk a b c d e; md md0 raid5 256K a b c d e; set md0 ra=4096 min=256K opt=1M", "md0", ""},
                        {RAID5 "set dm-0 opt=0", "dm-0", ""}, /* unknown to the kernel is not stale */
                        {RAID5 "set dm-0 opt=?", "dm-0", ""},
                        {RAID5 "set md0 reshape; set dm-0 opt=512K", "dm-0", ""},
                        /* the kernel's own ways of counting: its own stripe, the least common multiple of several */
                        {"disk a b c d e f; md md0 raid0 64K a b c; md md1 raid0 64K d e f; map dm-0 0 9 striped 2 128 "
                         "md0 0 md1 0;"
                         "set dm-0 ra=1536 opt=128K min=64K; set md0 opt=192K; set md1 opt=192K",
                                        "dm-0", ""},
                        {"disk a b c d e; md md0 raid0 64K a b; md md1 raid0 64K c d e; map dm-0 0 9 linear md0 0;"
                         "map dm-0 9 9 linear md1 0; set dm-0 ra=768 opt=384K min=64K; set md0 opt=128K; set md1 "
                         "opt=192K",
                                        "dm-0", ""},
                        /* dm-raid counts parity as well; what lies over it has that from there */
                        {"disk a b c d; map dm-0 0 9 raid raid5_ls 1 128 4 - a - b - c - d; set dm-0 opt=256K ra=768;"
                         "map dm-1 0 9 linear dm-0 0; set dm-1 opt=256K ra=768",
                                        "dm-1", ""},
                        {"disk a b c d; map dm-0 0 9 raid raid5_ls 1 128 4 - a - b - c - d; set dm-0 opt=256K ra=768;"
                         "map dm-1 0 9 linear dm-0 0; set dm-1 opt=320K ra=768",
                                        "dm-1", "geometry-stale"},
                        /* a thin pool has an io_opt of its own */
                        {RAID5 "disk m; map dm-9 0 9 thin-pool m dm-0 128 0; set dm-9 ra=3072 opt=64K min=64K", "dm-9",
                                        ""},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_alignment(void **state) {
        static const struct finding_case cases[] = {
                        {RAID5 "part p md0 63", "p", "misaligned-start"},
                        {RAID5 "part p md0 512", "p", "misaligned-start"},
                        {RAID5 "part p md0 1536", "p", ""},
                        {RAID5 "map dm-9 0 9 linear md0 7; set dm-9 ra=3072", "dm-9", "misaligned-start"},
                        {MIRROR "set dm-1 align=-1", "dm-1", "alignment-inconsistent"},
                        {MIRROR "set dm-1 align=229888", "dm-1", ""},
                        {MIRROR "set dm-1 align=4294967295", "dm-1", ""},
                        {MIRROR "set dm-1 align=?", "dm-1", ""},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_tiny(void **state) {
        static const struct finding_case cases[] = {
                        {"disk a b c; md md0 raid5 4K a b c", "md0", "stripe-tiny"},
                        {"disk a b c; md md0 raid0 8K a b c", "md0", "stripe-tiny"},
                        {"disk a b c; md md0 raid0 12K a b c", "md0", "stripe-tiny"},
                        {"disk a b c; md md0 raid0 16K a b c", "md0", ""},
                        {"disk a b; md md0 raid1 4K a b", "md0", ""},
                        {"disk a b c; map dm-0 0 9 raid raid5_ls 1 8 3 - a - b - c", "dm-0", "stripe-tiny"},
                        {"disk a b; map dm-0 0 9 striped 2 8 a 0 b 0", "dm-0", "stripe-tiny"},
                        {"disk a b c; md md0 raid5 4K a b c; map dm-0 0 9 linear md0 0", "dm-0", ""},
                        /* a tiny stripe over wide ones, and the other way round */
                        {"disk a b c d; md md0 raid0 64K a b; md md1 raid0 64K c d; md md9 raid0 4K md0 md1", "md9",
                                        "stripe-tiny"},
                        {"disk a b c d; md md0 raid0 4K a b; md md1 raid0 4K c d; md md9 raid0 64K md0 md1", "md9", ""},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

#define LVM_RAID5                                                                                                      \
        "disk r1 r2 r3; map dm-9 0 9 raid raid5_ls 1 128 3 - r1 - r2 - r3; set dm-9 ra=512; status dm-9 raid5_ls 3 "

static void test_state_of_arrays(void **state) {
        static const struct finding_case cases[] = {
                        {RAID5 "set md0 degraded=1", "md0", "array-degraded"},
                        {RAID5 "set md0 degraded=1", "dm-0", ""},
                        {RAID5 "set md0 degraded=0", "md0", ""},
                        {RAID5 "set md0 degraded=?", "md0", ""},
                        {RAID5 "set md0 sync=idle", "md0", ""},
                        {RAID5 "set md0 sync=frozen", "md0", ""},
                        {RAID5 "set md0 sync=resync", "md0", "array-resyncing"},
                        {RAID5 "set md0 sync=check", "md0", "array-resyncing"},
                        {RAID5 "set md0 sync=repair", "md0", "array-resyncing"},
                        {RAID5 "set md0 sync=recover degraded=1", "md0", "array-degraded array-resyncing"},
                        {RAID5 "set md0 sync=reshape reshape", "md0", "array-reshaping"},
                        {RAID5 "set md0 reshape", "dm-0", ""},
                        {"disk r1 r2 r3; map dm-9 0 9 raid raid5_ls 1 128 3 - r1 - r2 - r3; status dm-9 raid5_ls 3 aaa "
                         "0/9 reshape 0 0 -",
                                        "dm-9", "array-reshaping"},
                        {"disk r1 r2 r3; map dm-9 0 9 raid raid5_ls 1 128 3 - r1 - r2 - r3; status dm-9 raid5_ls 3 AAA "
                         "9/9 idle 0 0 -; set dm-9 ra=512",
                                        "dm-9", ""},
                        {LVM_RAID5 "AAD 9/9 idle 0 0 -", "dm-9", "array-degraded"},
                        {LVM_RAID5 "AAa 1/9 recover 0 0 -", "dm-9", "array-degraded array-resyncing"},
                        {LVM_RAID5 "aaa 1/9 resync 0 0 -", "dm-9", "array-resyncing"},
                        {LVM_RAID5 "AAA 1/9 check 0 0 -", "dm-9", "array-resyncing"},
                        {LVM_RAID5 "AAA 9/9 frozen 0 0 -", "dm-9", ""},
                        {"disk r1; map dm-9 0 9 raid raid1 1 0 2 - r1 - -", "dm-9", "array-degraded"},
                        {RAID5 "md md9 raid5 64K - - -; set md9 inactive degraded=3", "md9", "array-inactive"},
                        {RAID5 "set dm-0 suspended", "dm-0", "suspended"},
                        {RAID5 "set dm-0 suspended", "md0", ""},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_other_states(void **state) {
        static const struct finding_case cases[] = {
                        {RAID5 "mount dm-0 /srv btrfs", "dm-0", "filesystem-own-readahead"},
                        {RAID5 "mount dm-0 /srv btrfs; mount dm-0 /b xfs", "dm-0", ""},
                        /* on a plain disk, too, and of the layer in use only */
                        {"disk a; part p a 63; mount p / btrfs; mount p /home btrfs", "p", "filesystem-own-readahead"},
                        {"disk a; part p a 63; mount p / btrfs; mount p /home btrfs", "a", ""},
                        {"disk a; mount a /srv btrfs", "a", "filesystem-own-readahead"},
                        {"disk a; mount a /srv btrfs; swap a", "a", ""},
                        {RAID5 "mount dm-0 /srv xfs", "dm-0", ""},
                        {RAID5 "mount dm-0 /srv btrfs", "md0", ""},
                        {RAID5 "map dm-9 0 9 flashcache dm-0; set dm-9 ra=3072", "dm-9", "unknown-target"},
                        {"map dm-9 0 9 error", "dm-9", "unknown-target"},
                        {"disk a; map dm-9 0 9 linear a 0; map dm-9 9 9 vendor a", "dm-9", "unknown-target"},
                        {"map dm-9", "dm-9", ""},
                        /* a cycle is told of each layer in it, and of no other */
                        {"map dm-0 0 9 linear dm-1 0; map dm-1 0 9 linear dm-0 0; map dm-2 0 9 linear dm-1 0", "dm-0",
                                        "cycle"},
                        {"map dm-0 0 9 linear dm-1 0; map dm-1 0 9 linear dm-0 0; map dm-2 0 9 linear dm-1 0", "dm-1",
                                        "cycle"},
                        {"map dm-0 0 9 linear dm-1 0; map dm-1 0 9 linear dm-0 0; map dm-2 0 9 linear dm-1 0", "dm-2",
                                        ""},
                        {"loop loop0 /dev/loop0", "loop0", "cycle"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

/* The severities that are fixed, and that the sentence has the numbers. */
static void test_severity_and_text(void **state) {
        static const struct {
                const char *stack, *layer, *code;
                enum finding_severity severity;
                const char *text;
        } cases[] = {
                        {RAID5 "part p md0 63", "p", "misaligned-start", SEVERITY_WARNING, "63"},
                        {RAID5 "part p md0 63", "p", "misaligned-start", SEVERITY_WARNING, "256 KiB"},
                        {RAID5 "part p md0 512", "p", "misaligned-start", SEVERITY_NOTICE, "768 KiB"},
                        {RAID5 "part p md0 63", "p", "misaligned-start", SEVERITY_WARNING,
                                        "live"}, /* can't be mended */
                        {RAID5 "set dm-0 ra=256", "dm-0", "readahead-below-array", SEVERITY_WARNING, "256 sectors"},
                        {RAID5 "set dm-0 ra=256", "dm-0", "readahead-below-array", SEVERITY_WARNING, "3072 sectors"},
                        {RAID5 "set dm-0 ra=256", "dm-0", "readahead-below-array", SEVERITY_WARNING, "md0"},
                        {RAID5 "set dm-0 ra=256", "dm-0", "readahead-below-array", SEVERITY_WARNING, "below what"},
                        {RAID5 "set dm-0 ra=8192", "dm-0", "readahead-above-array", SEVERITY_NOTICE, "above what"},
                        {RAID5 MIRROR "map dm-9 0 9 linear md0 3072; map dm-9 9 9 linear md1 0", "dm-9",
                                        "readahead-below-array", SEVERITY_WARNING, "md0 and 1 more"},
                        {RAID5 "memory 256M", "dm-0", "readahead-capped", SEVERITY_NOTICE, "memory"},
                        {RAID5 "set md0 degraded=1", "md0", "array-degraded", SEVERITY_WARNING, "1 of 4"},
                        {"disk a; set a opt=33553920", "a", "io-opt-implausible", SEVERITY_WARNING, "33553920"},
                        {RAID5 "set md0 sync=recover", "md0", "array-resyncing", SEVERITY_NOTICE, "recover"},
                        {RAID5 "mount dm-0 /srv btrfs", "dm-0", "filesystem-own-readahead", SEVERITY_INFO, "btrfs"},
                        {"map dm-9 0 9 vendor x", "dm-9", "unknown-target", SEVERITY_INFO, "\"vendor\""},
                        {"disk a; map dm-9 0 9 vendor a", "dm-9", "unknown-target", SEVERITY_INFO, "geometry beneath"},
                        {"disk a b; map dm-9 0 9 vendor a b", "dm-9", "unknown-target", SEVERITY_INFO, "no geometry"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                const struct finding *found = NULL;
                size_t n;
                const struct finding *items = findings_of(&stack->findings, stack_layer(stack, cases[i].layer), &n);

                print_message("%s\n", cases[i].stack);
                for (size_t j = 0; j < n; j++)
                        if (strcmp(finding_code_name(items[j].code), cases[i].code) == 0)
                                found = &items[j];
                assert_non_null(found);
                assert_int_equal(found->severity, cases[i].severity);
                assert_non_null(strstr(found->text, cases[i].text));
        }
}

/* The whole sentence about the state of an array or a map: with numbers where they are known, without where not. */
static void test_state_texts(void **state) {
        static const char reshaped[] = ": its geometry and the readahead above it can be told when that is done";
        static const struct {
                const char *stack, *layer, *code, *text, *rest;
        } cases[] = {
                        {RAID5 "set md0 degraded=1", "md0", "array-degraded", "1 of 4 members is missing or failed",
                                        ""},
                        {RAID5 "set md0 degraded=2", "md0", "array-degraded", "2 of 4 members are missing or failed",
                                        ""},
                        {RAID5 "set md0 degraded=1 disks=?", "md0", "array-degraded", "1 member is missing or failed",
                                        ""},
                        {RAID5 "set md0 degraded=2 disks=?", "md0", "array-degraded", "2 members are missing or failed",
                                        ""},
                        {LVM_RAID5 "ADa 1/9 recover 0 0 -", "dm-9", "array-degraded",
                                        "2 of 3 members are missing or failed", ""},
                        {LVM_RAID5 "ADa 5/9 recover 0 0 -", "dm-9", "array-resyncing",
                                        "a recovery is running, at least 50 % done: it competes with reads", ""},
                        {LVM_RAID5 "aaa 10/9 resync 0 0 -", "dm-9", "array-resyncing",
                                        "a resync is running: it competes with reads", ""},
                        {LVM_RAID5 "aaa 5/9 reshape 0 0 -", "dm-9", "array-reshaping",
                                        "is being reshaped, at least 50 % done", reshaped},
                        {LVM_RAID5 "AAA 5/9 frozen 0 0 -", "dm-9", "array-reshaping",
                                        "is being reshaped, but stands still", reshaped},
                        {RAID5 "set md0 reshape sync=", "md0", "array-reshaping", "is being reshaped", reshaped},
                        {RAID5 "set md0 sync=resync", "md0", "array-resyncing",
                                        "a resync is running: it competes with reads", ""},
                        {RAID5 "set md0 sync=recover synced=0 to-sync=100", "md0", "array-resyncing",
                                        "a recovery is running, less than 10 % done: it competes with reads", ""},
                        {RAID5 "set md0 sync=check synced=999 to-sync=10000", "md0", "array-resyncing",
                                        "a check is running, less than 10 % done: it competes with reads", ""},
                        {RAID5 "set md0 sync=repair synced=1000 to-sync=10000", "md0", "array-resyncing",
                                        "a repair is running, at least 10 % done: it competes with reads", ""},
                        {RAID5 "set md0 sync=resync synced=100 to-sync=100", "md0", "array-resyncing",
                                        "a resync is running, at least 90 % done: it competes with reads", ""},
                        {RAID5 "set md0 reshape", "md0", "array-reshaping", "is being reshaped", reshaped},
                        {RAID5 "set md0 reshape old-disks=3", "md0", "array-reshaping",
                                        "is being reshaped (3 → 4 members)", reshaped},
                        {RAID5 "set md0 reshape sync=reshape old-disks=3 synced=73216 to-sync=262144", "md0",
                                        "array-reshaping", "is being reshaped (3 → 4 members), at least 20 % done",
                                        reshaped},
                        {RAID5 "set md0 reshape old-chunk=64K", "md0", "array-reshaping",
                                        "is being reshaped (chunk 64 KiB → 256 KiB)", reshaped},
                        {RAID5 "set md0 reshape old-chunk=64K chunk=?", "md0", "array-reshaping", "is being reshaped",
                                        reshaped},
                        {RAID5 "set md0 reshape layout=2 old-layout=5", "md0", "array-reshaping",
                                        "is being reshaped (layout parity-last → left-symmetric)", reshaped},
                        {"disk a b c d; md md0 raid6 64K a b c d; set md0 reshape layout=2 old-layout=18 old-disks=3",
                                        "md0", "array-reshaping",
                                        "is being reshaped (3 → 4 members, layout left-symmetric-6 → left-symmetric)",
                                        reshaped},
                        {"disk a b c d; md md0 raid10 64K a b c d; set md0 reshape layout=258 old-layout=513", "md0",
                                        "array-reshaping", "is being reshaped (layout 513 → 258)", reshaped},
                        {RAID5 "set md0 reshape level=raid6\\s(raid5) old-disks=3 old-chunk=1M", "md0",
                                        "array-reshaping",
                                        "is being reshaped (raid5 → raid6, 3 → 4 members, chunk 1 MiB → 256 KiB)",
                                        reshaped},
                        {RAID5 "set md0 reshape sync=idle old-disks=3 synced=1 to-sync=2", "md0", "array-reshaping",
                                        "is being reshaped (3 → 4 members), but stands still", reshaped},
                        {RAID5 "set md0 reshape sync=frozen", "md0", "array-reshaping",
                                        "is being reshaped, but stands still", reshaped},
                        {RAID5 "md md9 raid5 64K a b - -; set md9 inactive state=inactive", "md9", "array-inactive",
                                        "is assembled but not running (state inactive): nothing can be read from it; 2 "
                                        "of 4 members are there",
                                        ""},
                        {RAID5 "md md9 raid5 64K a b:faulty gone c:journal; set md9 inactive disks=? state=clear",
                                        "md9", "array-inactive",
                                        "is assembled but not running (state clear): nothing can be read from it; 1 "
                                        "member is there",
                                        ""},
                        {RAID5 "md md9 raid5 64K -; set md9 inactive state=?", "md9", "array-inactive",
                                        "is assembled but not running: nothing can be read from it", ""},
                        {"map dm-9 0 9 error; set dm-9 suspended", "dm-9", "suspended",
                                        "is suspended: its reads and writes wait until it is resumed", ""},
                        {RAID5 "set dm-0 suspended; mount dm-0 /srv xfs", "dm-0", "suspended",
                                        "is suspended: its reads and writes, and those of /srv, wait until it is "
                                        "resumed",
                                        ""},
                        {RAID5 "set dm-0 suspended; swap dm-0", "dm-0", "suspended",
                                        "is suspended: its reads and writes, and those of swap, wait until it is "
                                        "resumed",
                                        ""},
                        {RAID5 "set dm-0 suspended; lv dm-8 vg/up; map dm-8 0 4 linear dm-0 0; map dm-9 0 4 linear "
                               "dm-0 "
                               "4",
                                        "dm-0", "suspended",
                                        "is suspended: its reads and writes, and those of vg/up and 1 more, wait until "
                                        "it is resumed",
                                        ""},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                const char *text = "";
                size_t n;
                const struct finding *items = findings_of(&stack->findings, stack_layer(stack, cases[i].layer), &n);

                print_message("%s\n", cases[i].stack);
                for (size_t j = 0; j < n; j++)
                        if (strcmp(finding_code_name(items[j].code), cases[i].code) == 0)
                                text = items[j].text;
                assert_string_equal(text, arena_printf(stack->arena, "%s%s", cases[i].text, cases[i].rest));
        }
}

/* By layer, then by code; each code at most once a layer; each with a sentence. */
static void test_order_and_lookup(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(RAID5 MIRROR
                        "set dm-0 ra=256 suspended align=-1 opt=512K; set md0 ra=8192 degraded=1 sync=recover;"
                        "set a opt=33553920 ra=131064; part p md0 63; set dm-1 ra=0; map dm-9 0 9 linear dm-9 0");
        const struct findings *all = &stack->findings;
        size_t total = 0, n;

        assert_true(all->n_items > 8);
        for (size_t i = 1; i < all->n_items; i++) {
                const struct finding *a = &all->items[i - 1], *b = &all->items[i];

                assert_true(a->layer->index < b->layer->index || (a->layer == b->layer && a->code < b->code));
        }
        for (size_t i = 0; i < stack->topology->n_layers; i++) {
                const struct layer *layer = stack->topology->layers[i];
                const struct finding *items = findings_of(all, layer, &n);

                assert_int_equal(n > 0, items != NULL);
                for (size_t j = 0; j < n; j++) {
                        assert_ptr_equal(items[j].layer, layer);
                        assert_true(*items[j].text);
                        assert_true(findings_have(all, layer, items[j].code));
                }
                total += n;
        }
        assert_int_equal(total, all->n_items);
        assert_true(findings_have(all, stack_layer(stack, "dm-0"), FINDING_SUSPENDED));
        assert_false(findings_have(all, stack_layer(stack, "dm-0"), FINDING_CYCLE));
        assert_false(findings_have(all, stack_layer(stack, "b"), FINDING_SUSPENDED));
        assert_null(findings_of(&(struct findings){}, stack_layer(stack, "dm-0"), &n));
        assert_int_equal(n, 0);
}

/* The codes are part of the policy language, of the JSON and of the docs. */
static void test_names(void **state) {
        static const char *const names[] = {
                        "readahead-below-array",
                        "readahead-above-array",
                        "readahead-off",
                        "readahead-capped",
                        "readahead-on-wrong-layer",
                        "readahead-implausible",
                        "geometry-stale",
                        "io-opt-implausible",
                        "misaligned-start",
                        "alignment-inconsistent",
                        "stripe-tiny",
                        "array-degraded",
                        "array-resyncing",
                        "array-reshaping",
                        "array-inactive",
                        "suspended",
                        "filesystem-own-readahead",
                        "changed-by-other",
                        "unknown-target",
                        "cycle",
                        "member-slow",
        };
        enum finding_code code;

        assert_int_equal(ARRAY_SIZE(names), _FINDING_CODE_MAX);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                assert_int_equal(finding_code_from_name(names[i], &code), 0);
                assert_string_equal(finding_code_name(code), names[i]);
                assert_int_equal(finding_is_measured(code), strcmp(names[i], "member-slow") == 0);
        }
        assert_int_equal(finding_code_from_name("", &code), -EINVAL);
        assert_int_equal(finding_code_from_name("readahead", &code), -EINVAL);
        assert_int_equal(finding_code_from_name("CYCLE", &code), -EINVAL);
        assert_string_equal(finding_severity_name(SEVERITY_INFO), "info");
        assert_string_equal(finding_severity_name(SEVERITY_NOTICE), "notice");
        assert_string_equal(finding_severity_name(SEVERITY_WARNING), "warning");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_healthy),
                        cmocka_unit_test(test_below_and_above),
                        cmocka_unit_test(test_above_by_itself),
                        cmocka_unit_test(test_off),
                        cmocka_unit_test(test_capped),
                        cmocka_unit_test(test_capped_text),
                        cmocka_unit_test(test_capped_by_rule),
                        cmocka_unit_test(test_wrong_layer),
                        cmocka_unit_test(test_implausible),
                        cmocka_unit_test(test_stale),
                        cmocka_unit_test(test_alignment),
                        cmocka_unit_test(test_tiny),
                        cmocka_unit_test(test_state_of_arrays),
                        cmocka_unit_test(test_other_states),
                        cmocka_unit_test(test_severity_and_text),
                        cmocka_unit_test(test_state_texts),
                        cmocka_unit_test(test_order_and_lookup),
                        cmocka_unit_test(test_names),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
