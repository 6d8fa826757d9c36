/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "common/fingerprint.h"
#include "tests/support/stack.h"

static uint64_t fingerprint(const char *text, const char *name) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(text);
        uint64_t number = stack_fingerprint(stack_layer(stack, name));

        assert_true(number != 0);
        return number;
}

/* Numbers that setrad has written down must be those that it works out later, in another process or version. */
static void test_known_numbers(void **state) {
        assert_true(fingerprint("disk a", "a") == UINT64_C(0xed388ad2e00a89af));
        assert_true(fingerprint("disk a b; md md0 raid0 64K a b; map dm-0 0 8192 linear md0 2048", "dm-0") ==
                        UINT64_C(0xaaab6b3fecdc0e0e));
}

#define ARRAY "disk a b c d; md md0 raid5 64K a b c; "
#define LV    ARRAY "map dm-0 0 8192 linear md0 2048"

#define IMAGES "disk a b c d; "
#define RAID5  "map dm-0 0 8192 raid raid5_ls 1 128 3 - "

/* Each is the stack above with one thing changed. */
static void test_differences(void **state) {
        static const char *const stacks[] = {
                        LV,
                        /* the map's segments: start, length, target, leg's offset, leg, number */
                        ARRAY "map dm-0 8 8192 linear md0 2048",
                        ARRAY "map dm-0 0 8184 linear md0 2048",
                        ARRAY "map dm-0 0 8192 delay md0 2048 5",
                        ARRAY "map dm-0 0 8192 linear md0 4096",
                        ARRAY "map dm-0 0 8192 linear d 2048",
                        LV "; map dm-0 8192 8192 linear md0 10240",
                        ARRAY "map dm-0 0 8192 linear 99:99 2048",
                        /* its size, and that of the array beneath */
                        LV "; set dm-0 size=1M",
                        LV "; set md0 size=1G",
                        /* the array's level, chunk, number of members, layout; not known is no number */
                        "disk a b c d; md md0 raid4 64K a b c; map dm-0 0 8192 linear md0 2048",
                        "disk a b c d; md md0 raid5 128K a b c; map dm-0 0 8192 linear md0 2048",
                        "disk a b c d; md md0 raid5 64K a b c d; map dm-0 0 8192 linear md0 2048",
                        LV "; set md0 layout=2",
                        LV "; set md0 layout=?",
                        /* what is in between */
                        ARRAY "part md0p1 md0 2048; map dm-0 0 8192 linear md0p1 2048",
                        ARRAY "part md0p1 md0 4096; map dm-0 0 8192 linear md0p1 2048",
                        ARRAY "map dm-1 0 99999 linear md0 0; map dm-0 0 8192 linear dm-1 2048",
                        ARRAY "map dm-1 0 99999 linear md0 8; map dm-0 0 8192 linear dm-1 2048",
                        /* striped maps and those of target raid: chunk, data disks, role of a leg */
                        ARRAY "map dm-0 0 8192 striped 2 16 md0 0 d 0",
                        ARRAY "map dm-0 0 8192 striped 2 32 md0 0 d 0",
                        ARRAY "map dm-0 0 8192 raid raid5_ls 3 128 region_size 1024 3 - md0 - d - c",
                        ARRAY "map dm-0 0 8192 raid raid6_zr 3 128 region_size 1024 3 - md0 - d - c",
                        ARRAY "map dm-0 0 8192 snapshot md0 d P 16",
                        ARRAY "map dm-0 0 8192 snapshot d md0 P 16",
                        ARRAY "map dm-0 0 8192 raid raid5_ls 1 128 2 - md0 - d",
                        /* members of a map of target raid, its chunk, copies and their layout; what they are over */
                        ARRAY "map dm-0 0 8192 raid raid5_ls 1 128 3 - a - b - c",
                        ARRAY "map dm-0 0 8192 raid raid5_ls 1 256 3 - a - b - c",
                        ARRAY "map dm-0 0 8192 raid raid5_ls 1 128 4 - a - b - c - d",
                        ARRAY "map dm-0 0 8192 raid raid0 1 128 4 - a - b - c - d",
                        ARRAY "map dm-0 0 8192 raid raid10 1 128 4 - a - b - c - d",
                        ARRAY "map dm-0 0 8192 raid raid10 3 128 raid10_copies 2 6 - a - b - c - d - - - -",
                        ARRAY "map dm-0 0 8192 raid raid10 3 128 raid10_copies 3 6 - a - b - c - d - - - -",
                        ARRAY "map dm-0 0 8192 raid raid10 5 128 raid10_copies 2 raid10_format far 4 - a - b - c - d",
                        ARRAY
                        "map dm-0 0 8192 raid raid10 5 128 raid10_copies 2 raid10_format offset 4 - a - b - c - d",
                        ARRAY "map dm-0 0 8192 raid raid1 1 0 2 - a - b",
                        ARRAY "map dm-0 0 8192 raid raid1 1 0 3 - a - b - c",
                        ARRAY "map dm-0 0 8192 mirror core 1 1024 2 a 0 b 0",
                        ARRAY "map dm-0 0 8192 mirror core 1 1024 2 md0 0 d 0",
                        ARRAY "map dm-1 0 9999 linear md0 8; map dm-0 0 8192 raid raid1 1 0 2 - dm-1 - d",
                        ARRAY "map dm-1 0 9999 linear md0 16; map dm-0 0 8192 raid raid1 1 0 2 - dm-1 - d",
                        /* a mixed map has legs of its own */
                        ARRAY "map dm-0 0 8192 linear c 0; map dm-0 8192 8192 raid raid1 1 0 2 - a - b",
                        ARRAY "map dm-0 0 8192 linear d 0; map dm-0 8192 8192 raid raid1 1 0 2 - a - b",
                        ARRAY "map dm-0 0 8192 linear d 0; map dm-0 8192 8192 raid raid1 1 0 2 - a - b; set d size=9G",
                        ARRAY "map dm-0 0 8192 raid raid10 3 128 raid10_copies 2 4 - md0 - d - c - b",
                        ARRAY "map dm-0 0 8192 raid raid10 3 128 raid10_copies 4 4 - md0 - d - c - b",
                        /* targets that setrad does not know, and kinds within a mixed map */
                        ARRAY "map dm-0 0 8192 dust md0 2048",
                        ARRAY "map dm-0 0 8192 era md0 2048",
                        ARRAY "map dm-0 0 8192 linear md0 0; map dm-0 8192 8192 raid raid4 1 128 2 - md0 - d",
                        ARRAY "map dm-0 0 8192 linear md0 0; map dm-0 8192 8192 raid raid5_ls 1 128 2 - md0 - d",
                        /* over plain disks */
                        ARRAY "map dm-0 0 8192 linear d 2048; set d size=1G",
                        ARRAY "map dm-0 0 8192 linear d 2048; set d size=3G",
                        /* arrays below arrays */
                        "disk a b c d; md md1 raid0 64K a b; md md0 raid5 64K md1 c d; map dm-0 0 8192 linear md0 2048",
                        "disk a b c d; md md1 raid0 32K a b; md md0 raid5 64K md1 c d; map dm-0 0 8192 linear md0 2048",
                        "disk a b c d; map dm-1 0 99 striped 2 16 a 0 b 0; md md0 raid1 0 dm-1 c; "
                        "map dm-0 0 8192 linear md0 2048",
                        "disk a b c d; map dm-1 0 99 striped 2 32 a 0 b 0; md md0 raid1 0 dm-1 c; "
                        "map dm-0 0 8192 linear md0 2048",
                        /* a level that setrad does not know */
                        "disk a b c d; md md0 linear 0 a; map dm-0 0 8192 linear md0 2048",
                        "disk a b c d; md md0 faulty 0 a; map dm-0 0 8192 linear md0 2048",
                        /* a file */
                        ARRAY "mount md0 /srv xfs; loop dm-0 /srv/a",
                        ARRAY "mount md0 /srv xfs; loop dm-0 /srv/b",
                        ARRAY "mount d /srv xfs; loop dm-0 /srv/b",
        };

        for (size_t i = 0; i < ARRAY_SIZE(stacks); i++)
                for (size_t j = i + 1; j < ARRAY_SIZE(stacks); j++) {
                        print_message("%s | %s\n", stacks[i], stacks[j]);
                        assert_true(fingerprint(stacks[i], "dm-0") != fingerprint(stacks[j], "dm-0"));
                }
}

/* The same stack, whatever it is called, however it reads ahead, in whichever state it is. */
static void test_no_difference(void **state) {
        static const struct {
                const char *a, *b;
        } cases[] = {
                        {LV, LV},
                        {LV, LV "; set dm-0 ra=8192; set md0 ra=0; set a ra=?"},
                        {LV, LV "; set dm-0 min=4096 opt=131072 align=512 pbs=4096; set md0 min=1M opt=2M"},
                        {LV, LV "; set dm-0 dmname=another uuid=CRYPT-x suspended not-ready other-rules-off "
                                "given=4096"},
                        {LV, LV "; lv dm-0 vg/lv; mount dm-0 /srv xfs; swap md0"},
                        {LV, LV "; set md0 degraded=1 sync=recover"},
                        {LV, LV "; map dm-1 0 8192 linear dm-0 0; md md9 raid1 0 d"},
                        /* found in another order */
                        {LV, "map dm-0 0 8192 linear md0 2048; disk d c b; md md0 raid5 64K c a b; disk a"},
                        {"disk a b; map dm-1 0 9 linear a 0; map dm-2 0 9 linear b 0; other dm-0 bcache dm-1 dm-2",
                                        "disk a b; map dm-2 0 9 linear b 0; map dm-1 0 9 linear a 0; "
                                        "other dm-0 bcache dm-2 dm-1"},
                        /* a member fails and is replaced by one of another size, or by a partition, or is a map */
                        {LV, "disk a b c d; md md0 raid5 64K a b -; set md0 disks=3; map dm-0 0 8192 linear md0 2048"},
                        {LV, "disk a b c d; md md0 raid5 64K a b d c:spare; set d size=99T; "
                             "map dm-0 0 8192 linear md0 2048"},
                        {LV, "disk a b c d; md md0 raid5 64K a b d1; map dm-0 0 8192 linear md0 2048; part d1 d 63"},
                        {LV, "disk a b c d; md md0 raid5 64K a b dm-9; map dm-0 0 8192 linear md0 2048; "
                             "map dm-9 0 99 delay d 0 5"},
                        {"disk a b c d; md md1 raid0 64K a b; md md2 raid0 64K c d; md dm-0 raid1 0 md1 md2",
                                        "disk a b; md md1 raid0 64K a b; md dm-0 raid1 0 md1 -; set dm-0 disks=2"},
                        /* the same with a map of target raid, whose image may be missing, elsewhere, or of other size */
                        {IMAGES RAID5 "a - b - c", IMAGES RAID5 "a - b - d"},
                        {IMAGES RAID5 "a - b - c", IMAGES RAID5 "a - - - c"},
                        {IMAGES RAID5 "a - b - c", IMAGES RAID5 "a - b - c; set c size=99T"},
                        {IMAGES "map dm-1 0 99999 linear c 0; " RAID5 "a - b - dm-1",
                                        IMAGES "map dm-1 0 99999 linear d 4096; " RAID5 "a - b - dm-1"},
                        {IMAGES RAID5 "a - b - c", IMAGES "map dm-0 0 8192 raid raid5_ls 1 128 3 d a d b d c"},
                        {IMAGES "map dm-0 0 8192 raid raid1 1 0 2 - a - b",
                                        IMAGES "map dm-0 0 8192 raid raid1 1 0 2 - a - d"},
                        {IMAGES "map dm-0 0 8192 raid raid10 3 128 raid10_copies 2 4 - a - b - c - d",
                                        IMAGES "map dm-0 0 8192 raid raid10 3 128 raid10_copies 2 4 - a - b - - - d"},
                        {IMAGES "map dm-0 0 8192 mirror core 1 1024 2 a 0 b 0",
                                        IMAGES "map dm-0 0 8192 mirror disk 2 d 1024 2 a 0 c 4096"},
                        {IMAGES "map dm-2 0 8192 raid raid1 1 0 2 - a - b; map dm-0 0 8192 linear dm-2 0", IMAGES
                                        "map dm-2 0 8192 raid raid1 1 0 2 - d - b; map dm-0 0 8192 linear dm-2 0"},
                        {ARRAY "md md1 raid5 64K d - -; set md1 disks=3; map dm-0 0 8192 raid raid1 1 0 2 - md0 - md1",
                                        ARRAY "map dm-0 0 8192 raid raid1 1 0 2 - md0 - -"},
                        /* a path goes and comes */
                        {"disk a b; map dm-0 0 9 multipath 0 0 2 1 round-robin 0 1 1 a 1 round-robin 0 1 1 b 1",
                                        "disk a b; map dm-0 0 9 multipath 0 0 1 1 round-robin 0 1 1 b 1"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                print_message("%s | %s\n", cases[i].a, cases[i].b);
                assert_true(fingerprint(cases[i].a, "dm-0") == fingerprint(cases[i].b, "dm-0"));
        }
}

/* 2^40 ways down: each layer is looked at once. */
static void test_many_ways(void **state) {
        char text[4096] = "disk a; map dm-0 0 9 linear a 0";
        size_t n = strlen(text);

        for (int i = 1; i <= 40; i++)
                n += (size_t)snprintf(text + n, sizeof(text) - n,
                                "; map dm-%d 0 9 linear dm-%d 0; map dm-%d 9 9 linear dm-%d 8", i, i - 1, i, i - 1);
        assert_true(fingerprint(text, "dm-40") != fingerprint(text, "dm-39"));
}

/* What is in a cycle has a number too. */
static void test_cycle(void **state) {
        static const char text[] = "map dm-0 0 9 linear dm-1 0; map dm-1 0 9 linear dm-0 0";

        assert_true(fingerprint(text, "dm-0") == fingerprint(text, "dm-0"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_known_numbers),
                        cmocka_unit_test(test_differences),
                        cmocka_unit_test(test_no_difference),
                        cmocka_unit_test(test_many_ways),
                        cmocka_unit_test(test_cycle),
        };

        return cmocka_run_group_tests_name("fingerprint", tests, NULL, NULL);
}
