/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/mdattr.h"

static void test_pair(void **state) {
        static const struct {
                const char *text;
                bool known, pair;
                int64_t value, old;
        } cases[] = {
                        {"4", true, false, 4, 0},
                        {"0", true, false, 0, 0},
                        {"-1", true, false, -1, 0},
                        {"5 (4)", true, true, 5, 4},
                        {"65536 (131072)", true, true, 65536, 131072},
                        {"-1 (2)", true, true, -1, 2},
                        {"", false, false, 0, 0},
                        {"none", false, false, 0, 0},
                        {" 4", false, false, 0, 0},
                        {"+4", false, false, 0, 0},
                        {"-", false, false, 0, 0},
                        {"4 ", false, false, 0, 0},
                        {"4x", false, false, 0, 0},
                        {"5(4)", false, false, 0, 0},
                        {"5 (4", false, false, 0, 0},
                        {"5 ()", false, false, 0, 0},
                        {"5 (4) 3", false, false, 0, 0},
                        {"5 (x)", false, false, 0, 0},
                        {"99999999999999999999", false, false, 0, 0},
                        {"5 (99999999999999999999)", false, false, 0, 0},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct opt_int old = opt_some(7), n = mdattr_parse_pair(cases[i].text, &old);

                print_message("\"%s\"\n", cases[i].text);
                assert_int_equal(n.known, cases[i].known);
                assert_int_equal(n.value, cases[i].value);
                assert_int_equal(old.known, cases[i].pair);
                assert_int_equal(old.value, cases[i].old);
        }
}

static void test_progress(void **state) {
        static const struct {
                const char *text;
                int64_t done, total; /* 0, 0: unknown */
        } cases[] = {
                        {"73216 / 262144", 73216, 262144},
                        {"0 / 8", 0, 8},
                        {"8 / 8", 8, 8},
                        {"none", 0, 0},
                        {"delayed", 0, 0},
                        {"", 0, 0},
                        {"8", 0, 0},
                        {"8 / ", 0, 0},
                        {"8/16", 0, 0},
                        {"8 / 16 x", 0, 0},
                        {"9 / 8", 0, 0},
                        {"-1 / 8", 0, 0},
                        {"0 / 0", 0, 0},
                        {"1 / 99999999999999999999", 0, 0},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct opt_int done = opt_some(7), total = opt_some(7);

                mdattr_parse_progress(cases[i].text, &done, &total);
                print_message("\"%s\"\n", cases[i].text);
                assert_int_equal(done.known, cases[i].total > 0);
                assert_int_equal(total.known, cases[i].total > 0);
                assert_int_equal(done.value, cases[i].done);
                assert_int_equal(total.value, cases[i].total);
        }
}

static void test_layout_names(void **state) {
        assert_string_equal(mdattr_layout_name(KIND_MD_RAID5, 2), "left-symmetric");
        assert_string_equal(mdattr_layout_name(KIND_MD_RAID5, 5), "parity-last");
        assert_string_equal(mdattr_layout_name(KIND_MD_RAID6, 0), "left-asymmetric");
        assert_string_equal(mdattr_layout_name(KIND_MD_RAID6, 18), "left-symmetric-6");
        assert_string_equal(mdattr_layout_name(KIND_MD_RAID6, 10), "ddf-N-continue");
        assert_string_equal(mdattr_layout_name(KIND_MD_RAID6, 20), "parity-first-6");
        assert_null(mdattr_layout_name(KIND_MD_RAID6, 6));
        assert_null(mdattr_layout_name(KIND_MD_RAID6, 21));
        assert_null(mdattr_layout_name(KIND_MD_RAID5, 6));
        assert_null(mdattr_layout_name(KIND_MD_RAID5, 18));
        assert_null(mdattr_layout_name(KIND_MD_RAID5, -1));
        assert_null(mdattr_layout_name(KIND_MD_RAID10, 2));
}

static void test_states(void **state) {
        static const struct {
                const char *text;
                unsigned states;
        } cases[] = {
                        {"in_sync", MD_MEMBER_IN_SYNC},
                        {"faulty", MD_MEMBER_FAULTY},
                        {"spare", MD_MEMBER_SPARE},
                        {"in_sync,journal", MD_MEMBER_IN_SYNC | MD_MEMBER_JOURNAL},
                        {"spare,replacement", MD_MEMBER_SPARE | MD_MEMBER_REPLACEMENT},
                        {"in_sync,want_replacement", MD_MEMBER_IN_SYNC},
                        {"in_sync,write_mostly,failfast,blocked",
                                        MD_MEMBER_IN_SYNC | MD_MEMBER_WRITE_MOSTLY | MD_MEMBER_BLOCKED},
                        {"", 0},
                        {",", 0},
                        {",,faulty,", MD_MEMBER_FAULTY},
                        {"in_syncs,in_syn", 0},
                        {"faulty spare", 0},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                print_message("\"%s\"\n", cases[i].text);
                assert_int_equal(mdattr_parse_states(cases[i].text), cases[i].states);
        }
}

static void test_slot(void **state) {
        static const struct {
                const char *text;
                int slot;
        } cases[] = {
                        {"0", 0},
                        {"11", 11},
                        {"none", -1},
                        {"journal", -1},
                        {"", -1},
                        {"-1", -1},
                        {"-2", -1},
                        {"1x", -1},
                        {"2147483648", -1},
                        {"2147483647", 2147483647},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                print_message("\"%s\"\n", cases[i].text);
                assert_int_equal(mdattr_parse_slot(cases[i].text), cases[i].slot);
        }
}

static void test_kind(void **state) {
        static const struct {
                const char *level, *metadata, *array_state;
                enum layer_kind kind;
        } cases[] = {
                        {"raid0", "1.2", "clean", KIND_MD_RAID0},
                        {"raid1", "0.90", "active", KIND_MD_RAID1},
                        {"raid4", "1.2", "clean", KIND_MD_RAID4},
                        {"raid5", "1.2", "read-auto", KIND_MD_RAID5},
                        {"raid6", "1.2", "write-pending", KIND_MD_RAID6},
                        {"raid6 (raid5)", "1.2", "clean", KIND_MD_RAID6},
                        {"raid10", NULL, NULL, KIND_MD_RAID10},
                        {"linear", "1.2", "clean", KIND_MD_LINEAR},
                        {"multipath", "1.2", "clean", KIND_MD_LINEAR},
                        {"raid0", "1.2", "broken", KIND_MD_RAID0},
                        {"raid1", "external:/md127/1", "active", KIND_MD_RAID1},
                        {"raid1", "external:-md127/1", "readonly", KIND_MD_RAID1},
                        {"", "external:imsm", "inactive", KIND_MD_CONTAINER},
                        {"", "external:ddf", NULL, KIND_MD_CONTAINER},
                        {"container", "external:imsm", "clean", KIND_MD_CONTAINER},
                        {"", "external:/md127/1", "inactive", KIND_MD_INACTIVE},
                        {"", "1.2", "inactive", KIND_MD_INACTIVE},
                        {"raid5", "1.2", "inactive", KIND_MD_INACTIVE},
                        {"raid5", "1.2", "clear", KIND_MD_INACTIVE},
                        {"", NULL, NULL, KIND_MD_INACTIVE},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct md_info md = {.level = cases[i].level,
                                .metadata = cases[i].metadata,
                                .array_state = cases[i].array_state};

                print_message("%s, %s\n", cases[i].level, cases[i].metadata ?: "");
                assert_int_equal(mdattr_kind(&md), cases[i].kind);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_pair),
                        cmocka_unit_test(test_progress),
                        cmocka_unit_test(test_layout_names),
                        cmocka_unit_test(test_states),
                        cmocka_unit_test(test_slot),
                        cmocka_unit_test(test_kind),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
