/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/alignment.h"
#include "tests/support/stack.h"

/* ALIGNMENT: "aligned", or "off chunk of md0 at 63", or "off stripe of …". */
struct alignment_case {
        const char *stack, *layer, *alignment;
};

static const char *describe(const struct stack *stack, const char *name) {
        struct alignment_result a = alignment_compute(stack->geometry, stack_layer(stack, name));

        if (a.alignment == ALIGNED)
                return "aligned";
        return arena_printf(stack->arena, "off %s of %s at %llu",
                        a.alignment == ALIGNMENT_OFF_CHUNK ? "chunk" : "stripe", a.array->name,
                        (unsigned long long)a.offset_sectors);
}

static void check_cases(const struct alignment_case *cases, size_t n) {
        for (size_t i = 0; i < n; i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);

                print_message("%s\n", cases[i].stack);
                assert_string_equal(describe(stack, cases[i].layer), cases[i].alignment);
        }
}

/* Chunks of 128 sectors, stripes of 384. */
#define RAID5 "disk a b c d; md md0 raid5 64K a b c d;"
#define RAID0 "disk e f g; md md1 raid0 64K e f g;"

static void test_partitions(void **state) {
        static const struct alignment_case cases[] = {
                        {RAID5 "part p md0 0", "p", "aligned"},
                        {RAID5 "part p md0 384", "p", "aligned"},
                        {RAID5 "part p md0 3840", "p", "aligned"},
                        {RAID5 "part p md0 128", "p", "off stripe of md0 at 128"},
                        {RAID5 "part p md0 2048", "p", "off stripe of md0 at 2048"}, /* 1 MiB suits not every stripe */
                        {RAID5 "part p md0 63", "p", "off chunk of md0 at 63"},
                        {RAID5 "part p md0 385", "p", "off chunk of md0 at 385"},
                        {RAID5 "part p md0 64", "p", "off chunk of md0 at 64"},
                        /* without parity only the chunk counts */
                        {RAID0 "part p md1 128", "p", "aligned"},
                        {RAID0 "part p md1 2048", "p", "aligned"},
                        {RAID0 "part p md1 63", "p", "off chunk of md1 at 63"},
                        {"disk a b c d; md md0 raid10 64K a b c d; part p md0 128", "p", "aligned"},
                        {"disk a b c d; md md0 raid10 64K a b c d; part p md0 64", "p", "off chunk of md0 at 64"},
                        {"disk a b c; md md0 raid4 64K a b c; part p md0 128", "p", "off stripe of md0 at 128"},
                        {"disk a b c; md md0 raid4 64K a b c; part p md0 256", "p", "aligned"},
                        {"disk a b c d; md md0 raid6 64K a b c d; part p md0 128", "p", "off stripe of md0 at 128"},
                        /* nothing that stripes */
                        {"disk a; part p a 63", "p", "aligned"},
                        {"disk a b; md md0 raid1 0 a b; part p md0 63", "p", "aligned"},
                        {"disk a b; md md0 linear 0 a b; part p md0 63", "p", "aligned"},
                        {RAID5 "part p md0 63; md md9 raid1 0 p -; part q md9 63", "q", "aligned"},
                        /* numbers that make no sense, or none */
                        {RAID5 "part p md0 18446744073709551615", "p", "aligned"},
                        {RAID5 "part p md0 63; set md0 reshape", "p", "aligned"},
                        {RAID5, "md0", "aligned"},
                        {RAID5, "a", "aligned"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

/* Offsets add up over all layers between. */
static void test_maps(void **state) {
        static const struct alignment_case cases[] = {
                        {RAID5 "map dm-0 0 999 linear md0 384", "dm-0", "aligned"},
                        {RAID5 "map dm-0 0 999 linear md0 2048", "dm-0", "off stripe of md0 at 2048"},
                        {RAID5 "map dm-0 0 999 linear md0 100", "dm-0", "off chunk of md0 at 100"},
                        {RAID5 "part p md0 63; map dm-0 0 999 linear p 3393", "dm-0", "aligned"},
                        {RAID5 "part p md0 63; map dm-0 0 999 linear p 3521", "dm-0", "off stripe of md0 at 3584"},
                        {RAID5 "part p md0 63; map dm-0 0 999 linear p 2048", "dm-0", "off chunk of md0 at 2111"},
                        {RAID5 "part p md0 384; map dm-0 0 99999 linear p 0; map dm-1 0 999 crypt c k 0 dm-0 32768",
                                        "dm-1", "off stripe of md0 at 33152"},
                        {RAID5 "part p md0 384; map dm-0 0 99999 delay p 0 5; map dm-1 0 999 crypt c k 0 dm-0 384",
                                        "dm-1", "aligned"},
                        /* of a start on sector 0 the layer beneath is told, which has chosen it */
                        {RAID5 "part p md0 63; map dm-0 0 999 linear p 0", "dm-0", "aligned"},
                        {RAID5 "part p md0 63; map dm-0 0 999 linear p 0", "p", "off chunk of md0 at 63"},
                        {RAID5 "part p md0 63; map dm-0 0 9999 linear p 0; map dm-1 0 999 crypt c k 0 dm-0 0", "dm-1",
                                        "aligned"},
                        {RAID5 "part p md0 63; map dm-0 0 9999 linear p 0; map dm-1 0 999 crypt c k 0 dm-0 512", "dm-1",
                                        "off chunk of md0 at 575"},
                        {RAID5 "part p md0 63; part q p 0", "q", "aligned"},
                        {RAID5 "map dm-0 0 9999 linear md0 64; map dm-1 0 99 linear dm-0 0; map dm-1 99 9 linear dm-0 "
                               "64",
                                        "dm-1", "off stripe of md0 at 128"},
                        {RAID5 "map dm-0 0 9999 linear md0 64; map dm-1 0 99 linear dm-0 64; map dm-1 99 9 linear dm-0 "
                               "0",
                                        "dm-1", "off stripe of md0 at 128"},
                        {RAID0 RAID5 "part p md0 63; part q md1 63; map dm-0 0 99 striped 2 128 p 0 q 0", "dm-0",
                                        "aligned"},
                        {RAID0 RAID5 "part p md0 63; part q md1 63; map dm-0 0 99 striped 2 128 p 0 q 128", "dm-0",
                                        "off chunk of md1 at 191"},
                        /* also where the upper one's start mends the lower one's */
                        {RAID5 "part p md0 63; map dm-0 0 999 linear p 321", "dm-0", "aligned"},
                        {RAID5 "part p md0 63; map dm-0 0 999 linear p 321", "p", "off chunk of md0 at 63"},
                        {RAID5 "map dm-0 0 99999 crypt c k 0 md0 32768; map dm-1 0 999 linear dm-0 64", "dm-1",
                                        "off chunk of md0 at 32832"},
                        {RAID5 "map dm-0 0 99999 delay md0 3 5; map dm-1 0 999 linear dm-0 64", "dm-1",
                                        "off chunk of md0 at 67"},
                        /* the worst of the segments */
                        {RAID5 "map dm-0 0 99 linear md0 384; map dm-0 99 99 linear md0 512", "dm-0",
                                        "off stripe of md0 at 512"},
                        {RAID5 "map dm-0 0 99 linear md0 512; map dm-0 99 99 linear md0 7; map dm-0 198 9 linear md0 "
                               "640",
                                        "dm-0", "off chunk of md0 at 7"},
                        {RAID0 RAID5 "map dm-0 0 99 linear md0 384; map dm-0 99 99 linear md1 65", "dm-0",
                                        "off chunk of md1 at 65"},
                        {RAID0 "disk x; map dm-0 0 99 linear x 63; map dm-0 99 99 linear md1 128", "dm-0", "aligned"},
                        /* in the second segment of what is beneath: 1000 there is 8 + 376 on the array */
                        {RAID5 "disk x; map dm-0 0 992 linear x 0; map dm-0 992 9999 linear md0 376; map dm-1 0 9 "
                               "linear dm-0 1000",
                                        "dm-1", "aligned"},
                        {RAID5 "disk x; map dm-0 0 992 linear x 0; map dm-0 992 9999 linear md0 376; map dm-1 0 9 "
                               "linear dm-0 1001",
                                        "dm-1", "off chunk of md0 at 385"},
                        {RAID5 "disk x; map dm-0 0 992 linear x 0; map dm-0 992 9999 linear md0 376; map dm-1 0 9 "
                               "linear dm-0 63",
                                        "dm-1", "aligned"},
                        {RAID5 "map dm-0 0 99 linear md0 0; map dm-1 0 9 linear dm-0 1000", "dm-1",
                                        "aligned"}, /* past its end */
                        /* the legs of a stripe over arrays */
                        {RAID0 RAID5 "map dm-0 0 99 striped 2 128 md0 384 md1 64", "dm-0", "off chunk of md1 at 64"},
                        {RAID0 RAID5 "map dm-0 0 99 striped 2 128 md0 384 md1 128", "dm-0", "aligned"},
                        /* maps that stripe are what lies above them is measured by */
                        {"disk a b; map dm-0 0 99999 striped 2 128 a 7 b 7; map dm-1 0 9 linear dm-0 128", "dm-1",
                                        "aligned"},
                        {"disk a b; map dm-0 0 99999 striped 2 128 a 7 b 7; map dm-1 0 9 linear dm-0 64", "dm-1",
                                        "off chunk of dm-0 at 64"},
                        {"disk a b c; map dm-0 0 99999 raid raid5_ls 1 128 3 - a - b - c; map dm-1 0 9 linear dm-0 128",
                                        "dm-1", "off stripe of dm-0 at 128"},
                        {"disk a b; map dm-0 0 99999 striped 1 128 a 7; map dm-1 0 9 linear dm-0 64", "dm-1",
                                        "aligned"},
                        /* metadata may lie where it will */
                        {RAID0 RAID5 "map dm-0 0 99 thin-pool md1 md0 128 0", "dm-0", "aligned"},
                        {RAID0 RAID5 "map dm-1 0 999 linear md1 63; map dm-0 0 99 snapshot md0 dm-1 P 8", "dm-0",
                                        "aligned"},
                        /* blocks of a thin volume are anywhere */
                        {RAID0 RAID5 "map dm-0 0 9999 thin-pool md1 md0 128 0; map dm-1 0 9999 thin dm-0 1; map dm-2 0 "
                                     "9 linear dm-1 63",
                                        "dm-2", "aligned"},
                        {RAID5 "map dm-0 0 9 linear md0 18446744073709551615", "dm-0", "aligned"},
                        {RAID5 "map dm-0 0 9 linear 250:99 63", "dm-0", "aligned"},
                        {"map dm-0", "dm-0", "aligned"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

/* The array beneath is the nearest one, with its own chunk. */
static void test_nested(void **state) {
        static const char stack[] = "disk a b c d e f g h i j;"
                                    "md md0 raid0 128K a b; md md1 raid0 128K c d;" /* 256 KiB each */
                                    "md md2 raid5 64K e f g; md md3 raid5 64K h i j;"
                                    "map dm-0 0 9999 striped 2 128 md0 0 md1 0; map dm-1 0 9 linear dm-0 128;"
                                    "map dm-2 0 9 linear dm-0 64; map dm-3 0 9999 striped 2 128 md1 0 md2 0;"
                                    "map dm-4 0 9 linear dm-3 63; map dm-5 0 9 linear dm-3 256;"
                                    "map dm-6 0 9999 striped 2 1024 md2 0 md3 0; map dm-7 0 9 linear dm-6 1024;"
                                    "map dm-8 0 9 linear dm-6 512";
        static const struct alignment_case cases[] = {
                        {stack, "dm-1", "aligned"},
                        {stack, "dm-2", "off chunk of dm-0 at 64"},
                        {stack, "dm-4", "off chunk of dm-3 at 63"},
                        {stack, "dm-5", "aligned"},
                        {stack, "dm-7", "aligned"},
                        {stack, "dm-8", "off chunk of dm-6 at 512"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_cycles(void **state) {
        static const struct alignment_case cases[] = {
                        {"map dm-0 0 9 linear dm-0 63", "dm-0", "aligned"},
                        {"map dm-0 0 9 linear dm-1 63; map dm-1 0 9 linear dm-0 63", "dm-0", "aligned"},
                        /* the way through the other map of the cycle is not followed, the other segment is */
                        {RAID5 "map dm-0 0 99 linear md0 64; map dm-0 99 99 linear dm-1 0; map dm-1 0 99 linear dm-0 0",
                                        "dm-1", "aligned"},
                        {RAID5 "map dm-0 0 99 linear md0 64; map dm-0 99 99 linear dm-1 0; map dm-1 0 99 linear dm-0 0",
                                        "dm-0", "off chunk of md0 at 64"},
                        {RAID5 RAID0 "map dm-2 0 99 linear md0 0; map dm-3 0 99 linear dm-2 0; map dm-0 0 99 linear "
                                     "md1 64;"
                                     "map dm-0 99 99 linear dm-1 0; map dm-1 0 99 linear dm-0 0; map dm-1 99 99 linear "
                                     "dm-3 384",
                                        "dm-1", "aligned"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

/* The chain's maps follow these seven: minor 7 is dm-0. */
#define BELOW_CHAIN RAID5 "part p md0 63; map top 0 9 linear "

/* As deep as one likes, in no more time than it takes. */
static void test_deep(void **state) {
        _cleanup_(stack_freep) struct stack *shallow = stack_build_chain(BELOW_CHAIN "253:16 64", "p", 10);
        _cleanup_(stack_freep) struct stack *deep = stack_build_chain(BELOW_CHAIN "253:20006 64", "p", 20000);

        assert_string_equal(describe(shallow, "top"), "off chunk of md0 at 127");
        assert_string_equal(describe(shallow, "dm-9"), "aligned");
        assert_string_equal(describe(deep, "top"), "aligned");
        for (size_t i = 0; i < deep->topology->n_layers; i++)
                (void)alignment_compute(deep->geometry, deep->topology->layers[i]);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_partitions),
                        cmocka_unit_test(test_maps),
                        cmocka_unit_test(test_nested),
                        cmocka_unit_test(test_cycles),
                        cmocka_unit_test(test_deep),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
