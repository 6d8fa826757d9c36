/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/dmtable.h"
#include "tests/support/stack.h"

/* A stack, one of its layers, and that layer's geometry: "CHUNK × DISKS = STRIPE of FROM…", or "none". */
struct geometry_case {
        const char *stack, *layer, *geometry;
};

static const char *describe(const struct stack *stack, const char *layer) {
        const struct geometry *g = stack_geometry(stack, layer);

        if (g->known)
                return arena_printf(stack->arena, "%llu × %u = %llu of %s", (unsigned long long)g->chunk_bytes / 1024,
                                g->data_disks, (unsigned long long)g->stripe_bytes / 1024,
                                stack_names(stack, g->from, g->n_from));
        assert_int_equal(g->chunk_bytes, 0);
        assert_int_equal(g->data_disks, 0);
        assert_int_equal(g->stripe_bytes, 0);
        assert_int_equal(g->n_from, 0);
        return "none";
}

static void check_cases(const struct geometry_case *cases, size_t n) {
        for (size_t i = 0; i < n; i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);

                print_message("%s\n", cases[i].stack);
                assert_string_equal(describe(stack, cases[i].layer), cases[i].geometry);
        }
}

static void test_data_disks(void **state) {
        static const struct {
                enum layer_kind kind;
                int64_t raid_disks, layout;
                unsigned data_disks;
        } cases[] = {
                        {KIND_MD_RAID0, 1, 0, 1},
                        {KIND_MD_RAID0, 7, -1, 7},
                        {KIND_MD_RAID4, 5, 0, 4},
                        {KIND_MD_RAID5, 2, 2, 1},
                        {KIND_MD_RAID5, 3, 2, 2},
                        {KIND_MD_RAID5, 11, 2, 10},
                        {KIND_MD_RAID6, 3, 2, 1},
                        {KIND_MD_RAID6, 4, 2, 2},
                        {KIND_MD_RAID6, 12, 2, 10},
                        /* near: whole where the copies fit, else as the kernel counts */
                        {KIND_MD_RAID10, 2, 0x102, 1},
                        {KIND_MD_RAID10, 3, 0x102, 3},
                        {KIND_MD_RAID10, 4, 0x102, 2},
                        {KIND_MD_RAID10, 5, 0x102, 5},
                        {KIND_MD_RAID10, 6, 0x102, 3},
                        {KIND_MD_RAID10, 3, 0x103, 1},
                        {KIND_MD_RAID10, 4, 0x103, 4},
                        {KIND_MD_RAID10, 5, 0x103, 5},
                        {KIND_MD_RAID10, 6, 0x103, 2},
                        {KIND_MD_RAID10, 9, 0x103, 3},
                        {KIND_MD_RAID10, 4, 0x104, 1},
                        {KIND_MD_RAID10, 5, 0x101, 5},
                        /* far and offset */
                        {KIND_MD_RAID10, 2, 0x201, 2},
                        {KIND_MD_RAID10, 3, 0x201, 3},
                        {KIND_MD_RAID10, 4, 0x201, 4},
                        {KIND_MD_RAID10, 5, 0x301, 5},
                        {KIND_MD_RAID10, 4, 0x10201, 4},
                        {KIND_MD_RAID10, 3, 0x10301, 3},
                        {KIND_MD_RAID10, 4, 0x20201, 4},
                        {KIND_DM_STRIPED, 6, 0, 6},
                        {KIND_DM_RAID0, 3, 0, 3},
                        {KIND_DM_RAID4, 3, 0, 2},
                        {KIND_DM_RAID5, 6, 0, 5},
                        {KIND_DM_RAID6, 7, 0, 5},
                        {KIND_DM_RAID10, 6, 0x102, 3},
                        {KIND_DM_RAID10, 6, 0x201, 6},
                        /* no stripe, or no sense */
                        {KIND_MD_RAID1, 2, 0, 0},
                        {KIND_MD_LINEAR, 4, 0, 0},
                        {KIND_MD_CONTAINER, 4, 0, 0},
                        {KIND_MD_INACTIVE, 4, 0, 0},
                        {KIND_DM_RAID1, 3, 0, 0},
                        {KIND_DM_LINEAR, 2, 0, 0},
                        {KIND_DISK, 1, 0, 0},
                        {KIND_MD_RAID0, 0, 0, 0},
                        {KIND_MD_RAID0, -4, 0, 0},
                        {KIND_MD_RAID5, 1, 0, 0},
                        {KIND_MD_RAID6, 2, 0, 0},
                        {KIND_MD_RAID6, 1, 0, 0},
                        {KIND_MD_RAID10, 4, 0, 0},
                        {KIND_MD_RAID10, 4, 0x100, 0},
                        {KIND_MD_RAID0, INT64_MAX, 0, 0},
                        {KIND_MD_RAID5, INT64_MIN, 0, 0},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                print_message("%s %lld %llx\n", kind_name(cases[i].kind), (long long)cases[i].raid_disks,
                                (unsigned long long)cases[i].layout);
                assert_int_equal(geometry_data_disks(cases[i].kind, cases[i].raid_disks, cases[i].layout),
                                cases[i].data_disks);
        }
}

static void test_md(void **state) {
        static const struct geometry_case cases[] = {
                        {"disk d1 d2 d3 d4; md md0 raid0 64K d1 d2 d3", "md0", "64 × 3 = 192 of md0"},
                        {"disk d1 d2 d3 d4; md md0 raid4 128K d1 d2 d3 d4", "md0", "128 × 3 = 384 of md0"},
                        {"disk d1 d2 d3 d4; md md0 raid5 512K d1 d2 d3 d4", "md0", "512 × 3 = 1536 of md0"},
                        {"disk d1 d2 d3 d4; md md0 raid6 32K d1 d2 d3 d4", "md0", "32 × 2 = 64 of md0"},
                        {"disk d1 d2 d3 d4; md md0 raid10 512K d1 d2 d3 d4", "md0", "512 × 2 = 1024 of md0"},
                        {"disk d1 d2 d3; md md0 raid10 512K d1 d2 d3", "md0", "512 × 3 = 1536 of md0"},
                        {"disk d1 d2 d3 d4; md md0 raid10 64K d1 d2 d3 d4; set md0 layout=513", "md0",
                                        "64 × 4 = 256 of md0"},
                        {"disk d1 d2 d3 d4; md md0 raid10 64K d1 d2 d3 d4; set md0 layout=66049", "md0",
                                        "64 × 4 = 256 of md0"},
                        {"disk d1 d2; md md0 raid1 0 d1 d2", "md0", "none"},
                        {"disk d1 d2; md md0 linear 0 d1 d2", "md0", "none"},
                        {"disk d1 d2; md md0 raid5 64K d1 d2 -; set md0 inactive", "md0", "none"},
                        {"disk d1 d2; md md0 raid0 64K d1 d2; set md0 container", "md0", "none"},
                        /* degraded, with spares, with a journal: the width stays */
                        {"disk d1 d2 d3; md md0 raid5 64K d1 - d3", "md0", "64 × 2 = 128 of md0"},
                        {"disk d1 d2 d3 d4; md md0 raid5 64K d1 d2 d3 d4:spare", "md0", "64 × 2 = 128 of md0"},
                        {"disk d1 d2 d3 d4 n1; md md0 raid6 64K d1 d2 d3 d4 n1:in_sync,journal", "md0",
                                        "64 × 2 = 128 of md0"},
                        {"disk d1 d2 d3; md md0 raid5 64K d1 d2 - d3:faulty", "md0", "64 × 2 = 128 of md0"},
                        /* a reshape gives no geometry */
                        {"disk d1 d2 d3 d4; md md0 raid5 64K d1 d2 d3 d4; set md0 reshape", "md0", "none"},
                        /* numbers that are missing or make no sense */
                        {"disk d1 d2 d3; md md0 raid5 64K d1 d2 d3; set md0 disks=?", "md0", "none"},
                        {"disk d1 d2 d3; md md0 raid5 64K d1 d2 d3; set md0 chunk=?", "md0", "none"},
                        {"disk d1 d2 d3; md md0 raid5 64K d1 d2 d3; set md0 chunk=0", "md0", "none"},
                        {"disk d1 d2 d3; md md0 raid5 64K d1 d2 d3; set md0 chunk=-65536", "md0", "none"},
                        {"disk d1 d2 d3; md md0 raid5 64K d1 d2 d3; set md0 chunk=9223372036854775807", "md0", "none"},
                        {"disk d1 d2 d3; md md0 raid5 64K d1 d2 d3; set md0 disks=-3", "md0", "none"},
                        {"disk d1 d2 d3; md md0 raid0 64K d1 d2 d3; set md0 disks=65536 chunk=1T", "md0", "none"},
                        {"disk d1 d2 d3; md md0 raid5 64K d1 d2 d3; set md0 disks=9223372036854775807", "md0", "none"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_maps(void **state) {
        static const struct geometry_case cases[] = {
                        {"disk d1 d2 d3; map dm-0 0 999 striped 3 128 d1 0 d2 0 d3 0", "dm-0", "64 × 3 = 192 of dm-0"},
                        {"disk d1; map dm-0 0 999 striped 1 128 d1 0", "dm-0", "none"},
                        {"disk d1 d2; map dm-0 0 999 striped 2 0 d1 0 d2 0", "dm-0", "none"},
                        {"disk d1 d2; map dm-0 0 999 striped 2 4294967296 d1 0 d2 0", "dm-0", "none"},
                        {"disk d1 d2; map dm-0 0 999 linear d1 0; map dm-0 999 999 linear d2 0", "dm-0", "none"},
                        {"disk d1 d2 d3 m1 m2 m3; map dm-0 0 999 raid raid5_ls 3 8 region_size 1024 3 m1 d1 m2 d2 m3 "
                         "d3",
                                        "dm-0", "4 × 2 = 8 of dm-0"},
                        {"disk d1 d2 d3 d4 d5; map dm-0 0 999 raid raid6_zr 1 256 5 - d1 - d2 - d3 - d4 - d5", "dm-0",
                                        "128 × 3 = 384 of dm-0"},
                        {"disk d1 d2 d3 d4 d5; map dm-0 0 999 raid raid4 1 256 5 - d1 - d2 - d3 - d4 - d5", "dm-0",
                                        "128 × 4 = 512 of dm-0"},
                        {"disk d1 d2 d3 d4; map dm-0 0 999 raid raid10 1 128 4 - d1 - d2 - d3 - d4", "dm-0",
                                        "64 × 2 = 128 of dm-0"},
                        {"disk d1 d2 d3; map dm-0 0 999 raid raid10 1 128 3 - d1 - d2 - d3", "dm-0",
                                        "64 × 3 = 192 of dm-0"},
                        {"disk d1 d2 d3 d4; map dm-0 0 999 raid raid10 5 128 raid10_copies 2 raid10_format far 4 - d1 "
                         "- d2 - d3 - d4",
                                        "dm-0", "64 × 4 = 256 of dm-0"},
                        {"disk d1 d2 d3; map dm-0 0 999 raid raid0 1 128 3 - d1 - d2 - d3", "dm-0",
                                        "64 × 3 = 192 of dm-0"},
                        {"disk d1 d2; map dm-0 0 999 raid raid1 1 0 2 - d1 - d2", "dm-0", "none"},
                        {"disk d1 d3; map dm-0 0 999 raid raid5_ls 1 128 3 - d1 - - - d3", "dm-0",
                                        "64 × 2 = 128 of dm-0"},
                        /* the largest of the segments' */
                        {"disk d1 d2 d3; map dm-0 0 99 striped 2 128 d1 0 d2 0; map dm-0 99 99 striped 3 128 d1 99 d2 "
                         "99 d3 0",
                                        "dm-0", "64 × 3 = 192 of dm-0"},
                        {"disk d1 d2 d3; map dm-0 0 99 linear d1 0; map dm-0 99 99 striped 2 512 d2 0 d3 0", "dm-0",
                                        "256 × 2 = 512 of dm-0"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

#define RAID0_OF_2 "disk a1 a2; md md0 raid0 64K a1 a2;"                                /* 128 KiB */
#define RAID5_OF_4 "disk b1 b2 b3 b4; md md1 raid5 64K b1 b2 b3 b4;"                    /* 192 KiB */
#define RAID6_OF_7 "disk c1 c2 c3 c4 c5 c6 c7; md md2 raid6 128K c1 c2 c3 c4 c5 c6 c7;" /* 640 KiB */

/* What has no stripe of its own has that of what it reads its data from. */
static void test_pass_through(void **state) {
        static const struct geometry_case cases[] = {
                        {RAID5_OF_4 "map dm-0 0 99 linear md1 2048", "dm-0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "map dm-0 0 99 crypt aes-xts-plain64 :64:logon:k 0 md1 32768", "dm-0",
                                        "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "map dm-0 0 99 delay md1 0 10", "dm-0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "map dm-0 0 99 striped 1 512 md1 0", "dm-0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "part md1p1 md1 2048; map dm-0 0 99 linear md1p1 0", "dm-0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "other bcache0 bcache md1", "bcache0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "loop loop0 /dev/md1", "loop0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "mount md1 /srv xfs; loop loop0 /srv/img", "loop0", "64 × 3 = 192 of md1"},
                        /* several segments: the widest; of equal ones all */
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 linear md0 0; map dm-0 9 9 linear md1 0", "dm-0",
                                        "64 × 3 = 192 of md1"},
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 linear md1 0; map dm-0 9 9 linear md0 0; map dm-0 18 9 "
                                               "linear md1 9",
                                        "dm-0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "disk x1; map dm-0 0 9 linear x1 0; map dm-0 9 9 linear md1 0", "dm-0",
                                        "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "disk e1 e2 e3; md md3 raid0 64K e1 e2 e3; map dm-0 0 9 linear md1 0; map dm-0 9 9 "
                                    "linear md3 0",
                                        "dm-0", "64 × 3 = 192 of md1 md3"},
                        {RAID6_OF_7 "disk e1 e2; map dm-0 0 9 linear md2 0; map dm-0 9 9 striped 2 16 e1 0 e2 0",
                                        "dm-0", "128 × 5 = 640 of md2"},
                        /* mirrors */
                        {RAID0_OF_2 RAID5_OF_4 "md md9 raid1 0 md0 md1", "md9", "64 × 3 = 192 of md1"},
                        {RAID0_OF_2 "disk a3 a4; md md3 raid0 64K a3 a4; md md9 raid1 0 md0 md3", "md9",
                                        "64 × 2 = 128 of md0 md3"},
                        {RAID0_OF_2 RAID5_OF_4 "md md9 linear 0 md0 md1", "md9", "64 × 3 = 192 of md1"},
                        {RAID0_OF_2 "disk x1 m1 m2; map dm-0 0 9 raid raid1 1 0 2 m1 md0 m2 x1", "dm-0",
                                        "64 × 2 = 128 of md0"},
                        {RAID0_OF_2 "disk x1; map dm-0 0 9 mirror core 1 1024 2 md0 0 x1 0 1 handle_errors", "dm-0",
                                        "64 × 2 = 128 of md0"},
                        {RAID0_OF_2 "disk x1; md md9 raid1 0 x1 md0:spare", "md9", "none"},
                        {RAID0_OF_2 "disk x1; md md9 raid1 0 x1 md0:faulty", "md9", "none"},
                        {RAID0_OF_2 "disk x1 x2 x3; md md9 raid5 4K x1 x2 x3 md0:journal", "md9", "4 × 2 = 8 of md9"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

/* Metadata, caches and copies-on-write are on the wider array here: they must not count. */
static void test_roles_of_legs(void **state) {
        static const struct geometry_case cases[] = {
                        {RAID5_OF_4 RAID6_OF_7 "map dm-0 0 9 thin-pool md2 md1 128 0", "dm-0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 RAID6_OF_7 "map dm-0 0 9 thin-pool md2 md1 128 0; map dm-1 0 9 thin dm-0 1", "dm-1",
                                        "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 RAID6_OF_7 "map dm-0 0 9 cache md2 md2 md1 128 0 smq 0", "dm-0",
                                        "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 RAID6_OF_7 "map dm-0 0 9 writecache s md1 md2 4096 0", "dm-0",
                                        "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 RAID6_OF_7 "map dm-0 0 9 snapshot md1 md2 P 8", "dm-0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "map dm-0 0 9 snapshot-origin md1", "dm-0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 RAID6_OF_7 "map dm-0 0 9 verity 1 md1 md2 4096 4096 9 1 sha256 00 00", "dm-0",
                                        "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 RAID6_OF_7 "map dm-0 0 9 mirror disk 2 md2 1024 1 md1 0", "dm-0",
                                        "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 RAID6_OF_7 "disk x1; map dm-0 0 9 raid raid1 1 0 2 md2 md1 md2 x1", "dm-0",
                                        "64 × 3 = 192 of md1"},
                        {"disk d1 d2; map dm-0 0 9 multipath 0 0 1 1 round-robin 0 2 1 d1 1 d2 1", "dm-0", "none"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

/* Of bcache's devices only the one that is cached counts: by its link, else by size, else the widest. */
static void test_bcache(void **state) {
        static const struct geometry_case cases[] = {
                        {RAID5_OF_4 RAID6_OF_7 "other bcache0 bcache md1 md2; backing bcache0 md1", "bcache0",
                                        "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 RAID6_OF_7 "other bcache0 bcache md2 md1; backing bcache0 md2", "bcache0",
                                        "128 × 5 = 640 of md2"},
                        {RAID5_OF_4 RAID6_OF_7 "other bcache0 bcache md1 md2; backing bcache0 md1; map dm-0 0 9 linear "
                                               "bcache0 0",
                                        "dm-0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "disk x1; other bcache0 bcache md1 x1; backing bcache0 x1", "bcache0", "none"},
                        {RAID5_OF_4 "part md1p1 md1 64; disk x1; other bcache0 bcache x1 md1p1; backing bcache0 md1p1",
                                        "bcache0", "64 × 3 = 192 of md1"},
                        /* the cache is too small, or larger than what is cached */
                        {RAID5_OF_4 RAID6_OF_7 "other bcache0 bcache md1 md2; set md1 size=1016; set md2 size=500; set "
                                               "bcache0 size=1000",
                                        "bcache0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 RAID6_OF_7 "other bcache0 bcache md2 md1; set md1 size=1016; set md2 size=5000; "
                                               "set bcache0 size=1000",
                                        "bcache0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 RAID6_OF_7 "other bcache0 bcache md1 md2; set bcache0 size=?", "bcache0",
                                        "128 × 5 = 640 of md2"},
                        {RAID5_OF_4 RAID6_OF_7 "other bcache0 bcache md1 md2; set md1 size=?; set md2 size=?",
                                        "bcache0", "128 × 5 = 640 of md2"},
                        /* only bcache has such a device */
                        {RAID5_OF_4 RAID6_OF_7 "other drbd0 drbd md1 md2; set md1 size=1016; set drbd0 size=1000; set "
                                               "md2 size=500",
                                        "drbd0", "128 × 5 = 640 of md2"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_unknown_targets(void **state) {
        static const struct geometry_case cases[] = {
                        {RAID5_OF_4 "map dm-0 0 9 flashcache md1 none x", "dm-0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "map dm-0 0 9 flashcache md1 md1 x", "dm-0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "disk n1; map dm-0 0 9 flashcache md1 n1 x", "dm-0", "none"},
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 flashcache md1 md0 x", "dm-0", "none"},
                        /* the second device is one that is not known here: still several */
                        {RAID5_OF_4 "map dm-0 0 9 flashcache md1 7:77 x", "dm-0", "none"},
                        {RAID5_OF_4 "disk n1; map dm-0 0 9 flashcache md1 none; over dm-0 md1 n1", "dm-0", "none"},
                        /* no numbers in the table: what sysfs links */
                        {RAID5_OF_4 "map dm-0 0 9 vendor some thing; over dm-0 md1", "dm-0", "64 × 3 = 192 of md1"},
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 vendor some thing; over dm-0 md1 md0", "dm-0", "none"},
                        {"map dm-0 0 9 vendor some thing", "dm-0", "none"},
                        {"map dm-0 0 9 error", "dm-0", "none"},
                        /* beside a known target each segment stands for itself */
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 linear md0 0; map dm-0 9 9 vendor md1 md0", "dm-0",
                                        "64 × 2 = 128 of md0"},
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 linear md0 0; map dm-0 9 9 vendor md1", "dm-0",
                                        "64 × 3 = 192 of md1"},
                        /* tables that can't be read */
                        {RAID5_OF_4 "map dm-0; set dm-0 no-tables; over dm-0 md1", "dm-0", "64 × 3 = 192 of md1"},
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0; set dm-0 no-tables; over dm-0 md1 md0", "dm-0", "none"},
                        {"map dm-0", "dm-0", "none"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

/* A stripe over stripes needs the sum over its legs. */
static void test_nested_stripes(void **state) {
        static const struct geometry_case cases[] = {
                        {RAID0_OF_2 "disk a3 a4; md md3 raid0 64K a3 a4; map dm-0 0 9 striped 2 128 md0 0 md3 0",
                                        "dm-0", "64 × 4 = 256 of dm-0 md0 md3"},
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 striped 2 128 md0 0 md1 0", "dm-0",
                                        "64 × 5 = 320 of dm-0 md0 md1"},
                        /* different chunks: no one chunk */
                        {RAID5_OF_4 RAID6_OF_7 "map dm-0 0 9 striped 2 128 md1 0 md2 0", "dm-0",
                                        "0 × 8 = 832 of dm-0 md1 md2"},
                        {RAID0_OF_2 RAID5_OF_4 RAID6_OF_7 "map dm-0 0 9 striped 3 8 md0 0 md1 0 md2 0", "dm-0",
                                        "0 × 10 = 960 of dm-0 md0 md1 md2"},
                        /* an array and a plain disk */
                        {RAID5_OF_4 "disk x1; map dm-0 0 9 striped 2 128 md1 0 x1 0", "dm-0",
                                        "64 × 4 = 256 of dm-0 md1"},
                        {RAID5_OF_4 "disk x1; map dm-0 0 9 striped 2 256 x1 0 md1 0", "dm-0",
                                        "0 × 4 = 320 of dm-0 md1"},
                        /* a chunk that takes in whole stripes of its leg */
                        {RAID0_OF_2 "disk a3 a4; md md3 raid0 64K a3 a4; map dm-0 0 9 striped 2 256 md0 0 md3 0",
                                        "dm-0", "128 × 2 = 256 of dm-0"},
                        /* through layers between */
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 linear md0 0; part md1p1 md1 2048;"
                                               "map dm-1 0 9 striped 2 128 dm-0 0 md1p1 0; map dm-2 0 9 linear dm-1 0",
                                        "dm-2", "64 × 5 = 320 of dm-1 md0 md1"},
                        /* raid0 over raid5 */
                        {RAID5_OF_4 "disk e1 e2 e3; md md3 raid5 64K e1 e2 e3; md md9 raid0 64K md1 md3", "md9",
                                        "64 × 5 = 320 of md9 md1 md3"},
                        /* raid5 over raid0: as many legs as hold data, the widest */
                        {RAID0_OF_2 "disk a3 a4 a5 a6; md md3 raid0 64K a3 a4; md md4 raid0 64K a5 a6; md md9 raid5 "
                                    "64K md0 md3 md4",
                                        "md9", "64 × 4 = 256 of md9 md0 md3 md4"},
                        {RAID0_OF_2 RAID5_OF_4 RAID6_OF_7 "md md9 raid5 64K md0 md1 md2", "md9",
                                        "0 × 8 = 832 of md9 md0 md1 md2"},
                        {RAID0_OF_2 "disk x1 x2; md md9 raid5 64K x1 md0 x2", "md9", "64 × 3 = 192 of md9 md0"},
                        /* raid6 and raid10 over raid0 */
                        {RAID0_OF_2 "disk f1 f2 f3 f4 f5 f6; md md3 raid0 64K f1 f2; md md4 raid0 64K f3 f4; md md5 "
                                    "raid0 64K f5 f6;"
                                    "md md9 raid6 64K md0 md3 md4 md5",
                                        "md9", "64 × 4 = 256 of md9 md0 md3 md4 md5"},
                        {RAID0_OF_2 "disk f1 f2 f3 f4 f5 f6; md md3 raid0 64K f1 f2; md md4 raid0 64K f3 f4; md md5 "
                                    "raid0 64K f5 f6;"
                                    "md md9 raid10 64K md0 md3 md4 md5",
                                        "md9", "64 × 4 = 256 of md9 md0 md3 md4 md5"},
                        /* raid0 over raid1: the members' mirrors have no stripe */
                        {"disk d1 d2 d3 d4; md md0 raid1 0 d1 d2; md md1 raid1 0 d3 d4; md md9 raid0 256K md0 md1",
                                        "md9", "256 × 2 = 512 of md9"},
                        /* dm-raid over arrays */
                        {RAID0_OF_2 "disk a3 a4 a5 a6; md md3 raid0 64K a3 a4; md md4 raid0 64K a5 a6;"
                                    "map dm-0 0 9 raid raid5_ls 1 128 3 - md0 - md3 - md4",
                                        "dm-0", "64 × 4 = 256 of dm-0 md0 md3 md4"},
                        /* three storeys: 2 × (2 × 128) */
                        {RAID0_OF_2 "disk f1 f2 f3 f4 f5 f6; md md3 raid0 64K f1 f2; md md4 raid0 64K f3 f4; md md5 "
                                    "raid0 64K f5 f6;"
                                    "map dm-0 0 9 striped 2 128 md0 0 md3 0; map dm-1 0 9 striped 2 128 md4 0 md5 0;"
                                    "map dm-2 0 9 striped 2 128 dm-0 0 dm-1 0",
                                        "dm-2", "64 × 8 = 512 of dm-2 dm-0 md0 md3 dm-1 md4 md5"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_graphs(void **state) {
        static const struct geometry_case cases[] = {
                        /* shared members, diamonds */
                        {"disk d1 d2; part d1p1 d1 2048; part d1p2 d1 4096; part d2p1 d2 2048; part d2p2 d2 4096;"
                         "md md0 raid0 64K d1p1 d2p1; md md1 raid0 128K d1p2 d2p2; map dm-0 0 9 linear md0 0;"
                         "map dm-0 9 9 linear md1 0",
                                        "dm-0", "128 × 2 = 256 of md1"},
                        {RAID5_OF_4 "map dm-0 0 9 linear md1 0; map dm-1 0 9 linear md1 9; md md9 raid1 0 dm-0 dm-1",
                                        "md9", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "map dm-0 0 9 linear md1 0; map dm-1 0 9 linear md1 9; map dm-2 0 9 mirror core 1 "
                                    "1024 2 dm-0 0 dm-1 0",
                                        "dm-2", "64 × 3 = 192 of md1"},
                        /* cycles are never followed */
                        {"map dm-0 0 9 linear dm-0 0", "dm-0", "none"},
                        {"map dm-0 0 9 linear dm-1 0; map dm-1 0 9 linear dm-0 0", "dm-0", "none"},
                        {"map dm-0 0 9 striped 2 128 dm-0 0 dm-1 0; map dm-1 0 9 linear dm-0 0", "dm-1", "none"},
                        {"disk d1; md md0 raid0 64K md1 d1; md md1 raid0 64K md0 d1; map dm-0 0 9 linear md0 0", "dm-0",
                                        "64 × 2 = 128 of md0"},
                        {"loop loop0 /dev/loop0", "loop0", "none"},
                        /* what is healthy beneath a cycle still counts, for the layer that lies on it */
                        {RAID5_OF_4 "map dm-0 0 9 linear md1 0; map dm-0 9 9 linear dm-1 0; map dm-1 0 9 linear dm-0 0",
                                        "dm-0", "64 × 3 = 192 of md1"},
                        {RAID5_OF_4 "map dm-0 0 9 linear md1 0; map dm-0 9 9 linear dm-1 0; map dm-1 0 9 linear dm-0 0",
                                        "dm-1", "none"},
                        {RAID5_OF_4 "map dm-0 0 9 linear md1 0; map dm-0 9 9 linear dm-0 0; map dm-1 0 9 linear dm-0 0",
                                        "dm-1", "64 × 3 = 192 of md1"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

#define LVM_RAID5 "disk r1 r2 r3 r4; map dm-0 0 9 raid raid5_ls 1 128 4 - r1 - r2 - r3 - r4;"

/* Device-mapper's own arrays: no geometry at or above them while they are reshaped. */
static void test_reshaped_maps(void **state) {
        static const struct geometry_case cases[] = {
                        {LVM_RAID5 "status dm-0 raid5_ls 4 AAAA 9/9 idle 0 0 -", "dm-0", "64 × 3 = 192 of dm-0"},
                        {LVM_RAID5 "status dm-0 raid5_ls 4 aaaa 0/9 reshape 0 0 -", "dm-0", "none"},
                        {LVM_RAID5 "status dm-0 raid5_ls 4 aaaa 0/9 reshape 0 0 -; map dm-1 0 9 linear dm-0 0", "dm-1",
                                        "none"},
                        {LVM_RAID5 "status dm-0 raid5_ls 3 AAAA 9/9 idle 0 0 -; map dm-1 0 9 linear dm-0 0", "dm-1",
                                        "64 × 2 = 128 of dm-0"},
                        {RAID5_OF_4 LVM_RAID5 "status dm-0 raid5_ls 4 aaaa 0/9 reshape 0 0 -; map dm-1 0 9 linear md1 "
                                              "0; map dm-1 9 9 linear dm-0 0",
                                        "dm-1", "none"},
                        {"disk r1 r2 r3; map dm-0 0 9 raid raid5_ls 3 128 delta_disks 1 3 - r1 - r2 - r3", "dm-0",
                                        "none"},
        };

        check_cases(cases, ARRAY_SIZE(cases));
}

static void test_reshape_reaches_up(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(RAID0_OF_2 RAID5_OF_4 RAID6_OF_7
                        "set md1 reshape; map dm-0 0 9 linear md1 0; map dm-1 0 9 crypt c k 0 dm-0 0;"
                        "map dm-2 0 9 striped 2 128 md0 0 md1 0; map dm-3 0 9 linear md2 0;"
                        "map dm-4 0 9 thin-pool md1 md2 128 0; mount dm-1 /srv xfs; loop loop0 /srv/img");
        static const struct {
                const char *layer;
                bool reshaping;
        } cases[] = {
                        {"md1", true}, {"dm-0", true}, {"dm-1", true}, {"dm-2", true}, {"loop0", true}, {"dm-3", false},
                        {"md0", false}, {"b1", false}, {"dm-4", false}, /* only its metadata lies there */
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct geometry *g = stack_geometry(stack, cases[i].layer);

                print_message("%s\n", cases[i].layer);
                assert_int_equal(g->reshaping, cases[i].reshaping);
                assert_true(!g->reshaping || !g->known);
        }
}

static void test_arrays_beneath(void **state) {
        static const struct {
                const char *stack, *layer, *arrays;
        } cases[] = {
                        {RAID5_OF_4 "map dm-0 0 9 linear md1 0", "dm-0", "md1"},
                        {RAID5_OF_4 "map dm-0 0 9 linear md1 0; map dm-1 0 9 crypt c k 0 dm-0 0", "dm-1", "md1"},
                        {RAID5_OF_4, "md1", ""},
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 linear md1 0; map dm-0 9 9 linear md0 0", "dm-0",
                                        "md1 md0"},
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 striped 2 128 md0 0 md1 0; map dm-1 0 9 linear dm-0 0",
                                        "dm-0", "md0 md1"},
                        /* beneath a map that is an array the md arrays, too; of several such maps the nearest only */
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 striped 2 128 md0 0 md1 0; map dm-1 0 9 linear dm-0 0",
                                        "dm-1", "dm-0 md0 md1"},
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 striped 2 128 md0 0 md1 0; disk x;"
                                               "map dm-1 0 9 raid raid1 1 0 2 - dm-0 - x; map dm-2 0 9 linear dm-1 0",
                                        "dm-2", "dm-1 md0 md1"},
                        /* beneath an md array none */
                        {RAID0_OF_2 RAID5_OF_4 "md md9 raid1 0 md0 md1; map dm-1 0 9 linear md9 0", "dm-1", "md9"},
                        {"disk d1 d2; md md0 raid1 0 d1 d2; map dm-0 0 9 linear md0 0", "dm-0", "md0"},
                        {"disk d1 d2; md md0 raid1 0 d1 d2; set md0 inactive; map dm-0 0 9 linear md0 0", "dm-0", ""},
                        {"disk d1; map dm-0 0 9 striped 1 128 d1 0; map dm-1 0 9 linear dm-0 0", "dm-1", ""},
                        {"disk d1 d2; map dm-0 0 9 raid raid1 1 0 2 - d1 - d2; map dm-1 0 9 linear dm-0 0", "dm-1",
                                        "dm-0"},
                        {RAID0_OF_2 RAID5_OF_4 "map dm-0 0 9 cache md0 md0 md1 128 0 smq 0", "dm-0", "md1"},
                        {RAID5_OF_4 "map dm-0 0 9 linear md1 0; map dm-1 0 9 linear md1 0; map dm-2 0 9 linear dm-0 0;"
                                    "map dm-2 9 9 linear dm-1 0",
                                        "dm-2", "md1"},
                        {"disk d1; map dm-0 0 9 linear d1 0", "dm-0", ""},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                const struct geometry *g = stack_geometry(stack, cases[i].layer);

                print_message("%s: %s\n", cases[i].stack, cases[i].layer);
                assert_string_equal(stack_names(stack, g->arrays, g->n_arrays), cases[i].arrays);
        }
}

/* However many there are, all are kept. */
static void test_many_stripes(void **state) {
        enum { ARRAYS = 40 };
        _cleanup_(freep) char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);

        for (int i = 1; i <= ARRAYS; i++)
                fprintf(stream, "disk a%d b%d; set a%d opt=%dM; md m%d raid0 %dK a%d b%d; map dm-0 %d 9 linear m%d 0;",
                                i, i, i, i + 15, i, 4 * i, i, i, 9 * (i - 1), i);
        assert_int_equal(fclose(stream), 0);

        _cleanup_(stack_freep) struct stack *stack = stack_build(text);
        assert_string_equal(describe(stack, "dm-0"), "160 × 2 = 320 of m40");
        assert_int_equal(stack_geometry(stack, "dm-0")->n_stripes, ARRAYS);
        assert_int_equal(stack_geometry(stack, "dm-0")->n_bogus, ARRAYS);
        assert_int_equal(stack_geometry(stack, "dm-0")->n_arrays, ARRAYS);
}

/* A map striped over N arrays of 2^50 bytes each. */
static struct topology *build_wide(unsigned n) {
        struct topology *topology = topology_new();
        _cleanup_(freep) char *params = NULL;
        struct layer *layer;
        size_t size;
        FILE *stream = open_memstream(&params, &size);

        fprintf(stream, "%u 8", n);
        for (unsigned i = 0; i < n; i++) {
                char name[16];

                snprintf(name, sizeof(name), "md%u", i);
                assert_int_equal(topology_add(topology, name, &layer), 0);
                layer->kind = KIND_MD_RAID0;
                layer->has_devno = true;
                layer->major = 9;
                layer->minor = i;
                layer->md = arena_alloc(topology->arena, sizeof(*layer->md));
                *layer->md = (struct md_info){.level = "raid0",
                                .chunk_bytes = opt_some(INT64_C(1) << 34),
                                .raid_disks = opt_some(1 << 16)};
                fprintf(stream, " 9:%u 0", i);
        }
        assert_int_equal(fclose(stream), 0);
        assert_int_equal(topology_add(topology, "dm-0", &layer), 0);
        layer->dm = arena_alloc(topology->arena, sizeof(*layer->dm));
        *layer->dm = (struct dm_info){
                        .name = "wide", .uuid = "", .has_table = true, .tables_known = true, .n_segments = 1};
        layer->dm->segments = arena_alloc(topology->arena, sizeof(*layer->dm->segments));
        assert_int_equal(dmtable_parse_target(topology->arena, 0, 9, "striped", params, layer->dm->segments), 0);
        layer->kind = KIND_DM_STRIPED;
        assert_int_equal(topology_finish(topology), 0);
        return topology;
}

/* More than a stripe can be is none: 2^14 legs of 2^50 bytes each are not one of 0 bytes. */
static void test_too_wide(void **state) {
        _cleanup_(topology_freep) struct topology *topology = build_wide(1 << 14);
        const struct layer *array = topology_find(topology, "md0"), *map = topology_find(topology, "dm-0");
        struct geometry *geometry;

        assert_int_equal(map->n_below, 1 << 14);
        assert_int_equal(geometry_compute(topology, topology->arena, &geometry), 0);
        assert_int_equal(geometry[array->index].stripe_bytes, UINT64_C(1) << 50);
        assert_false(geometry[map->index].known);
        assert_int_equal(geometry[map->index].own_stripe_bytes, 0);
}

/* Nor are 2^32 disks none. */
static void test_too_many_disks(void **state) {
        enum { STOREYS = 4, ABREAST = 16 };
        _cleanup_(stack_freep) struct stack *stack = NULL;
        _cleanup_(freep) char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);

        fputs("disk a;", stream);
        for (int i = 0; i < ABREAST; i++)
                fprintf(stream, "md m0x%d raid0 512 a; set m0x%d disks=65536;", i, i);
        for (int storey = 1; storey <= STOREYS; storey++)
                for (int i = 0; i < ABREAST; i++) {
                        fprintf(stream, "map m%dx%d 0 9 striped %d 1", storey, i, ABREAST);
                        for (int j = 0; j < ABREAST; j++)
                                fprintf(stream, " m%dx%d 0", storey - 1, j);
                        fputc(';', stream);
                }
        assert_int_equal(fclose(stream), 0);
        stack = stack_build(text);
        assert_int_equal(stack_geometry(stack, "m3x0")->data_disks, 1 << 28);
        assert_false(stack_geometry(stack, "m4x0")->known);
}

/* Depth and width: no recursion, nothing that grows with the number of ways down. */
static void test_large_graphs(void **state) {
        enum { LENGTH = 100000, STOREYS = 400 };
        _cleanup_(stack_freep) struct stack *chain = stack_build_chain(RAID5_OF_4, "md1", LENGTH);
        _cleanup_(freep) char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);

        assert_string_equal(describe(chain, "dm-99999"), "64 × 3 = 192 of md1");
        assert_int_equal(stack_layer(chain, "dm-99999")->depth, LENGTH + 1);

        /* Each storey has two maps over both of the one before: 2^400 ways down. */
        fputs(RAID5_OF_4 "map l0 0 9 linear md1 0; map r0 0 9 linear md1 9;", stream);
        for (int i = 1; i < STOREYS; i++)
                fprintf(stream,
                                "map l%d 0 9 linear l%d 0; map l%d 9 9 linear r%d 0; map r%d 0 9 mirror core 1 8 2 r%d "
                                "0 l%d 0;",
                                i, i - 1, i, i - 1, i, i - 1, i - 1);
        assert_int_equal(fclose(stream), 0);

        _cleanup_(stack_freep) struct stack *ladder = stack_build(text);
        assert_string_equal(describe(ladder, "l399"), "64 × 3 = 192 of md1");
        assert_string_equal(describe(ladder, "r399"), "64 × 3 = 192 of md1");
        assert_int_equal(stack_geometry(ladder, "l399")->n_arrays, 1);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_data_disks),
                        cmocka_unit_test(test_md),
                        cmocka_unit_test(test_maps),
                        cmocka_unit_test(test_pass_through),
                        cmocka_unit_test(test_roles_of_legs),
                        cmocka_unit_test(test_bcache),
                        cmocka_unit_test(test_unknown_targets),
                        cmocka_unit_test(test_nested_stripes),
                        cmocka_unit_test(test_graphs),
                        cmocka_unit_test(test_reshaped_maps),
                        cmocka_unit_test(test_reshape_reaches_up),
                        cmocka_unit_test(test_arrays_beneath),
                        cmocka_unit_test(test_many_stripes),
                        cmocka_unit_test(test_too_wide),
                        cmocka_unit_test(test_too_many_disks),
                        cmocka_unit_test(test_large_graphs),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
