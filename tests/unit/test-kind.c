/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/kind.h"

/* The names are part of the policy language and of the JSON: this list is theirs, not that of kind.c. */
static const char *const all[] = {
                "disk",
                "partition",
                "md-raid0",
                "md-raid1",
                "md-raid4",
                "md-raid5",
                "md-raid6",
                "md-raid10",
                "md-linear",
                "md-container",
                "md-inactive",
                "dm-linear",
                "dm-striped",
                "dm-crypt",
                "dm-raid0",
                "dm-raid1",
                "dm-raid4",
                "dm-raid5",
                "dm-raid6",
                "dm-raid10",
                "dm-mirror",
                "dm-thin-pool",
                "dm-thin",
                "dm-snapshot",
                "dm-snapshot-origin",
                "dm-cache",
                "dm-writecache",
                "dm-integrity",
                "dm-verity",
                "dm-multipath",
                "dm-vdo",
                "dm-delay",
                "dm-unknown",
                "dm-mixed",
                "loop",
                "bcache",
                "drbd",
                "nbd",
                "rbd",
                "zram",
                "zvol",
                "rom",
};

static void test_names(void **state) {
        assert_int_equal(ARRAY_SIZE(all), _KIND_MAX - 1);
        for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
                enum layer_kind kind = kind_from_name(all[i]);

                print_message("%s\n", all[i]);
                assert_int_not_equal(kind, KIND_UNKNOWN);
                assert_string_equal(kind_name(kind), all[i]);
        }
}

static void test_no_names(void **state) {
        static const char *const names[] = {
                        "", "md", "dm", "dm-", "md-raid", "md-raid50", "MD-RAID5", "unknown", "raid5", "*"};

        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
                assert_int_equal(kind_from_name(names[i]), KIND_UNKNOWN);
}

static void test_families(void **state) {
        for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
                enum layer_kind kind = kind_from_name(all[i]);
                bool md = strncmp(all[i], "md-", 3) == 0, dm = strncmp(all[i], "dm-", 3) == 0;

                print_message("%s\n", all[i]);
                assert_int_equal(kind_is_md(kind), md);
                assert_int_equal(kind_is_dm(kind), dm);
                assert_int_equal(kind_matches(kind, "md"), md);
                assert_int_equal(kind_matches(kind, "dm"), dm);
                assert_int_equal(kind_matches(kind, "md-*"), md);
                assert_int_equal(kind_matches(kind, "dm-*"), dm);
                assert_true(kind_matches(kind, "*"));
                assert_true(kind_matches(kind, all[i]));
        }
}

static void test_patterns(void **state) {
        static const struct {
                enum layer_kind kind;
                const char *pattern;
                bool matches;
        } cases[] = {
                        {KIND_MD_RAID5, "md-raid[56]", true},
                        {KIND_MD_RAID6, "md-raid[56]", true},
                        {KIND_MD_RAID4, "md-raid[56]", false},
                        {KIND_MD_RAID10, "md-raid1", false},
                        {KIND_MD_RAID10, "md-raid1*", true},
                        {KIND_MD_RAID1, "md-raid1*", true},
                        {KIND_MD_RAID1, "*-raid1", true},
                        {KIND_DM_RAID1, "*-raid1", true},
                        {KIND_DM_THIN, "dm-thin", true},
                        {KIND_DM_THIN_POOL, "dm-thin", false},
                        {KIND_DM_THIN_POOL, "dm-thin*", true},
                        {KIND_DM_CRYPT, "dm-cryp?", true},
                        {KIND_DISK, "disk", true},
                        {KIND_DISK, "dis", false},
                        {KIND_DISK, "", false},
                        {KIND_LOOP, "md", false},
                        {KIND_LOOP, "[", false},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                print_message("%s %s\n", kind_name(cases[i].kind), cases[i].pattern);
                assert_int_equal(kind_matches(cases[i].kind, cases[i].pattern), cases[i].matches);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_names),
                        cmocka_unit_test(test_no_names),
                        cmocka_unit_test(test_families),
                        cmocka_unit_test(test_patterns),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
