/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/layer.h"
#include "tests/support/stack.h"

static void test_private_volumes(void **state) {
        static const struct {
                const char *lv, *suffix;
                bool private;
        } cases[] = {
                        {"lv0", "", false},
                        {"lv-0", "", false},
                        {"root_data", "", false},
                        {"my_pool", "", false},
                        {"mirror", "", false},
                        {"rimage", "", false},
                        {"a_pvmove", "", false},
                        {"meta", "", false},
                        /* by uuid */
                        {"lv0", "real", true},
                        {"lv0", "cow", true},
                        {"pool", "tpool", true},
                        {"pool", "pool", true},
                        {"pool_tdata", "tdata", true},
                        {"pool_tmeta", "tmeta", true},
                        {"pool_cdata", "cdata", true},
                        {"vdo0", "vpool", true},
                        {"lv0", "whatever-comes-next", true},
                        /* by name only, as LVM gives images of a raid no suffix */
                        {"lv0_rimage_0", "", true},
                        {"lv0_rmeta_11", "", true},
                        {"lv0_mimage_1", "", true},
                        {"lv0_mlog", "", true},
                        {"pool_tdata", "", true},
                        {"pool_tmeta", "", true},
                        {"pool_cdata", "", true},
                        {"pool_cmeta", "", true},
                        {"cache_cvol", "", true},
                        {"lv0_corig", "", true},
                        {"lv0_wcorig", "", true},
                        {"lv0_imeta", "", true},
                        {"lv0_iorig", "", true},
                        {"lvol0_pmspare", "", true},
                        {"vpool0_vdata", "", true},
                        {"lv0_vorigin", "", true},
                        {"lv0_tdata_rimage_0", "", true},
                        {"pvmove0", "", true},
                        {"pvmove12", "", true},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char text[128];

                snprintf(text, sizeof(text), "map dm-0; lv dm-0 vg-0/%s %s", cases[i].lv, cases[i].suffix);
                print_message("%s\n", text);
                _cleanup_(stack_freep) struct stack *stack = stack_build(text);
                assert_int_equal(layer_is_private_volume(stack_layer(stack, "dm-0")), cases[i].private);
        }
}

/* Only maps that are LVM's. */
static void test_not_lvm(void **state) {
        _cleanup_(stack_freep) struct stack *stack =
                        stack_build("disk pvmove0; map dm-0; set dm-0 dmname=vg0-pool_tdata uuid=CRYPT-LUKS2-00; map "
                                    "dm-1; set dm-1 dmname=pvmove0;"
                                    "md md0 raid1 0 - -");

        assert_false(layer_is_private_volume(stack_layer(stack, "pvmove0")));
        assert_false(layer_is_private_volume(stack_layer(stack, "dm-0")));
        assert_false(layer_is_private_volume(stack_layer(stack, "dm-1")));
        assert_false(layer_is_private_volume(stack_layer(stack, "md0")));
}

static void test_uses(void **state) {
        static const struct {
                const char *uses;
                bool swap, past;
                const char *fs;
        } cases[] = {
                        {"", false, false, NULL},
                        {"mount a /a xfs", false, false, NULL},
                        {"mount a /a btrfs", false, true, "btrfs"},
                        {"mount a /a btrfs; mount a /b btrfs", false, true, "btrfs"},
                        {"mount a /a bcachefs", false, true, "bcachefs"},
                        {"mount a /a fuseblk", false, true, "fuseblk"},
                        {"mount a /a btrfs; mount a /b ext4", false, false, NULL},
                        {"mount a /a ext4; mount a /b btrfs", false, false, NULL},
                        {"mount a /a btrfsx", false, false, NULL},
                        {"swap a", true, false, NULL},
                        {"swap a; mount a /a btrfs", true, false, NULL},
                        {"mount a /a xfs; swap a", true, false, NULL},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char text[128];
                const char *fs = NULL;

                snprintf(text, sizeof(text), "disk a; %s", cases[i].uses);
                print_message("%s\n", text);
                _cleanup_(stack_freep) struct stack *stack = stack_build(text);
                assert_int_equal(layer_is_swap(stack_layer(stack, "a")), cases[i].swap);
                assert_int_equal(layer_reads_past_device(stack_layer(stack, "a"), NULL), cases[i].past);
                assert_int_equal(layer_reads_past_device(stack_layer(stack, "a"), &fs), cases[i].past);
                if (cases[i].past)
                        assert_string_equal(fs, cases[i].fs);
        }
}

/* A device of a file system that the mount table names another device of. */
static void test_use_that_udev_knows(void **state) {
        static const struct {
                const char *stack, *filesystem;
                bool past;
        } cases[] = {
                        {"disk a", NULL, false},
                        {"disk a", "btrfs", true},
                        {"disk a", "bcachefs", true},
                        {"disk a", "xfs", false},
                        {"disk a; mount a /a ext4", "btrfs", false},
                        {"disk a; swap a", "btrfs", false},
                        {"disk a; map dm-0 0 9 linear a 0", "btrfs", false},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);
                const char *fs = NULL;

                print_message("%s\n", cases[i].stack);
                stack_layer(stack, "a")->filesystem = cases[i].filesystem;
                assert_int_equal(layer_reads_past_device(stack_layer(stack, "a"), &fs), cases[i].past);
                assert_ptr_equal(fs, cases[i].past ? cases[i].filesystem : NULL);
        }
}

static void test_describe_array(void **state) {
        static const struct {
                const char *stack, *layer, *text;
        } cases[] = {
                        {"disk a b c d; md md0 raid5 256K a b c d", "md0", "raid5 4 × 256 KiB"},
                        {"disk a b; md md0 raid0 1M a b", "md0", "raid0 2 × 1 MiB"},
                        {"disk a b c; md md0 raid6 64K a b c - -", "md0", "raid6 5 × 64 KiB"},
                        {"disk a b; md md0 raid1 0 a b", "md0", "raid1 2 disks"},
                        {"disk a b; md md0 raid1 64K a b", "md0", "raid1 2 disks"}, /* a chunk that means nothing */
                        {"disk a b; md md0 linear 64K a b", "md0", "linear 2 disks"},
                        {"disk a b; map dm-0 0 9 striped 2 128 a 0 b 0", "dm-0", "striped 2 × 64 KiB"},
                        {"disk a b c; map dm-0 0 9 raid raid5_ls 1 128 3 - a - b - c", "dm-0", "raid5 3 × 64 KiB"},
                        {"disk a b c d m; map dm-0 0 9 raid raid10 1 8 4 m a - b - c - d", "dm-0", "raid10 4 × 4 KiB"},
                        {"disk a", "a", ""},
                        {"disk a; map dm-0 0 9 linear a 0", "dm-0", ""},
                        {"map dm-0", "dm-0", ""},
                        {"disk a; md md0 raid5 64K a -; set md0 disks=?", "md0", ""},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);

                print_message("%s\n", cases[i].stack);
                assert_string_equal(
                                layer_describe_array(stack_layer(stack, cases[i].layer), stack->arena), cases[i].text);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_private_volumes),
                        cmocka_unit_test(test_not_lvm),
                        cmocka_unit_test(test_uses),
                        cmocka_unit_test(test_use_that_udev_knows),
                        cmocka_unit_test(test_describe_array),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
