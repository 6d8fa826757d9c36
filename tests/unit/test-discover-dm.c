/* SPDX-License-Identifier: MIT */

/* Discovery of device-mapper's tables and status, over small captured roots. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/layer.h"
#include "tests/support/discovery.h"

static void test_maps(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("md0", "9:0"),
                        TREE_DISK("md1", "9:1"),
                        TREE_MAP("dm-0", "253:0", "vg--1-my\\x20lv", LVM_UUID),
                        TREE_MAP("dm-1", "253:1", "a\\x2cb", "CRYPT-LUKS2-0123-a"),
                        TREE_MAP("dm-2", "253:2", "a: b", ""),
                        TREE_MAP("dm-4", "253:4", "mixed", ""),
                        TREE_MAP("dm-5", "253:5", "vg--1-tp-tpool", LVM_UUID "-tpool"),
                        {"sys/class/block/dm-1/dm/suspended", "1\n"},
                        {"dmsetup/table", "not a table\n"
                                          "vg--1-my lv: 0 100 linear 9:0 2048\n"
                                          "vg--1-my lv: 100 50 linear 9:1 4096\n"
                                          "a\\x2cb: 0 8 crypt aes-xts-plain64 00 0 253:0 32768\n"
                                          "a: b: 0 8 linear 253:1 0\n"
                                          "mixed: 0 8 linear 9:0 0\n"
                                          "mixed: 8 8 striped 2 128 9:0 8 9:1 0\n"
                                          "vg--1-tp-tpool: 0 8 thin-pool 9:1 9:0 512 0"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discovery_read(*state);

        const struct layer *lv = discovery_find(topology, "dm-0");
        assert_int_equal(lv->kind, KIND_DM_LINEAR);
        assert_string_equal(lv->dm->name, "vg--1-my lv");
        assert_string_equal(lv->dm->vg, "vg-1");
        assert_string_equal(lv->dm->lv, "my lv");
        assert_string_equal(lv->label, "vg-1/my lv");
        assert_null(lv->dm->lvm_suffix);
        assert_true(lv->dm->has_table && lv->dm->tables_known && !lv->dm->suspended);
        assert_int_equal(lv->dm->n_segments, 2);
        assert_int_equal(lv->dm->segments[1].start_sectors, 100);
        assert_ptr_equal(lv->dm->segments[1].legs[0].layer, discovery_find(topology, "md1"));
        assert_int_equal(lv->n_below, 2);

        assert_int_equal(discovery_find(topology, "dm-1")->kind, KIND_DM_CRYPT);
        assert_true(discovery_find(topology, "dm-1")->dm->suspended);
        assert_ptr_equal(discovery_find(topology, "dm-1")->below[0], lv);
        assert_ptr_equal(discovery_find(topology, "dm-2")->below[0], discovery_find(topology, "dm-1"));
        assert_int_equal(discovery_find(topology, "dm-4")->kind, KIND_DM_MIXED);
        assert_string_equal(discovery_find(topology, "dm-5")->dm->lvm_suffix, "tpool");
}

/* From a capture's own file or a report's; what is of other maps or places is passed over. */
static void test_raid_status(void **state) {
        static const struct {
                const char *path, *text;
                bool reshaping;
        } cases[] = {
                        {"dmsetup/status", "lv: 0 8 raid raid5_ls 3 aaa 0/8 reshape 0 0 -\n", true},
                        {"dmsetup/status", "vg: \nzero: 0 8 zero \nlv: 0 8 raid raid5_ls 3 aaa 0/8 reshape 0 0 -\n",
                                        true},
                        {"dmsetup/status", "lv: 0 8 raid raid5_ls 3 AAA 8/8 idle 0 0 -\n", false},
                        {"dmsetup/status", "lv: 8 8 raid raid5_ls 3 aaa 0/8 reshape 0 0 -\n", false},
                        {"dmsetup/status", "lv: 0 9 raid raid5_ls 3 aaa 0/8 reshape 0 0 -\n", false},
                        {"dmsetup/status", "lv: 0 8 linear \n", false},
                        {"dmsetup/status", "lv: \n", false},
                        {"dmsetup/status", "other: 0 8 raid raid5_ls 3 aaa 0/8 reshape 0 0 -\n", false},
                        {"dmsetup/status", "", false},
                        {"sos_commands/devicemapper/dmsetup_status", "lv: 0 8 raid raid5_ls 3 aaa 0/8 reshape 0 0 -\n",
                                        true},
        };
        static const struct tree_file files[] = {
                        TREE_DISK("sda", "8:0"),
                        TREE_MAP("dm-0", "253:0", "lv", LVM_UUID),
                        TREE_MAP("dm-1", "253:1", "zero", ""),
                        {"dmsetup/table", "lv: 0 8 raid raid5_ls 1 128 3 - 8:0 - 8:16 - 8:32\nzero: 0 8 zero \n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(topology_freep) struct topology *topology = NULL;

                print_message("%s", cases[i].text);
                tree_write(*state, cases[i].path, cases[i].text);
                topology = discovery_read(*state);
                assert_int_equal(discovery_find(topology, "dm-0")->dm->segments[0].reshaping, cases[i].reshaping);
                tree_remove(*state, cases[i].path);
        }
}

static void test_multipath_status(void **state) {
        static const struct tree_file files[] = {
                        TREE_DISK("sda", "8:0"),
                        TREE_MAP("dm-0", "253:0", "mp", "mpath-x"),
                        {"dmsetup/table", "mp: 0 8 multipath 1 queue_if_no_path 0 1 1 round-robin 0 1 1 8:0 1000\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        for (unsigned i = 0; i < 3; i++) {
                _cleanup_(topology_freep) struct topology *topology = NULL;
                const struct dm_paths *paths;

                if (i > 0)
                        tree_write(*state, "dmsetup/status",
                                        i == 1 ? "mp: 0 8 multipath 2 0 0 0 1 1 E 0 1 1 8:0 F 1 0\n"
                                               : "mp: 0 9 multipath 2 0 0 0 1 1 E 0 1 1 8:0 F 1 0\n");
                topology = discovery_read(*state);
                paths = &discovery_find(topology, "dm-0")->dm->segments[0].paths;
                assert_int_equal(paths->known, i == 1);
                assert_int_equal(paths->n, i == 1);
                assert_int_equal(paths->n_active, 0);
        }
}

/* No table, one that does not parse, and one that the file lacks. */
static void test_maps_in_part(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("md0", "9:0"),
                        TREE_MAP("dm-3", "253:3", "empty", ""),
                        TREE_MAP("dm-6", "253:6", "broken", ""),
                        TREE_MAP("dm-7", "253:7", "absent", "mpath-3600"),
                        {"dmsetup/table", "empty: \n"
                                          "broken: 0 8 linear /dev/md0 0\n"
                                          "stranger: 0 8 linear 9:0 0"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discovery_read(*state);

        const struct layer *empty = discovery_find(topology, "dm-3");
        assert_int_equal(empty->kind, KIND_DM_UNKNOWN);
        assert_true(empty->dm->tables_known && !empty->dm->has_table);

        const struct layer *broken = discovery_find(topology, "dm-6");
        assert_int_equal(broken->kind, KIND_DM_LINEAR);
        assert_int_equal(broken->n_below, 0);
        assert_true(discovery_has_note(topology, "dm-6"));

        const struct layer *absent = discovery_find(topology, "dm-7");
        assert_int_equal(absent->kind, KIND_DM_MULTIPATH);
        assert_false(absent->dm->tables_known);
        assert_true(discovery_has_note(topology, "dm-7"));
}

/* With numbers, the names in sysfs and in the table need have nothing to do with each other. */
static void test_maps_by_number(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("md0", "9:0"),
                        TREE_MAP("dm-0", "253:0", "one", "uuid:1"),
                        TREE_MAP("dm-1", "253:1", "two", ""),
                        TREE_MAP("dm-2", "253:2", "three", ""),
                        {"dmsetup/info", "other:name:uuid:1:253:0:L--w:0:1:0\n"
                                         "second::253:1:L--w:0:1:0\n"
                                         "::::\n"
                                         "x:999:999:253\n"
                                         "third:253:2\n"},
                        {"dmsetup/table", "other:name: 0 8 linear 9:0 0\n"
                                          "second: 0 8 striped 1 8 9:0 0\n"
                                          "third: 0 8 snapshot-origin 9:0\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discovery_read(*state);
        assert_int_equal(discovery_find(topology, "dm-0")->kind, KIND_DM_LINEAR);
        assert_int_equal(discovery_find(topology, "dm-1")->kind, KIND_DM_STRIPED);
        assert_int_equal(discovery_find(topology, "dm-2")->kind, KIND_DM_SNAPSHOT_ORIGIN);
}

static void test_maps_of_report(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("md0", "9:0"),
                        TREE_MAP("dm-0", "253:0", "lv", LVM_UUID),
                        {"sos_commands/devicemapper/dmsetup_status", "lv: 0 8 striped \n"},
                        {"sos_commands/devicemapper/dmsetup_table", "No devices found\n"},
                        {"sos_commands/devicemapper/dmsetup_table_--target",
                                        "# a comment\n\nlv: 0 8 linear 9:0 2048\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discovery_read(*state);
        assert_int_equal(discovery_find(topology, "dm-0")->kind, KIND_DM_LINEAR);
        assert_opt(opt_some((int64_t)discovery_find(topology, "dm-0")->dm->segments[0].legs[0].offset_sectors), 2048);
}

/* Then sysfs still says what a map lies over, and some uuids what it is. */
static void test_maps_without_tables(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct {
                const char *name;
                enum layer_kind kind;
        } cases[] = {
                        {"dm-0", KIND_DM_UNKNOWN},
                        {"dm-1", KIND_DM_CRYPT},
                        {"dm-2", KIND_DM_VERITY},
                        {"dm-3", KIND_DM_MULTIPATH},
                        {"dm-4", KIND_DM_INTEGRITY},
                        {"dm-5", KIND_DM_UNKNOWN},
        };
        static const struct tree_file files[] = {
                        TREE_DISK("md0", "9:0"),
                        TREE_MAP("dm-0", "253:0", "lv", LVM_UUID),
                        TREE_MAP("dm-1", "253:1", "luks", "CRYPT-LUKS1-00-luks"),
                        TREE_MAP("dm-2", "253:2", "verity", "CRYPT-VERITY-00-verity"),
                        TREE_MAP("dm-3", "253:3", "mpatha", "mpath-3600"),
                        TREE_MAP("dm-4", "253:4", "integrity", "CRYPT-INTEGRITY-integrity"),
                        TREE_DISK("dm-5", "253:5"),
                        {"sys/class/block/dm-5/dm/suspended", "0\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        tree_link(*state, "sys/class/block/dm-0/slaves/md0", "../../md0");
        topology = discovery_read(*state);
        assert_true(discovery_has_note(topology, "dmsetup/table"));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct layer *layer = discovery_find(topology, cases[i].name);

                assert_int_equal(layer->kind, cases[i].kind);
                assert_false(layer->dm->tables_known);
                assert_false(layer->dm->has_table);
        }
        assert_ptr_equal(discovery_find(topology, "dm-0")->below[0], discovery_find(topology, "md0"));
        assert_string_equal(discovery_find(topology, "dm-5")->label, "dm-5");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        DISCOVERY_TEST(test_maps),
                        DISCOVERY_TEST(test_raid_status),
                        DISCOVERY_TEST(test_multipath_status),
                        DISCOVERY_TEST(test_maps_in_part),
                        DISCOVERY_TEST(test_maps_by_number),
                        DISCOVERY_TEST(test_maps_of_report),
                        DISCOVERY_TEST(test_maps_without_tables),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
