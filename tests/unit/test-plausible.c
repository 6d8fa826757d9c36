/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/plausible.h"
#include "tests/support/stack.h"

struct limits_case {
        const char *stack, *layer;
        bool implausible;
};

/* A disk alone, "d1", with the settings given. */
static struct stack *build_disk(const char *settings) {
        char text[256];

        snprintf(text, sizeof(text), "disk d1; set d1 %s", settings);
        print_message("%s\n", text);
        return stack_build(text);
}

static void check_disk(const char *settings, bool implausible) {
        _cleanup_(stack_freep) struct stack *stack = build_disk(settings);

        assert_int_equal(stack_geometry(stack, "d1")->io_opt_implausible, implausible);
}

static void test_io_opt_of_a_disk(void **state) {
        static const struct {
                const char *settings;
                bool implausible;
        } cases[] = {
                        {"opt=0", false},
                        {"opt=?", false},
                        {"opt=-1", false},
                        {"opt=512", false},
                        {"opt=128K", false},
                        {"opt=1M min=64K pbs=4096", false},
                        {"opt=2560K", false}, /* the largest request of an adapter */
                        {"opt=8M", false},
                        {"opt=15M", false},
                        {"opt=16769024", false}, /* 16 MiB less two pages */
                        /* no multiple of the physical block */
                        {"opt=5000", true},
                        {"opt=66560 pbs=4096", true},
                        {"opt=66560 pbs=512", false},
                        {"opt=65536 pbs=4096", false},
                        {"opt=66560 pbs=?", false},
                        {"opt=66560 pbs=0", false},
                        {"opt=66560 pbs=-4096", false},
                        /* no multiple of io_min */
                        {"opt=96K min=64K", true},
                        {"opt=96K min=32K", false},
                        {"opt=64K min=128K", true},
                        {"opt=96K min=?", false},
                        {"opt=96K min=0", false},
                        /* all ones: as bytes, of 512, of 4096, of the device's own blocks */
                        {"opt=65535 pbs=? min=?", true},
                        {"opt=32767 pbs=? min=?", true},
                        {"opt=33553920", true},
                        {"opt=16776704", true},
                        {"opt=16776704 pbs=?", true},
                        {"opt=16773120", true},
                        {"opt=16773120 pbs=4096 min=4096", true},
                        {"opt=268431360 pbs=4096 min=4096", true},
                        {"opt=134213632 pbs=4096 min=4096", true},
                        {"opt=4293918720", true},
                        {"opt=33553920 pbs=?", true},
                        {"opt=33553920 pbs=9223372036854775807", true},
                        /* not quite */
                        {"opt=16775168", false}, /* 32764 × 512 */
                        {"opt=65024", false},    /* 127 × 512 */
                        /* 16 MiB and more */
                        {"opt=16M", true},
                        {"opt=32M", true},
                        {"opt=1G", true},
                        {"opt=9223372036854775807", true},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                check_disk(cases[i].settings, cases[i].implausible);
}

#define SIXTEEN      "d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 da db dc dd de df"
#define RAID0_OF_16M "disk " SIXTEEN "; md md0 raid0 1M " SIXTEEN ";"
#define RAID0_OF_10M "disk e0 e1 e2 e3 e4; md md1 raid0 2M e0 e1 e2 e3 e4;"
#define RAID0_OF_14M "disk f0 f1 f2 f3 f4 f5 f6; md md2 raid0 2M f0 f1 f2 f3 f4 f5 f6;"

/* A stripe, or a least common multiple of stripes, excuses every clause. */
static void test_io_opt_of_stripes(void **state) {
        static const struct limits_case cases[] = {
                        {RAID0_OF_16M "set md0 opt=16M min=1M", "md0", false},
                        {RAID0_OF_16M "set md0 opt=32M min=1M", "md0", true},
                        {RAID0_OF_16M "map dm-0 0 9 linear md0 0; set dm-0 opt=16M", "dm-0", false},
                        {RAID0_OF_16M "map dm-0 0 9 linear md0 0; map dm-1 0 9 crypt c k 0 dm-0 0; set dm-1 opt=16M",
                                        "dm-1", false},
                        {RAID0_OF_16M "part md0p1 md0 2048; map dm-0 0 9 linear md0p1 0; set dm-0 opt=16M", "dm-0",
                                        false},
                        /* it has to be at or beneath the layer */
                        {RAID0_OF_16M "set d0 opt=16M", "d0", true},
                        {RAID0_OF_16M "disk x; map dm-0 0 9 linear x 0; set dm-0 opt=16M", "dm-0", true},
                        /* no multiple of io_min, but a stripe: a map whose parts have other chunks */
                        {RAID0_OF_10M "map dm-0 0 9 linear md1 0; set dm-0 opt=10M min=4M", "dm-0", false},
                        {RAID0_OF_10M "set md1 opt=10M pbs=4M", "md1", false},
                        /* over several arrays the kernel takes the least common multiple */
                        {RAID0_OF_10M RAID0_OF_14M
                                        "map dm-0 0 9 linear md1 0; map dm-0 9 9 linear md2 0; set dm-0 opt=70M",
                                        "dm-0", false},
                        {RAID0_OF_10M RAID0_OF_14M
                                        "map dm-0 0 9 linear md1 0; map dm-0 9 9 linear md2 0; set dm-0 opt=24M",
                                        "dm-0", true},
                        {RAID0_OF_10M RAID0_OF_14M "map dm-0 0 9 linear md1 0; set dm-0 opt=70M", "dm-0", true},
                        {RAID0_OF_10M RAID0_OF_16M
                                        "map dm-0 0 9 linear md1 0; map dm-0 9 9 linear md0 0; set dm-0 opt=80M",
                                        "dm-0", false},
                        {RAID0_OF_10M RAID0_OF_14M RAID0_OF_16M "map dm-0 0 9 linear md1 0; map dm-0 9 9 linear md2 0; "
                                                                "map dm-0 18 9 linear md0 0; set dm-0 opt=560M",
                                        "dm-0", false},
                        /* a stripe of the map itself */
                        {"disk a b c; map dm-0 0 9 striped 3 16384 a 0 b 0 c 0; set dm-0 opt=24M", "dm-0", false},
                        {"disk a b c; map dm-0 0 9 striped 3 16384 a 0 b 0 c 0; set dm-0 opt=16M", "dm-0", true},
                        /* over arrays: what the kernel computes from its own chunks, not the sum over the legs */
                        {RAID0_OF_10M RAID0_OF_14M "map dm-0 0 9 striped 2 16384 md1 0 md2 0; set dm-0 opt=16M", "dm-0",
                                        false},
                        /* dm-raid counts all images of raid10 */
                        {"disk a b c d; map dm-0 0 9 raid raid10 1 8192 4 - a - b - c - d; set dm-0 opt=16M", "dm-0",
                                        false},
                        {"disk a b c d; map dm-0 0 9 raid raid10 1 8192 4 - a - b - c - d; set dm-0 opt=8M", "dm-0",
                                        false},
                        {"disk a b c d; map dm-0 0 9 raid raid10 1 8192 4 - a - b - c - d; set dm-0 opt=24M", "dm-0",
                                        true},
                        /* the nonsense of members goes up into the least common multiple: a multiple of one stripe is none */
                        {"disk a b c d; md md0 raid6 512K a b c d; set md0 opt=4293918720 min=512K", "md0", true},
                        {"disk a b c d; md md0 raid6 512K a b c d; set md0 opt=1M min=512K", "md0", false},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);

                print_message("%s\n", cases[i].stack);
                assert_int_equal(stack_geometry(stack, cases[i].layer)->io_opt_implausible, cases[i].implausible);
        }
}

static void test_explains(void **state) {
        static const struct {
                uint64_t stripes[4];
                size_t n;
                uint64_t bytes;
                bool explained;
        } cases[] = {
                        {{0}, 0, 4096, false},
                        {{0}, 0, 0, false},
                        {{4096}, 1, 4096, true},
                        {{4096}, 1, 8192, false},
                        {{6, 4}, 2, 12, true},
                        {{6, 4}, 2, 24, false},
                        {{6, 4}, 2, 2, false},
                        {{6, 4}, 2, 10, false},
                        {{6, 10, 15}, 3, 30, true},
                        {{4, 6, 9, 10}, 4, 36, true},
                        {{4, 6, 9, 10}, 4, 90, true},
                        {{4, 6, 9, 10}, 4, 180, true},
                        {{4, 6, 9, 10}, 4, 20, true},
                        {{4, 6, 9, 10}, 4, 72, false},
                        {{4, 4, 4}, 3, 4, true},
                        /* a multiple that overflows is none */
                        {{UINT64_C(1) << 63, 3}, 2, UINT64_C(1) << 63, true},
                        {{UINT64_C(1) << 63, 3}, 2, UINT64_C(1) << 62, false},
                        {{UINT64_MAX, UINT64_MAX - 1}, 2, 2, false},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct geometry g = {.stripes = cases[i].stripes, .n_stripes = cases[i].n};

                print_message("%zu\n", i);
                assert_int_equal(geometry_explains(&g, cases[i].bytes), cases[i].explained);
        }
}

/* More stripes than there is room for their multiples. */
static void test_explains_many(void **state) {
        static const uint64_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
        struct geometry g = {.stripes = primes, .n_stripes = ARRAY_SIZE(primes)};

        for (size_t i = 0; i < ARRAY_SIZE(primes); i++)
                assert_true(geometry_explains(&g, primes[i]));
        assert_false(geometry_explains(&g, 1));
        assert_false(geometry_explains(&g, 4));
        assert_true(geometry_explains(&g, UINT64_C(614889782588491410))); /* of all but 53 */
        assert_true(geometry_explains(&g, UINT64_C(43) * 47 * 53));
        assert_false(geometry_explains(&g, UINT64_C(43) * 47 * 53 * 2 * 2));
}

/* As measured on Linux 5.10 to 7.2. */
static void test_derive(void **state) {
        static const struct {
                const char *limits;
                uint64_t page, since_6_17, before;
        } cases[] = {
                        {"opt=0", 4096, 0, 0},
                        {"opt=?", 4096, 0, 0},
                        {"opt=786432", 4096, 3072, 3072},
                        {"opt=16773120", 4096, 65520, 65520},
                        {"opt=33553920", 4096, 131064, 131064},
                        {"opt=93323264", 4096, 364544, 364544},
                        {"opt=4293918720", 4096, 16773120, 8384512},
                        {"opt=4008706048", 4096, 15659008, 7270400},
                        {"opt=2G", 4096, 8388608, 0},
                        {"opt=33553920", 16384, 131040, 131040},
                        {"opt=33553920", 65536, 130944, 130944},
                        {"opt=5000", 4096, 16, 16},
                        /* The largest request stands in for an io_opt of 0, where the device rotates. */
                        {"rot=1 request=4M", 4096, 16384, 0},
                        {"rot=1 request=1280K", 4096, 5120, 0},
                        {"rot=1 request=130560", 4096, 504, 0}, /* 255 sectors */
                        {"rot=1 request=1280K", 65536, 5120, 0},
                        {"rot=1 request=127K", 65536, 384, 0},
                        {"rot=0 request=4M", 4096, 0, 0},
                        {"rot=? request=4M", 4096, 0, 0},
                        {"rot=1 request=?", 4096, 0, 0},
                        {"rot=1 request=4M opt=786432", 4096, 3072, 3072},
                        {"rot=1 request=4M opt=?", 4096, 0, 0},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = build_disk(cases[i].limits);
                uint64_t derived[READAHEADS_DERIVED];

                readahead_derive(stack_layer(stack, "d1"), cases[i].page, derived);
                assert_int_equal(derived[0], cases[i].since_6_17);
                assert_int_equal(derived[1], cases[i].before);
        }
}

/* What is never under 256 sectors is 256 then. */
static void test_is_derived(void **state) {
        static const struct {
                const char *limits;
                uint64_t sectors;
                bool derived;
        } cases[] = {
                        {"opt=786432", 3072, true},
                        {"opt=786432", 256, false},
                        {"opt=786432", 3064, false},
                        {"opt=64K", 256, true},
                        {"opt=64K", 248, false},
                        {"opt=0", 256, true},
                        {"opt=0", 0, false}, /* off: somebody's */
                        {"opt=0", 16384, false},
                        {"opt=4293918720", 8384512, true},
                        {"rot=1 request=4M", 16384, true},
                        {"rot=1 request=4M", 16376, false},
                        {"rot=1 request=4M", 8192, false},
                        {"rot=1 request=4M", 256, true}, /* up to 6.16 */
                        {"rot=1 request=32K", 256, true},
                        {"rot=0 request=4M", 16384, false},
                        {"rot=1 request=4M opt=786432", 16384, false},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = build_disk(cases[i].limits);

                print_message("%llu\n", (unsigned long long)cases[i].sectors);
                assert_int_equal(readahead_is_derived(stack_layer(stack, "d1"), 4096, cases[i].sectors),
                                cases[i].derived);
        }
}

#define BOGUS_DISK "disk d1; set d1 opt=33553920 ra=131064;"
#define RAID6      "disk a b c d; md md0 raid6 512K a b c d;"

static void test_readahead(void **state) {
        static const struct limits_case cases[] = {
                        {BOGUS_DISK, "d1", true},
                        {"disk d1; set d1 opt=33553920 ra=256", "d1", false},
                        {"disk d1; set d1 opt=33553920 ra=0", "d1", false},
                        {"disk d1; set d1 opt=33553920 ra=?", "d1", false},
                        {"disk d1; set d1 opt=33553920 ra=8192", "d1", false}, /* somebody's number */
                        {"disk d1; set d1 opt=33553920 ra=131072", "d1", false},
                        {"disk d1; set d1 opt=16773120 ra=65520", "d1", true},
                        {"disk d1; set d1 opt=32M ra=131072", "d1", true},
                        {"disk d1; set d1 opt=8M ra=32768", "d1", false},        /* large, but no nonsense */
                        {"disk d1; set d1 opt=65535 pbs=? ra=248", "d1", false}, /* not above the floor */
                        {"disk d1; set d1 opt=66560 pbs=4096 ra=256", "d1", false},
                        {"page 64K; disk d1; set d1 opt=33553920 ra=130944", "d1", true},
                        {"page 64K; disk d1; set d1 opt=33553920 ra=131064", "d1", false},
                        /* it goes up through all layers, whether they have the io_opt or not */
                        {BOGUS_DISK "map dm-0 0 9 linear d1 0; set dm-0 opt=33553920 ra=131064", "dm-0", true},
                        {BOGUS_DISK "map dm-0 0 9 linear d1 0; set dm-0 opt=0 ra=131064", "dm-0", true},
                        {BOGUS_DISK "part d1p1 d1 2048; map dm-0 0 9 linear d1p1 0; map dm-1 0 9 crypt c k 0 dm-0 0; "
                                    "set dm-1 ra=131064",
                                        "dm-1", true},
                        {BOGUS_DISK "map dm-0 0 9 linear d1 0; set dm-0 opt=33553920 ra=4096", "dm-0", false},
                        {BOGUS_DISK "disk d2; map dm-0 0 9 linear d2 0; set dm-0 ra=131064", "dm-0", false},
                        /* arrays of such members: all kernels, and each way of counting */
                        {RAID6 "set md0 opt=4293918720 min=512K ra=8384512", "md0", true},
                        {RAID6 "set md0 opt=4293918720 min=512K ra=16773120", "md0", true},
                        {RAID6 "set md0 opt=93323264 min=33553920 ra=364544", "md0", true},
                        {RAID6 "set md0 opt=4008706048 min=33553920 ra=7270400", "md0", true},
                        {RAID6 "set md0 opt=4008706048 min=33553920 ra=15659008", "md0", true},
                        {RAID6 "set md0 opt=4293918720 min=512K ra=4096", "md0", false},
                        {RAID6 "set md0 opt=4293918720 min=512K; map dm-0 0 9 linear md0 0; set dm-0 ra=8384512",
                                        "dm-0", true},
                        /* a real stripe as large as that */
                        {RAID0_OF_16M "set md0 opt=16M min=1M ra=65536", "md0", false},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);

                print_message("%s\n", cases[i].stack);
                assert_int_equal(stack_geometry(stack, cases[i].layer)->readahead_implausible, cases[i].implausible);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_io_opt_of_a_disk),
                        cmocka_unit_test(test_io_opt_of_stripes),
                        cmocka_unit_test(test_explains),
                        cmocka_unit_test(test_explains_many),
                        cmocka_unit_test(test_derive),
                        cmocka_unit_test(test_is_derived),
                        cmocka_unit_test(test_readahead),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
