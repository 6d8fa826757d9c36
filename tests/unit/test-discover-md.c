/* SPDX-License-Identifier: MIT */

/* Discovery of md arrays, over small captured roots. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/layer.h"
#include "tests/support/discovery.h"

static void test_array(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("sda", "8:0"),
                        TREE_DISK("cciss!c0d0", "104:0"),
                        TREE_DISK("md0", "9:0"),
                        {"sys/class/block/md0/md/level", "raid5\n"},
                        {"sys/class/block/md0/md/chunk_size", "65536\n"},
                        {"sys/class/block/md0/md/raid_disks", "5 (4)\n"},
                        {"sys/class/block/md0/md/layout", "2\n"},
                        {"sys/class/block/md0/md/degraded", "1\n"},
                        {"sys/class/block/md0/md/sync_completed", "73216 / 262144\n"},
                        {"sys/class/block/md0/md/metadata_version", "1.2\n"},
                        {"sys/class/block/md0/md/dev-sda/slot", "0\n"},
                        {"sys/class/block/md0/md/dev-sda/state", "in_sync\n"},
                        {"sys/class/block/md0/md/dev-cciss!c0d0/slot", "1\n"},
                        {"sys/class/block/md0/md/dev-cciss!c0d0/state", "in_sync,write_mostly\n"},
                        {"sys/class/block/md0/md/dev-gone/slot", "none\n"},
                        {"sys/class/block/md0/md/dev-gone/state", "faulty\n"},
                        {"sys/class/block/md0/md/dev-odd/x", ""},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        tree_link(*state, "sys/class/block/md0/slaves/cciss!c0d0", "../../cciss!c0d0");
        tree_link(*state, "sys/class/block/md0/slaves/gone", "../../gone");
        topology = discovery_read(*state);

        const struct layer *md0 = discovery_find(topology, "md0");
        assert_int_equal(md0->kind, KIND_MD_RAID5);
        assert_int_equal(md0->n_below, 2);
        assert_opt(md0->md->chunk_bytes, 65536);
        assert_opt(md0->md->raid_disks, 5);
        assert_opt(md0->md->old.raid_disks, 4);
        assert_false(md0->md->old.chunk_bytes.known);
        assert_false(md0->md->old.layout.known);
        assert_opt(md0->md->synced_sectors, 73216);
        assert_opt(md0->md->sync_sectors, 262144);
        assert_opt(md0->md->degraded, 1);
        assert_true(md0->md->reshaping);
        assert_null(md0->md->sync_action);
        assert_null(md0->md->array_state);
        assert_string_equal(md0->md->metadata, "1.2");
        assert_int_equal(md0->md->n_members, 4);
        for (size_t i = 0; i < md0->md->n_members; i++) {
                const struct md_member *member = &md0->md->members[i];

                if (strcmp(member->name, "cciss/c0d0") == 0) {
                        assert_ptr_equal(member->layer, discovery_find(topology, "cciss/c0d0"));
                        assert_int_equal(member->slot, 1);
                        assert_int_equal(member->states, MD_MEMBER_IN_SYNC | MD_MEMBER_WRITE_MOSTLY);
                } else if (strcmp(member->name, "gone") == 0) {
                        assert_null(member->layer);
                        assert_int_equal(member->slot, -1);
                        assert_int_equal(member->states, MD_MEMBER_FAULTY);
                }
        }
}

static void test_inactive_array(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("md1", "9:1"),
                        {"sys/class/block/md1/md/level", "\n"},
                        {"sys/class/block/md1/md/raid_disks", "\n"},
                        {"sys/class/block/md1/md/array_state", "inactive\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discovery_read(*state);

        const struct layer *md1 = discovery_find(topology, "md1");
        assert_int_equal(md1->kind, KIND_MD_INACTIVE);
        assert_false(md1->md->raid_disks.known);
        assert_false(md1->md->reshaping);
        assert_int_equal(md1->md->n_members, 0);
}

/* Numbers that no array has. A layout that is not set is -1. */
static void test_senseless_array(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("md1", "9:1"),
                        {"sys/class/block/md1/md/level", "raid5\n"},
                        {"sys/class/block/md1/md/raid_disks", "-4 (-5)\n"},
                        {"sys/class/block/md1/md/chunk_size", "-65536\n"},
                        {"sys/class/block/md1/md/degraded", "-1\n"},
                        {"sys/class/block/md1/md/layout", "-1\n"},
        };
        const struct layer *md1;

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discovery_read(*state);
        md1 = discovery_find(topology, "md1");
        assert_false(md1->md->raid_disks.known);
        assert_false(md1->md->old.raid_disks.known);
        assert_false(md1->md->chunk_bytes.known);
        assert_false(md1->md->degraded.known);
        assert_opt(md1->md->layout, -1);
        assert_string_equal(layer_describe_array(md1, topology->arena), "");
}

/* Each of these alone says that the array is being reshaped. */
static void test_reshaping(void **state) {
        static const struct {
                const char *attribute, *value;
                bool reshaping;
        } cases[] = {
                        {"reshape_position", "1572864\n", true},
                        {"reshape_position", "none\n", false},
                        {"sync_action", "reshape\n", true},
                        {"sync_action", "resync\n", false},
                        {"chunk_size", "65536 (131072)\n", true},
                        {"layout", "2 (5)\n", true},
                        {"layout", "\n", false},
        };
        static const struct tree_file files[] = {
                        TREE_DISK("md0", "9:0"),
                        {"sys/class/block/md0/md/level", "raid5\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(topology_freep) struct topology *topology = NULL;
                char path[64];

                print_message("%s %s", cases[i].attribute, cases[i].value);
                snprintf(path, sizeof(path), "sys/class/block/md0/md/%s", cases[i].attribute);
                tree_write(*state, path, cases[i].value);
                topology = discovery_read(*state);
                assert_int_equal(discovery_find(topology, "md0")->md->reshaping, cases[i].reshaping);
                tree_write(*state, path, "");
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        DISCOVERY_TEST(test_array),
                        DISCOVERY_TEST(test_inactive_array),
                        DISCOVERY_TEST(test_senseless_array),
                        DISCOVERY_TEST(test_reshaping),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
