/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/topology-private.h"
#include "tests/support/stack.h"

static const char *below(const struct stack *stack, const char *name) {
        const struct layer *layer = stack_layer(stack, name);

        return stack_names(stack, (const struct layer *const *)layer->below, layer->n_below);
}

static void test_add_and_find(void **state) {
        _cleanup_(topology_freep) struct topology *t = topology_new();
        struct layer *one, *two, *none = NULL;

        assert_int_equal(topology_add(t, "cciss!c0d0", &one), 0);
        assert_string_equal(one->name, "cciss/c0d0");
        assert_string_equal(one->sysname, "cciss!c0d0");
        assert_int_equal(topology_add(t, "cciss/c0d0", &two), 0);
        assert_ptr_equal(one, two);
        assert_int_equal(topology_add(t, "cciss!c0d1", &two), 0);
        assert_ptr_not_equal(one, two);
        assert_int_equal(t->n_layers, 2);
        assert_ptr_equal(topology_find(t, "cciss!c0d0"), one);
        assert_ptr_equal(topology_find(t, "cciss/c0d0"), one);
        assert_null(topology_find(t, "cciss"));
        assert_null(topology_find(t, "cciss/c0d"));
        assert_null(topology_find(t, ""));

        assert_int_equal(topology_add(t, "", &none), -EINVAL);
        assert_null(none);
        assert_int_equal(t->n_layers, 2);
}

static void test_many_names(void **state) {
        _cleanup_(topology_freep) struct topology *t = topology_new();
        char name[32];

        for (int round = 0; round < 2; round++)
                for (int i = 0; i < 20000; i++) {
                        struct layer *layer;

                        snprintf(name, sizeof(name), "dm-%d", i);
                        assert_int_equal(topology_add(t, name, &layer), 0);
                        assert_int_equal(layer->index, i);
                        assert_string_equal(layer->name, name);
                }
        assert_int_equal(t->n_layers, 20000);
        assert_int_equal(topology_finish(t), 0);
        assert_string_equal(topology_find(t, "dm-19999")->name, "dm-19999");
        assert_string_equal(t->layers[10]->name, "dm-10");
        assert_string_equal(t->layers[9]->name, "dm-9");
}

static void test_empty(void **state) {
        _cleanup_(topology_freep) struct topology *t = topology_new();

        assert_int_equal(t->page_bytes, 4096);
        assert_false(t->memory_bytes.known);
        assert_null(topology_find_devno(t, 8, 0));
        assert_int_equal(topology_finish(t), 0);
        assert_null(topology_find_devno(t, 8, 0));
        assert_null(topology_find_path(t, "/dev/sda"));
        assert_null(topology_find_path(t, ""));
        assert_null(topology_find_path(t, "/dev/"));
        assert_null(topology_find_path(t, "/dev/mapper/"));
        topology_free(NULL);
}

static void test_find_devno(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(
                        "disk d0 d1 d2; md md3 raid1 0 d0 d1; map dm-4; disk h5; set h5 nodev; set d2 nodev");
        const struct layer *md = stack_layer(stack, "md3");

        assert_ptr_equal(topology_find_devno(stack->topology, md->major, md->minor), md);
        assert_ptr_equal(topology_find_devno(stack->topology, 8, 0), stack_layer(stack, "d0"));
        assert_ptr_equal(topology_find_devno(stack->topology, 8, 1), stack_layer(stack, "d1"));
        assert_null(topology_find_devno(stack->topology, 8, 2));
        assert_null(topology_find_devno(stack->topology, md->major, md->minor + 1));
        assert_null(topology_find_devno(stack->topology, 0, 0));
        assert_null(topology_find_devno(stack->topology, UINT32_MAX, UINT32_MAX));
}

static void test_find_path(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(
                        "disk d1 cciss!c0d0; map dm-0 0 9 linear d1 0; lv dm-0 vg-one/root-a; map dm-1 0 9 linear d1 0;"
                        "map dm-2 0 9 linear d1 0; set dm-2 dmname=a,b=c; map dm-3 0 9 linear d1 0; lv dm-3 vg/lv real;"
                        "map dm-4 0 9 linear d1 0; set dm-4 dmname=d1; map dm-6; set dm-6 dmname=\xaf\xfa;"
                        "map dm-7; set dm-7 dmname=q\\xg0\\xfg\\x0; map dm-5 0 9 linear d1 0; set dm-5 "
                        "dmname=donn\xc3\xa9"
                        "es");
        static const struct {
                const char *path, *layer;
        } cases[] = {
                        {"dm-0", "dm-0"},
                        {"/dev/dm-0", "dm-0"},
                        {"d1", "d1"},
                        {"/dev/d1", "d1"},
                        {"/dev/cciss/c0d0", "cciss/c0d0"},
                        {"cciss!c0d0", "cciss/c0d0"},
                        {"/dev/mapper/vg--one-root--a", "dm-0"},
                        {"vg--one-root--a", "dm-0"},
                        {"/dev/vg-one/root-a", "dm-0"},
                        {"vg-one/root-a", "dm-0"},
                        {"/dev/mapper/my disk", "dm-1"},
                        {"/dev/mapper/my\\x20disk", "dm-1"},
                        {"my disk", "dm-1"},
                        {"my\\x20disk", "dm-1"},
                        {"/dev/mapper/a\\x2cb=c", "dm-2"},
                        {"/dev/mapper/a\\x2Cb\\x3dc", "dm-2"},
                        {"/dev/mapper/donn\\xc3\\xa9"
                         "es",
                                        "dm-5"},
                        {"/dev/mapper/vg-lv-real", "dm-3"},
                        {"/dev/mapper/\\xaf\\xFa", "dm-6"},
                        {"/dev/mapper/\\xAF\\xfA", "dm-6"},
                        {"/dev/mapper/q\\xg0\\xfg\\x0", "dm-7"}, /* no mangling: there is nothing to undo */
                        /* a kernel name wins over a map's, but not in /dev/mapper */
                        {"d1", "d1"},
                        {"/dev/mapper/d1", "dm-4"},
                        {"/dev/mapper/dm-0", NULL},
                        {"/dev/mapper/my\\x20dis", NULL},
                        {"/dev/mapper/my\\x20diskk", NULL},
                        {"/dev/mapper/my\\x2", NULL},
                        {"/dev/mapper/my\\x", NULL},
                        {"/dev/mapper/my\\", NULL},
                        {"vg-one/root", NULL},
                        {"vg--one/root--a", NULL},
                        {"/dev/vg/lv", NULL}, /* the volume itself is not here, only the map that LVM keeps beneath it */
                        {"/dev/dm-00", NULL},
                        {"/dev//dm-0", NULL},
                        {"/swapfile", NULL},
                        {"nonsense", NULL},
                        {"", NULL},
        };

        /* A name with a blank does not fit the language of the stack. */
        stack_layer(stack, "dm-1")->dm->name = "my disk";
        assert_int_equal(topology_label(stack->topology), 0);
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct layer *layer = topology_find_path(stack->topology, cases[i].path);

                print_message("%s\n", cases[i].path);
                assert_string_equal(layer ? layer->name : "", cases[i].layer ?: "");
        }
}

static void test_labels(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build(
                        "disk d1 cciss!c0d0; map dm-0; lv dm-0 vg0/lv0; map dm-1; lv dm-1 a-b/c--d; map dm-2; lv dm-2 "
                        "vg/snap real;"
                        "map dm-3; set dm-3 dmname=vg0-lv0 uuid=CRYPT-PLAIN-x; map dm-4; set dm-4 dmname= ; map dm-5;"
                        "lv dm-5 vg/pool tpool; map dm-6; lv dm-6 vg/pool_tdata; map dm-7; lv dm-7 vg/pool_tdata tdata;"
                        "set dm-7 dmname=vg-pool_tdata; md md127 raid1 0 d1 -");
        static const struct {
                const char *layer, *label;
        } cases[] = {
                        {"d1", "d1"}, {"cciss/c0d0", "cciss/c0d0"}, {"md127", "md127"}, {"dm-0", "vg0/lv0"},
                        {"dm-1", "a-b/c--d"}, {"dm-2", "vg/snap-real"}, /* not to be taken for vg/snap */
                        {"dm-3", "vg0-lv0"},                            /* no LVM map: its own name */
                        {"dm-4", "dm-4"}, {"dm-5", "vg/pool-tpool"}, {"dm-6", "vg/pool_tdata"},
                        {"dm-7", "vg/pool_tdata"}, /* the suffix is in its uuid only */
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                assert_string_equal(stack_layer(stack, cases[i].layer)->label, cases[i].label);
}

static void test_references(void **state) {
        static const struct {
                const char *stack, *layer, *below;
        } cases[] = {
                        {"disk d1 d2; map dm-0 0 9 striped 2 128 d2 0 d1 0", "dm-0", "d2 d1"},
                        {"disk d1; map dm-0 0 9 linear d1 0; map dm-0 9 9 linear d1 99", "dm-0", "d1"},
                        {"disk d1; map dm-0 0 9 linear d1 0; over dm-0 d1", "dm-0", "d1"},
                        {"disk d1; map dm-0 0 9 linear 250:77 0; map dm-0 9 9 linear d1 0", "dm-0", "d1"},
                        {"disk d1 d2 d3; md md0 raid5 64K d1 d2 d3", "md0", "d1 d2 d3"},
                        {"disk d1; md md0 raid1 0 d1 gone", "md0", "d1"},
                        {"disk d1 d2; md md0 raid1 0 d1 d2:faulty", "md0", "d1 d2"},
                        {"disk d1; part d1p1 d1 2048", "d1p1", "d1"},
                        {"disk d1 m1 c1; map dm-0 0 9 cache m1 c1 d1 128 0 smq 0", "dm-0", "m1 c1 d1"},
                        {"disk d1 d2; other drbd0 drbd d1; over drbd0 d2", "drbd0", "d1 d2"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack = stack_build(cases[i].stack);

                print_message("%s\n", cases[i].stack);
                assert_true(stack_is_in_order(stack->topology));
                assert_string_equal(below(stack, cases[i].layer), cases[i].below);
        }
}

/* A hostile name of a member is "cciss!c0d0" in md/dev-…, "cciss/c0d0" once undone. */
static void test_member_with_a_slash(void **state) {
        _cleanup_(stack_freep) struct stack *stack = stack_build("disk cciss!c0d0; md md0 raid1 0 cciss/c0d0 -");

        assert_string_equal(below(stack, "md0"), "cciss/c0d0");
}

/* Files of loop devices; d1 is /, d2 /srv, and so on. */
static void test_loop_files(void **state) {
        static const char mounts[] =
                        "disk d1 d2 d3 d4 d5 d6; md md1 raid1 0 d5 d6; mount d1 / ext4; mount d2 /srv xfs; mount d3 "
                        "/srv/a xfs;"
                        "mount d4 /srv/b\\sc btrfs; mount d2 /over xfs; mount d3 /over xfs; map dm-0 0 9 linear d1 0;"
                        "lv dm-0 vg/lv; mount dm-0 /bt btrfs; loop loop0 ";
        static const struct {
                const char *file, *below;
        } cases[] = {
                        {"/img", "d1"},
                        {"/srv/img", "d2"},
                        {"/srv/a/img", "d3"},
                        {"/srv/a", "d3"},
                        {"/srv/ab", "d2"}, /* not below /srv/a */
                        {"/srv/ab/img", "d2"},
                        {"/srvimg", "d1"},
                        {"/srv/b\\sc/my\\simg", "d4"},
                        {"/srv/b\\scd/img", "d2"},
                        {"/over/img", "d3"}, /* the later mount covers the earlier one */
                        {"/bt/img", "dm-0"},
                        {"/srv/a/img\\s(deleted)", "d3"},
                        {"/dev/md1", "md1"},
                        {"/dev/mapper/vg-lv", "dm-0"},
                        {"/dev/vg/lv", "dm-0"},
                        {"/dev/dm-0", "dm-0"},
                        {"/dev/shm/img", ""}, /* memory */
                        {"/dev/md1x", ""},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char text[1024];

                print_message("%s\n", cases[i].file);
                snprintf(text, sizeof(text), "%s%s", mounts, cases[i].file);
                _cleanup_(stack_freep) struct stack *stack = stack_build(text);
                assert_string_equal(below(stack, "loop0"), cases[i].below);
                assert_true(stack_is_in_order(stack->topology));
        }
}

static void test_find_file_without_root(void **state) {
        _cleanup_(topology_freep) struct topology *t = topology_new();
        static const struct mount mounts[] = {
                        {.path = "/srv/", .fs = "xfs", .major = 8},
                        {.path = "/nfs", .fs = "nfs4", .source = "host:/x", .major = 0, .minor = 50},
                        {.path = "/anon", .fs = "btrfs", .source = NULL, .major = 0, .minor = 51},
                        {.path = "/gone", .fs = "ext4", .source = "/dev/sdz", .major = 65, .minor = 9},
        };
        struct layer *disk;

        assert_int_equal(topology_add(t, "sda", &disk), 0);
        disk->has_devno = true;
        disk->major = 8;
        for (size_t i = 0; i < ARRAY_SIZE(mounts); i++)
                assert_int_equal(topology_add_mount(t, &mounts[i]), 0);
        assert_int_equal(topology_finish(t), 0);

        assert_ptr_equal(topology_find_file(t, "/srv/img"), disk);
        assert_ptr_equal(topology_find_file(t, "/srv"), disk);
        assert_null(topology_find_file(t, "/srv2/img"));
        assert_null(topology_find_file(t, "/home/img"));
        assert_null(topology_find_file(t, "/nfs/img"));
        assert_null(topology_find_file(t, "/anon/img"));
        assert_null(topology_find_file(t, "/gone/img"));
        assert_null(topology_find_file(t, ""));
        assert_null(topology_find_file(t, "relative"));
}

static void test_uses(void **state) {
        _cleanup_(stack_freep) struct stack *stack =
                        stack_build("disk d1 d2 d3; md md0 raid1 0 d1 d2; map dm-0 0 9 linear md0 0; lv dm-0 vg/lv; "
                                    "mount dm-0 /srv btrfs;"
                                    "mount dm-0 /bind btrfs; mount dm-0 /srv btrfs; mount md0 /md xfs; swap d3; part "
                                    "d2p1 d2 8; mount d2p1 /p xfs");
        const struct layer *map = stack_layer(stack, "dm-0"), *swap = stack_layer(stack, "d3");

        assert_true(stack_is_in_order(stack->topology));
        assert_int_equal(map->n_uses, 2); /* one place counts once */
        assert_string_equal(map->uses[0].path, "/srv");
        assert_string_equal(map->uses[0].fs, "btrfs");
        assert_string_equal(map->uses[1].path, "/bind");
        assert_int_equal(swap->n_uses, 1);
        assert_int_equal(swap->uses[0].type, USE_SWAP);
        assert_null(swap->uses[0].path);
        assert_true(swap->top);
        assert_true(map->top);
        assert_true(stack_layer(stack, "md0")->top); /* in use, though something lies over it */
        assert_true(stack_layer(stack, "d2p1")->top);
        assert_false(stack_layer(stack, "d1")->top);
        assert_false(stack_layer(stack, "d2")->top);
        assert_int_equal(stack_layer(stack, "d2")->n_uses, 0);
}

static void test_swap_paths(void **state) {
        static const struct {
                const char *path;
                size_t n_uses;
        } cases[] = {
                        {"/dev/dm-0", 1},
                        {"/dev/mapper/vg-lv", 1},
                        {"/dev/vg/lv", 1},
                        {"/swapfile", 0},
                        {"/dev/dm-00", 0},
                        {"/dev/mapper/vg", 0},
                        {"/dev/dm-0x", 0},
                        {"", 0},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(stack_freep) struct stack *stack =
                                stack_build("disk d1; map dm-0 0 9 linear d1 0; lv dm-0 vg/lv");

                print_message("%s\n", cases[i].path);
                assert_int_equal(topology_add_swap(stack->topology, cases[i].path), 0);
                assert_int_equal(topology_find_uses(stack->topology), 0);
                assert_int_equal(stack_layer(stack, "dm-0")->n_uses, cases[i].n_uses);
        }
}

static void test_notes(void **state) {
        _cleanup_(topology_freep) struct topology *t = topology_new();
        size_t n = 0;

        for (int i = 0; i < 50000; i++)
                assert_int_equal(topology_add_note(t, "note %d%%", i), 0);
        for (const struct topology_note *note = t->notes; note; note = note->next)
                n++;
        assert_int_equal(n, 50000);
        assert_string_equal(t->notes->text, "note 0%");
        assert_string_equal(t->notes->next->text, "note 1%");
}

/* The caller's strings may go. */
static void test_mount_is_copied(void **state) {
        _cleanup_(topology_freep) struct topology *t = topology_new();
        char path[] = "/srv", fs[] = "xfs", source[] = "/dev/sda", swap[] = "/dev/sdb";
        struct mount mount = {.path = path, .fs = fs, .source = source, .major = 8, .minor = 3};

        assert_int_equal(topology_add_mount(t, &mount), 0);
        assert_int_equal(topology_add_swap(t, swap), 0);
        memset(path, 'x', sizeof(path) - 1);
        memset(fs, 'x', sizeof(fs) - 1);
        memset(source, 'x', sizeof(source) - 1);
        memset(swap, 'x', sizeof(swap) - 1);
        assert_string_equal(t->mounts[0].path, "/srv");
        assert_string_equal(t->mounts[0].fs, "xfs");
        assert_string_equal(t->mounts[0].source, "/dev/sda");
        assert_int_equal(t->mounts[0].minor, 3);
        assert_string_equal(t->swaps[0], "/dev/sdb");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_add_and_find),
                        cmocka_unit_test(test_many_names),
                        cmocka_unit_test(test_empty),
                        cmocka_unit_test(test_find_devno),
                        cmocka_unit_test(test_find_path),
                        cmocka_unit_test(test_labels),
                        cmocka_unit_test(test_references),
                        cmocka_unit_test(test_member_with_a_slash),
                        cmocka_unit_test(test_loop_files),
                        cmocka_unit_test(test_find_file_without_root),
                        cmocka_unit_test(test_uses),
                        cmocka_unit_test(test_swap_paths),
                        cmocka_unit_test(test_notes),
                        cmocka_unit_test(test_mount_is_copied),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
