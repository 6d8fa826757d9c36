/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/discover.h"
#include "tests/support/tree.h"

#define DISK(name, devno, diskseq)                                                                                     \
        {"sys/class/block/" name "/dev", devno "\n"}, {                                                                \
                "sys/class/block/" name "/diskseq", diskseq "\n"                                                       \
        }

#define ENTRY(comma, name, minor, diskseq, more)                                                                       \
        comma "{\"name\":\"" name "\",\"major\":8,\"minor\":" minor ",\"diskseq\":" diskseq ",\"dm_uuid\":\"\","       \
              "\"original_sectors\":256,\"previous\":null,\"change\":{" more "\"label\":\"x\",\"rule\":\"a rule\","    \
              "\"new_sectors\":3072,\"time_usec\":3,\"before_mbps\":null,\"after_mbps\":null,\"gain\":null}}"

static struct topology *discover_tree(struct tree *tree) {
        static const struct tree_file files[] = {
                        DISK("sda", "8:0", "1"),
                        DISK("sdb", "8:16", "2"),
                        DISK("sdc", "8:32", "3"),
                        DISK("sdd", "8:48", "4"),
                        DISK("sde", "8:64", "5"),
                        DISK("sdf", "8:80", "6"),
        };
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        struct topology *topology = NULL;

        tree_write_all(tree, files, ARRAY_SIZE(files));
        assert_int_equal(sysroot_open(tree_path(tree), &root), 0);
        assert_int_equal(discover(root, &topology), 0);
        return topology;
}

static void test_notes(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        _cleanup_(topology_freep) struct topology *topology = NULL;
        const struct ledger_note *note;

        /*
         * sda: all known; sdb: of an earlier version; sdc: another device; sdd: nobody knows yet; sde: is being put back;
         * sdz: gone
         */
        tree_write(tree, "run/setrad/ledger.json",
                        "{\"version\":1,\"entries\":[" ENTRY("", "sda", "0", "1",
                                        "\"pending\":false,\"stack\":\"00000000000000ff\",\"reverted\":true,")
                                        ENTRY(",", "sdb", "16", "2", "\"pending\":false,") ENTRY(
                                                        ",", "sdc", "32", "9", "\"pending\":false,") ENTRY(",", "sdd",
                                                        "48", "4", "\"pending\":true,") ENTRY(",", "sde", "64", "5",
                                                        "\"pending\":true,\"reverted\":true,")
                                                        ENTRY(",", "sdz", "99", "9", "\"pending\":false,") "]}");
        topology = discover_tree(tree);

        note = topology_find(topology, "sda")->set;
        assert_non_null(note);
        assert_int_equal(note->sectors, 3072);
        assert_string_equal(note->rule, "a rule");
        assert_true(note->stack_known);
        assert_int_equal(note->stack, 255);
        assert_true(note->reverted);

        note = topology_find(topology, "sdb")->set;
        assert_non_null(note);
        assert_int_equal(note->sectors, 3072);
        assert_false(note->stack_known);
        assert_false(note->reverted);

        assert_null(topology_find(topology, "sdc")->set);
        assert_null(topology_find(topology, "sdd")->set);
        assert_null(topology_find(topology, "sdf")->set);
        note = topology_find(topology, "sde")->set;
        assert_non_null(note);
        assert_true(note->reverted);
}

/* Nothing is known then, and the file is left to those who write it. */
static void test_damaged(void **state) {
        static const char *const texts[] = {"", "{", "{\"version\":2,\"entries\":[]}"};

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                _cleanup_(topology_freep) struct topology *topology = NULL;
                char path[512];

                tree_write(tree, "run/setrad/ledger.json", texts[i]);
                topology = discover_tree(tree);
                assert_null(topology_find(topology, "sda")->set);
                snprintf(path, sizeof(path), "%s/run/setrad/ledger.json", tree_path(tree));
                assert_int_equal(access(path, F_OK), 0);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_notes),
                        cmocka_unit_test(test_damaged),
        };

        return cmocka_run_group_tests_name("discover-ledger", tests, NULL, NULL);
}
