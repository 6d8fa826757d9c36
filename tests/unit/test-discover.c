/* SPDX-License-Identifier: MIT */

/* Discovery over small captured roots. Whole machines are in tests/fixtures, run through setractl. */

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/discover.h"
#include "common/layer.h"
#include "tests/support/tree.h"

#define LVM_UUID "LVM-D55UY1JCZrIo7l4DJCUEaNt7m2FRHGnjuW0GieerUopsntjphuwbxaYh53MczA8K"

/* A disk without anything special. */
#define DISK(name, devno)                                                                                              \
        {"sys/class/block/" name "/dev", devno "\n"}, {"sys/class/block/" name "/size", "1000\n"}, {                   \
                "sys/class/block/" name "/queue/read_ahead_kb", "128\n"                                                \
        }

#define MAP(name, devno, map, uuid)                                                                                    \
        DISK(name, devno), {"sys/class/block/" name "/dm/name", map "\n"},                                             \
                        {"sys/class/block/" name "/dm/uuid", uuid "\n"}, {                                             \
                "sys/class/block/" name "/dm/suspended", "0\n"                                                         \
        }

static int set_up(void **state) {
        *state = tree_new();
        return 0;
}

static int tear_down(void **state) {
        tree_free(*state);
        return 0;
}

static struct topology *discover_tree(struct tree *tree) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        struct topology *topology = NULL;

        assert_int_equal(sysroot_open(tree_path(tree), &root), 0);
        assert_int_equal(discover(root, &topology), 0);
        assert_non_null(topology);
        return topology;
}

static struct layer *find(const struct topology *topology, const char *name) {
        struct layer *layer = topology_find(topology, name);

        if (!layer)
                fail_msg("no layer %s", name);
        return layer;
}

static bool has_note(const struct topology *topology, const char *part) {
        for (const struct topology_note *note = topology->notes; note; note = note->next)
                if (strstr(note->text, part))
                        return true;
        return false;
}

static void assert_opt(struct opt_int actual, int64_t expected) {
        assert_true(actual.known);
        assert_int_equal(actual.value, expected);
}

static void test_no_sys(void **state) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        struct topology *topology = NULL;

        assert_int_equal(sysroot_open(tree_path(*state), &root), 0);
        assert_int_equal(discover(root, &topology), -ENOENT);
        tree_write(*state, "sys", "no directory");
        assert_int_equal(discover(root, &topology), -ENOENT);
        assert_null(topology);
}

/* What is missing is noted, each once, and stops nothing. */
static void test_empty_sys(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const char *const notes[] = {
                        "no block devices", "run/udev/data", "proc/meminfo", "proc/self/mountinfo", "proc/swaps"};
        size_t n = 0;

        tree_directory(*state, "sys");
        topology = discover_tree(*state);
        assert_int_equal(topology->n_layers, 0);
        assert_false(topology->memory_bytes.known);
        assert_int_equal(topology->page_bytes, 4096);
        for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
                assert_true(has_note(topology, notes[i]));
        for (const struct topology_note *note = topology->notes; note; note = note->next)
                n++;
        assert_int_equal(n, ARRAY_SIZE(notes));
}

static void test_attributes(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("sda", "8:0"),
                        {"sys/class/block/sda/ro", "1\n"},
                        {"sys/class/block/sda/diskseq", "18\n"},
                        {"sys/class/block/sda/alignment_offset", "-1\n"},
                        {"sys/class/block/sda/queue/minimum_io_size", "4096"},
                        {"sys/class/block/sda/queue/optimal_io_size", "0\n"},
                        {"sys/class/block/sda/queue/logical_block_size", "512\n"},
                        {"sys/class/block/sda/queue/physical_block_size", ""},
                        {"sys/class/block/sda/queue/rotational", "-1\n"},
                        DISK("cciss!c0d0", "104:0"),
                        {"sys/class/block/sdb/dev", "8:16\n"},
                        {"sys/class/block/sdb/size", "99999999999999999999\n"},
                        {"sys/class/block/sdb/queue/read_ahead_kb", "9223372036854775807\n"},
                        {"sys/class/block/sdc/dev", "eight\n"},
                        {"sys/class/block/sdc/size", "10\n"},
                        {"sys/class/block/nvme0c0n1/hidden", "1\n"},
                        {"sys/class/block/nvme0c0n1/size", "10\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discover_tree(*state);
        assert_int_equal(topology->n_layers, 5);

        const struct layer *sda = find(topology, "sda");
        assert_int_equal(sda->kind, KIND_DISK);
        assert_true(sda->has_devno);
        assert_int_equal(sda->major, 8);
        assert_int_equal(sda->minor, 0);
        assert_opt(sda->diskseq, 18);
        assert_opt(sda->size_sectors, 1000);
        assert_opt(sda->readahead_sectors, 256);
        assert_opt(sda->alignment_offset_bytes, -1);
        assert_opt(sda->io_min_bytes, 4096);
        assert_opt(sda->io_opt_bytes, 0);
        assert_false(sda->physical_block_bytes.known);
        assert_false(sda->rotational.known);
        assert_false(sda->start_sectors.known);

        const struct layer *array = find(topology, "cciss/c0d0");
        assert_string_equal(array->name, "cciss/c0d0");
        assert_string_equal(array->sysname, "cciss!c0d0");
        assert_false(array->diskseq.known);
        assert_false(array->io_opt_bytes.known);

        assert_false(find(topology, "sdb")->size_sectors.known);
        assert_false(find(topology, "sdb")->readahead_sectors.known);
        assert_false(find(topology, "sdc")->has_devno);
        assert_false(find(topology, "sdc")->hidden);
        assert_true(find(topology, "nvme0c0n1")->hidden);
        assert_false(find(topology, "nvme0c0n1")->has_devno);
}

/* One more file, so only where it says something. */
static void test_largest_request(void **state) {
        static const struct {
                const char *rotational, *io_opt, *max_sectors_kb;
                int64_t bytes; /* -1: unknown */
        } cases[] = {
                        {"1\n", "0\n", "4096\n", 4194304},
                        {"1\n", "0\n", "127\n", 130048},
                        {"1\n", "0\n", "9223372036854775807\n", -1},
                        {"1\n", "0\n", "-1\n", -1},
                        {"1\n", "0\n", "", -1},
                        {"0\n", "0\n", "4096\n", -1},
                        {"", "0\n", "4096\n", -1},
                        {"1\n", "65536\n", "4096\n", -1},
                        {"1\n", "", "4096\n", -1},
        };
        static const struct tree_file files[] = {DISK("sda", "8:0"), {"sys/class/block/sda/sda1/partition", "1\n"},
                        {"sys/class/block/sda/sda1/dev", "8:1\n"}};

        tree_write_all(*state, files, ARRAY_SIZE(files));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(topology_freep) struct topology *topology = NULL;
                struct opt_int bytes = cases[i].bytes < 0 ? opt_none() : opt_some(cases[i].bytes);

                print_message("%zu\n", i);
                tree_write(*state, "sys/class/block/sda/queue/rotational", cases[i].rotational);
                tree_write(*state, "sys/class/block/sda/queue/optimal_io_size", cases[i].io_opt);
                tree_write(*state, "sys/class/block/sda/queue/max_sectors_kb", cases[i].max_sectors_kb);
                topology = discover_tree(*state);
                assert_int_equal(find(topology, "sda")->max_request_bytes.known, bytes.known);
                assert_int_equal(find(topology, "sda")->max_request_bytes.value, bytes.value);
                assert_int_equal(find(topology, "sda1")->max_request_bytes.known, bytes.known);
        }
}

static void test_kinds(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct {
                const char *name;
                enum layer_kind kind;
        } cases[] = {
                        {"sr0", KIND_ROM},
                        {"bcache12", KIND_BCACHE},
                        {"drbd0", KIND_DRBD},
                        {"rbd3", KIND_RBD},
                        {"zd16", KIND_ZVOL},
                        {"zram0", KIND_ZRAM},
                        {"nbd15", KIND_NBD},
                        {"loop7", KIND_LOOP},
                        {"sata1", KIND_DISK},
                        {"ram0", KIND_DISK},
                        {"sr", KIND_DISK},
                        {"zdx", KIND_DISK},
                        {"nbd1x", KIND_DISK},
                        {"vda", KIND_DISK},
                        {"mmcblk0boot0", KIND_DISK},
                        {"nvme0n1", KIND_DISK},
        };
        char path[64], devno[16];

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                snprintf(path, sizeof(path), "sys/class/block/%s/size", cases[i].name);
                tree_write(*state, path, "8\n");
                snprintf(path, sizeof(path), "sys/class/block/%s/dev", cases[i].name);
                snprintf(devno, sizeof(devno), "100:%zu\n", i);
                tree_write(*state, path, devno);
        }
        tree_write(*state, "sys/class/block/loop7/loop/backing_file", "/srv/a b.img\n");

        topology = discover_tree(*state);
        assert_int_equal(topology->n_layers, ARRAY_SIZE(cases));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                print_message("%s\n", cases[i].name);
                assert_int_equal(find(topology, cases[i].name)->kind, cases[i].kind);
        }
        assert_string_equal(find(topology, "loop7")->backing_file, "/srv/a b.img");
}

/* Devices that are nothing yet, or no more. */
static void test_passed_over(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("loop0", "7:0"),
                        DISK("loop1", "7:1"),
                        {"sys/class/block/loop1/loop/backing_file", "\n"},
                        DISK("loop2", "7:2"),
                        {"sys/class/block/nbd0/dev", "43:0\n"},
                        {"sys/class/block/nbd0/size", "0\n"},
                        {"sys/class/block/zram0/dev", "252:0\n"},
                        {"sys/class/block/zram0/size", "0\n"},
                        {"sys/class/block/regular", ""},
                        {"sys/class/block/sr0/dev", "11:0\n"},
                        {"sys/class/block/sr0/size", "0\n"},
        };
        char endless[5001];

        memset(endless, '/', sizeof(endless) - 1);
        endless[sizeof(endless) - 1] = '\0';
        tree_write_all(*state, files, ARRAY_SIZE(files));
        tree_write(*state, "sys/class/block/loop2/loop/backing_file", endless);
        tree_directory(*state, "sys/class/block/sdx/slaves");
        tree_link(*state, "sys/class/block/sdk", "../../devices/gone/block/sdk");
        topology = discover_tree(*state);
        assert_int_equal(topology->n_layers, 1);
        assert_int_equal(find(topology, "sr0")->kind, KIND_ROM);
}

static const struct tree_file partitions[] = {
                {"sys/devices/block/sda/dev", "8:0\n"},
                {"sys/devices/block/sda/size", "5000\n"},
                {"sys/devices/block/sda/alignment_offset", "0\n"},
                {"sys/devices/block/sda/queue/read_ahead_kb", "512\n"},
                {"sys/devices/block/sda/queue/optimal_io_size", "1048576\n"},
                {"sys/devices/block/sda/queue/rotational", "0\n"},
                {"sys/devices/block/sda/sda1/partition", "1\n"},
                {"sys/devices/block/sda/sda1/dev", "8:1\n"},
                {"sys/devices/block/sda/sda1/start", "63\n"},
                {"sys/devices/block/sda/sda1/size", "4000\n"},
                {"sys/devices/block/sda/sda1/alignment_offset", "3584\n"},
                {"sys/devices/block/sda/sda_other/dev", "8:99\n"},

};

static void check_partition(struct tree *tree) {
        _cleanup_(topology_freep) struct topology *topology = discover_tree(tree);
        const struct layer *partition = find(topology, "sda1");

        assert_int_equal(topology->n_layers, 2);
        assert_int_equal(partition->kind, KIND_PARTITION);
        assert_ptr_equal(partition->parent, find(topology, "sda"));
        assert_int_equal(partition->n_below, 1);
        assert_opt(partition->start_sectors, 63);
        assert_opt(partition->size_sectors, 4000);
        assert_opt(partition->alignment_offset_bytes, 3584);
        assert_opt(partition->readahead_sectors, 1024);
        assert_opt(partition->io_opt_bytes, 1048576);
        assert_opt(partition->rotational, 0);
        assert_false(partition->io_min_bytes.known);
}

static void test_partitions(void **state) {
        tree_write_all(*state, partitions, ARRAY_SIZE(partitions));
        tree_link(*state, "sys/class/block/sda", "../../devices/block/sda");
        tree_link(*state, "sys/class/block/sda1", "../../devices/block/sda/sda1");
        check_partition(*state);
}

static void test_partitions_without_class(void **state) {
        tree_write_all(*state, partitions, ARRAY_SIZE(partitions));
        tree_link(*state, "sys/block/sda", "../devices/block/sda");
        check_partition(*state);
}

static void test_array(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("sda", "8:0"),
                        DISK("cciss!c0d0", "104:0"),
                        DISK("md0", "9:0"),
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
        topology = discover_tree(*state);

        const struct layer *md0 = find(topology, "md0");
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
                        assert_ptr_equal(member->layer, find(topology, "cciss/c0d0"));
                        assert_int_equal(member->slot, 1);
                        assert_int_equal(member->states, MD_MEMBER_IN_SYNC | MD_MEMBER_WRITE_MOSTLY);
                } else if (strcmp(member->name, "gone") == 0) {
                        assert_null(member->layer);
                        assert_int_equal(member->slot, -1);
                        assert_int_equal(member->states, MD_MEMBER_FAULTY);
                }
        }
}

/* Live and in a capture a link names the device that is cached; a volume on a cache alone has a directory there. */
static void test_bcache(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("md0", "9:0"),
                        DISK("sda", "8:0"),
                        {"sys/class/block/sda/sda1/partition", "1\n"},
                        {"sys/class/block/sda/sda1/dev", "8:1\n"},
                        {"sys/class/block/sda/sda1/size", "1\n"},
                        DISK("bcache0", "252:0"),
                        DISK("bcache1", "252:1"),
                        DISK("bcache2", "252:2"),
                        DISK("bcache3", "252:3"),
                        {"sys/class/block/bcache2/bcache/size", "1\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        tree_link(*state, "sys/class/block/bcache0/bcache", "../md0/bcache");
        tree_link(*state, "sys/class/block/bcache0/slaves/md0", "../../md0");
        tree_link(*state, "sys/class/block/bcache0/slaves/sda", "../../sda");
        tree_link(*state, "sys/class/block/bcache1/bcache", "../sda/sda1/bcache");
        tree_link(*state, "sys/class/block/bcache3/bcache", "../gone/bcache");
        tree_link(*state, "sys/class/block/md0/bcache", "../sda/bcache");
        topology = discover_tree(*state);

        assert_ptr_equal(find(topology, "bcache0")->backing, find(topology, "md0"));
        assert_int_equal(find(topology, "bcache0")->n_below, 2);
        assert_ptr_equal(find(topology, "bcache1")->backing, find(topology, "sda1"));
        assert_int_equal(find(topology, "bcache1")->n_below, 1);
        assert_null(find(topology, "bcache2")->backing);
        assert_null(find(topology, "bcache3")->backing);
        assert_null(find(topology, "md0")->backing);
}

static void test_inactive_array(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("md1", "9:1"),
                        {"sys/class/block/md1/md/level", "\n"},
                        {"sys/class/block/md1/md/raid_disks", "\n"},
                        {"sys/class/block/md1/md/array_state", "inactive\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discover_tree(*state);

        const struct layer *md1 = find(topology, "md1");
        assert_int_equal(md1->kind, KIND_MD_INACTIVE);
        assert_false(md1->md->raid_disks.known);
        assert_false(md1->md->reshaping);
        assert_int_equal(md1->md->n_members, 0);
}

/* Numbers that no array has. A layout that is not set is -1. */
static void test_senseless_array(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("md1", "9:1"),
                        {"sys/class/block/md1/md/level", "raid5\n"},
                        {"sys/class/block/md1/md/raid_disks", "-4 (-5)\n"},
                        {"sys/class/block/md1/md/chunk_size", "-65536\n"},
                        {"sys/class/block/md1/md/degraded", "-1\n"},
                        {"sys/class/block/md1/md/layout", "-1\n"},
        };
        const struct layer *md1;

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discover_tree(*state);
        md1 = find(topology, "md1");
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
                        DISK("md0", "9:0"),
                        {"sys/class/block/md0/md/level", "raid5\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(topology_freep) struct topology *topology = NULL;
                char path[64];

                print_message("%s %s", cases[i].attribute, cases[i].value);
                snprintf(path, sizeof(path), "sys/class/block/md0/md/%s", cases[i].attribute);
                tree_write(*state, path, cases[i].value);
                topology = discover_tree(*state);
                assert_int_equal(find(topology, "md0")->md->reshaping, cases[i].reshaping);
                tree_write(*state, path, "");
        }
}

static void test_maps(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("md0", "9:0"),
                        DISK("md1", "9:1"),
                        MAP("dm-0", "253:0", "vg--1-my\\x20lv", LVM_UUID),
                        MAP("dm-1", "253:1", "a\\x2cb", "CRYPT-LUKS2-0123-a"),
                        MAP("dm-2", "253:2", "a: b", ""),
                        MAP("dm-4", "253:4", "mixed", ""),
                        MAP("dm-5", "253:5", "vg--1-tp-tpool", LVM_UUID "-tpool"),
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
        topology = discover_tree(*state);

        const struct layer *lv = find(topology, "dm-0");
        assert_int_equal(lv->kind, KIND_DM_LINEAR);
        assert_string_equal(lv->dm->name, "vg--1-my lv");
        assert_string_equal(lv->dm->vg, "vg-1");
        assert_string_equal(lv->dm->lv, "my lv");
        assert_string_equal(lv->label, "vg-1/my lv");
        assert_null(lv->dm->lvm_suffix);
        assert_true(lv->dm->has_table && lv->dm->tables_known && !lv->dm->suspended);
        assert_int_equal(lv->dm->n_segments, 2);
        assert_int_equal(lv->dm->segments[1].start_sectors, 100);
        assert_ptr_equal(lv->dm->segments[1].legs[0].layer, find(topology, "md1"));
        assert_int_equal(lv->n_below, 2);

        assert_int_equal(find(topology, "dm-1")->kind, KIND_DM_CRYPT);
        assert_true(find(topology, "dm-1")->dm->suspended);
        assert_ptr_equal(find(topology, "dm-1")->below[0], lv);
        assert_ptr_equal(find(topology, "dm-2")->below[0], find(topology, "dm-1"));
        assert_int_equal(find(topology, "dm-4")->kind, KIND_DM_MIXED);
        assert_string_equal(find(topology, "dm-5")->dm->lvm_suffix, "tpool");
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
                        DISK("sda", "8:0"),
                        MAP("dm-0", "253:0", "lv", LVM_UUID),
                        MAP("dm-1", "253:1", "zero", ""),
                        {"dmsetup/table", "lv: 0 8 raid raid5_ls 1 128 3 - 8:0 - 8:16 - 8:32\nzero: 0 8 zero \n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(topology_freep) struct topology *topology = NULL;

                print_message("%s", cases[i].text);
                tree_write(*state, cases[i].path, cases[i].text);
                topology = discover_tree(*state);
                assert_int_equal(find(topology, "dm-0")->dm->segments[0].reshaping, cases[i].reshaping);
                tree_remove(*state, cases[i].path);
        }
}

static void test_multipath_status(void **state) {
        static const struct tree_file files[] = {
                        DISK("sda", "8:0"),
                        MAP("dm-0", "253:0", "mp", "mpath-x"),
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
                topology = discover_tree(*state);
                paths = &find(topology, "dm-0")->dm->segments[0].paths;
                assert_int_equal(paths->known, i == 1);
                assert_int_equal(paths->n, i == 1);
                assert_int_equal(paths->n_active, 0);
        }
}

static void test_asleep(void **state) {
        static const struct {
                const char *path, *status;
                bool asleep;
        } cases[] = {
                        {"sys/class/block/sda/device/power/runtime_status", "suspended\n", true},
                        {"sys/class/block/sda/device/power/runtime_status", "active\n", false},
                        {"sys/class/block/sda/device/power/runtime_status", "unsupported\n", false},
                        {"sys/class/block/sdb/device/power/runtime_status", "suspended\n", false},
                        {"sys/block/sda/device/power/runtime_status", "suspended\n", true},
        };
        static const struct tree_file files[] = {DISK("sda", "8:0")};

        tree_write_all(*state, files, ARRAY_SIZE(files));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(topology_freep) struct topology *topology = NULL;

                tree_write(*state, cases[i].path, cases[i].status);
                topology = discover_tree(*state);
                assert_int_equal(find(topology, "sda")->asleep, cases[i].asleep);
                tree_remove(*state, cases[i].path);
        }
}

/* No table, one that does not parse, and one that the file lacks. */
static void test_maps_in_part(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("md0", "9:0"),
                        MAP("dm-3", "253:3", "empty", ""),
                        MAP("dm-6", "253:6", "broken", ""),
                        MAP("dm-7", "253:7", "absent", "mpath-3600"),
                        {"dmsetup/table", "empty: \n"
                                          "broken: 0 8 linear /dev/md0 0\n"
                                          "stranger: 0 8 linear 9:0 0"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discover_tree(*state);

        const struct layer *empty = find(topology, "dm-3");
        assert_int_equal(empty->kind, KIND_DM_UNKNOWN);
        assert_true(empty->dm->tables_known && !empty->dm->has_table);

        const struct layer *broken = find(topology, "dm-6");
        assert_int_equal(broken->kind, KIND_DM_LINEAR);
        assert_int_equal(broken->n_below, 0);
        assert_true(has_note(topology, "dm-6"));

        const struct layer *absent = find(topology, "dm-7");
        assert_int_equal(absent->kind, KIND_DM_MULTIPATH);
        assert_false(absent->dm->tables_known);
        assert_true(has_note(topology, "dm-7"));
}

/* With numbers, the names in sysfs and in the table need have nothing to do with each other. */
static void test_maps_by_number(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("md0", "9:0"),
                        MAP("dm-0", "253:0", "one", "uuid:1"),
                        MAP("dm-1", "253:1", "two", ""),
                        MAP("dm-2", "253:2", "three", ""),
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
        topology = discover_tree(*state);
        assert_int_equal(find(topology, "dm-0")->kind, KIND_DM_LINEAR);
        assert_int_equal(find(topology, "dm-1")->kind, KIND_DM_STRIPED);
        assert_int_equal(find(topology, "dm-2")->kind, KIND_DM_SNAPSHOT_ORIGIN);
}

static void test_maps_of_report(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("md0", "9:0"),
                        MAP("dm-0", "253:0", "lv", LVM_UUID),
                        {"sos_commands/devicemapper/dmsetup_status", "lv: 0 8 striped \n"},
                        {"sos_commands/devicemapper/dmsetup_table", "No devices found\n"},
                        {"sos_commands/devicemapper/dmsetup_table_--target",
                                        "# a comment\n\nlv: 0 8 linear 9:0 2048\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discover_tree(*state);
        assert_int_equal(find(topology, "dm-0")->kind, KIND_DM_LINEAR);
        assert_opt(opt_some((int64_t)find(topology, "dm-0")->dm->segments[0].legs[0].offset_sectors), 2048);
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
                        DISK("md0", "9:0"),
                        MAP("dm-0", "253:0", "lv", LVM_UUID),
                        MAP("dm-1", "253:1", "luks", "CRYPT-LUKS1-00-luks"),
                        MAP("dm-2", "253:2", "verity", "CRYPT-VERITY-00-verity"),
                        MAP("dm-3", "253:3", "mpatha", "mpath-3600"),
                        MAP("dm-4", "253:4", "integrity", "CRYPT-INTEGRITY-integrity"),
                        DISK("dm-5", "253:5"),
                        {"sys/class/block/dm-5/dm/suspended", "0\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        tree_link(*state, "sys/class/block/dm-0/slaves/md0", "../../md0");
        topology = discover_tree(*state);
        assert_true(has_note(topology, "dmsetup/table"));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct layer *layer = find(topology, cases[i].name);

                assert_int_equal(layer->kind, cases[i].kind);
                assert_false(layer->dm->tables_known);
                assert_false(layer->dm->has_table);
        }
        assert_ptr_equal(find(topology, "dm-0")->below[0], find(topology, "md0"));
        assert_string_equal(find(topology, "dm-5")->label, "dm-5");
}

static void test_udev(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("sda", "8:0"),
                        DISK("sdb", "8:16"),
                        DISK("sdc", "8:32"),
                        {"run/udev/data/b8:0", "S:disk/by-id/"
                                               "x\nI:123\nE:ID_SERIAL=Make_Model_123\nE:ID_SERIAL_SHORT=123\nE:ID_"
                                               "MODEL=Model\n"
                                               "E:ID_BUS=ata\nE:ID_FS_TYPE=LVM2_member\nG:systemd\n"},
                        {"run/udev/data/b8:16", "E:DM_UDEV_DISABLE_OTHER_RULES_FLAG=1\nE:SYSTEMD_READY=0\nE:ID_SERIAL="
                                                "long\nE:ID_MODEL=\nE:NOTHING\n"
                                                "E:=\nE:ID_BUS=a=b"},
                        {"run/udev/data/b8:32", "E:DM_UDEV_DISABLE_OTHER_RULES_FLAG=0\nE:SYSTEMD_READY=1\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        tree_link(*state, "sys/class/block/sdc/device/subsystem", "../../../bus/virtio");
        topology = discover_tree(*state);
        assert_false(has_note(topology, "udev"));

        const struct layer *sda = find(topology, "sda");
        assert_string_equal(sda->serial, "123");
        assert_string_equal(sda->serial_long, "Make_Model_123");
        assert_string_equal(sda->model, "Model");
        assert_string_equal(sda->transport, "ata");
        assert_string_equal(sda->filesystem, "LVM2_member");
        assert_false(sda->udev_other_rules_disabled || sda->udev_not_ready);

        const struct layer *sdb = find(topology, "sdb");
        assert_null(sdb->serial);
        assert_string_equal(sdb->serial_long, "long");
        assert_null(sdb->model);
        assert_string_equal(sdb->transport, "a=b");
        assert_true(sdb->udev_other_rules_disabled && sdb->udev_not_ready);

        const struct layer *sdc = find(topology, "sdc");
        assert_string_equal(sdc->transport, "virtio");
        assert_null(sdc->serial);
        assert_null(sdc->serial_long);
        assert_false(sdc->udev_other_rules_disabled || sdc->udev_not_ready);
}

/* What the kernel says where udev does not. */
static void test_udev_completed(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct {
                const char *name, *serial, *serial_long, *transport;
        } expected[] = {
                        {"nvme0n1", "S3_R", NULL, "nvme"},
                        {"nvme0n1p1", "S3_R", NULL, "nvme"},
                        {"nvme1n1", NULL, NULL, "nvme"},
                        {"nvme2n1", NULL, NULL, "nvme"},
                        {"nvme3n1", "kernel", "udev", "nvme"},
                        {"nvme4n1", "short", NULL, "nvme"},
                        {"vda", "virt", NULL, "virtio"},
                        {"vdb", NULL, NULL, "scsi"},
                        {"mmcblk0", "0x12", NULL, "mmc"},
                        {"sda", NULL, NULL, NULL},
                        {"md0", NULL, NULL, NULL},
        };
        static const struct tree_file files[] = {
                        DISK("nvme0n1", "259:0"),
                        {"sys/class/block/nvme0n1/device/serial", "  S3 R          \n"},
                        DISK("nvme0n1p1", "259:1"),
                        {"sys/class/block/nvme0n1p1/partition", "1\n"},
                        {"sys/class/block/nvme0n1/nvme0n1p1/partition", "1\n"},
                        DISK("nvme1n1", "259:2"),
                        {"sys/class/block/nvme1n1/device/serial", "    \n"},
                        DISK("nvme2n1", "259:3"),
                        DISK("nvme3n1", "259:4"),
                        {"sys/class/block/nvme3n1/device/serial", "kernel\n"},
                        {"run/udev/data/b259:4", "E:ID_SERIAL=udev\n"},
                        DISK("nvme4n1", "259:5"),
                        {"sys/class/block/nvme4n1/device/serial", "kernel\n"},
                        {"run/udev/data/b259:5", "E:ID_SERIAL_SHORT=short\n"},
                        DISK("vda", "252:0"),
                        {"sys/class/block/vda/serial", "virt"},
                        DISK("vdb", "252:16"),
                        DISK("mmcblk0", "179:0"),
                        {"sys/class/block/mmcblk0/device/serial", "0x12\n"},
                        DISK("sda", "8:0"),
                        DISK("md0", "9:0"),
                        {"sys/class/block/md0/md/level", "raid1\n"},
                        {"sys/class/block/md0/serial", "none\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        tree_link(*state, "sys/class/block/nvme1n1/device/subsystem", "../../../class/nvme");
        tree_link(*state, "sys/class/block/nvme2n1/device/subsystem", "../../../class/nvme-subsystem");
        tree_link(*state, "sys/class/block/vdb/device/subsystem", "../../../bus/scsi");
        topology = discover_tree(*state);
        for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
                const struct layer *layer = find(topology, expected[i].name);

                assert_string_equal(layer->serial ?: "-", expected[i].serial ?: "-");
                assert_string_equal(layer->serial_long ?: "-", expected[i].serial_long ?: "-");
                assert_string_equal(layer->transport ?: "-", expected[i].transport ?: "-");
        }
}

static void test_host(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("sda", "8:0"),
                        MAP("dm-0", "253:0", "my\\x20disk", ""),
                        {"proc/self/mountinfo",
                                        "20 1 0:15 / / rw,relatime - hostfs /dev/root rw\n"
                                        "21 1 8:0 / /srv/disk\\040images rw shared:1 master:2 - ext4 /dev/sda rw\n"
                                        "nonsense\n"
                                        "22 1 0:40 / /data rw - btrfs /dev/mapper/my\\x20disk rw\n"
                                        "23 1 8:0 /dir /a\\012b\\134c rw - ext4 /dev/sda rw"},
                        {"proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
                                       "/swapfile                               file\t\t8\t\t0\t\t-2\n"
                                       "/dev/dm-0                               partition\t8\t\t0\t\t-3\n"},
                        {"proc/meminfo", "MemFree:  1 kB\nMemTotal:        4148000 kB\n"},
                        {"proc/self/smaps", "00-01 r--p 0 0 0\nSize:  64 kB\nKernelPageSize:       64 kB\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discover_tree(*state);
        assert_opt(topology->memory_bytes, INT64_C(4148000) * 1024);
        assert_int_equal(topology->page_bytes, 65536);
        assert_int_equal(topology->n_mounts, 4);
        assert_string_equal(topology->mounts[1].path, "/srv/disk images");
        assert_int_equal(topology->mounts[1].major, 8);
        assert_string_equal(topology->mounts[2].fs, "btrfs");
        assert_int_equal(topology->mounts[2].major, 0);
        assert_string_equal(topology->mounts[3].path, "/a\nb\\c");
        assert_int_equal(topology->n_swaps, 1);
        assert_string_equal(topology->swaps[0], "/dev/dm-0");

        /* The running machine's root device is no business of the capture's. */
        assert_true(!topology->mounts[0].source || strncmp(topology->mounts[0].source, "/dev/", 5) != 0);

        assert_int_equal(find(topology, "sda")->n_uses, 2);
        assert_int_equal(find(topology, "dm-0")->n_uses, 2);
}

/* Anybody may say so: what is not believed makes no device one that is mounted. A fuseblk is root's, and has a number. */
static void test_host_fuse(void **state) {
        static const struct tree_file machine[] = {DISK("sda", "8:0"), MAP("dm-0", "253:0", "map", "")};
        static const struct tree_file tables[] = {
                        {"proc/self/mountinfo", "21 1 0:50 / /home/m/a rw - fuse /dev/sda rw\n"
                                                "22 1 0:51 / /home/m/b rw - fuse.xfs /dev/mapper/map rw\n"
                                                "23 1 0:52 / /home/m/c rw - fuse.btrfs /dev/dm-0 rw\n"
                                                "24 1 8:0 / /media rw - fuseblk /dev/sda rw\n"},
                        {"proc/mounts", "/dev/sda /home/m/a fuse rw 0 0\n"
                                        "/dev/mapper/map /home/m/b fuse.xfs rw 0 0\n"
                                        "/dev/dm-0 /home/m/c fuse.btrfs rw 0 0\n"
                                        "/dev/sda /media fuseblk rw 0 0\n"},
        };

        tree_write_all(*state, machine, ARRAY_SIZE(machine));
        for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
                _cleanup_(topology_freep) struct topology *topology = NULL;

                tree_write_all(*state, &tables[i], 1);
                topology = discover_tree(*state);
                assert_int_equal(topology->n_mounts, 4);
                assert_int_equal(find(topology, "dm-0")->n_uses, 0);
                assert_int_equal(find(topology, "sda")->n_uses, 1);
                assert_string_equal(find(topology, "sda")->uses[0].path, "/media");
                tree_remove(*state, tables[i].path);
        }
}

static const char *const root_paths[] = {"proc/self/mountinfo", "proc/mounts"};
static const char *const root_forms[][2] = {
                {"21 1 ", " / / rw - ext4 /dev/root rw\n"},
                {"21 1 ", " / / rw - ext4\t/dev/root\trw\n"},
                {"21 1 ", " / / rw - ext4 /dev/r\\157ot rw\n"},
                {"21 1 ", " / - rw - ext4 /dev/root rw\n"},
};

static void check_root_source(struct tree *tree, const char *path, const char *const form[2], const char *devno) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        char line[512];

        snprintf(line, sizeof(line), "%s%s%s", form[0], devno, form[1]);
        tree_directory(tree, "sys");
        tree_write(tree, path, line);
        topology = discover_tree(tree);
        assert_int_equal(topology->n_mounts, 1);
        assert_string_equal(topology->mounts[0].source, "rootfs");
        tree_remove(tree, path);
}

/* libmount asks the running machine what /dev/root is, by number: so those of its devices are taken. */
static void test_host_root_source(void **state) {
        DIR *devices = opendir("/sys/dev/block");
        struct dirent *device;

        for (unsigned n = 0; devices && n < 4 && (device = readdir(devices));) {
                if (!strchr(device->d_name, ':'))
                        continue;
                n++;
                for (size_t i = 0; i < ARRAY_SIZE(root_paths); i++)
                        for (size_t j = 0; j < ARRAY_SIZE(root_forms); j++)
                                check_root_source(*state, root_paths[i], root_forms[j], device->d_name);
        }
        if (devices)
                closedir(devices);
}

static void test_host_without_mountinfo(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("sda", "8:0"),
                        {"proc/mounts", "proc /proc proc rw 0 0\n/dev/sda /srv/a\\040b ext4 rw,relatime 0 0\n"},
                        {"proc/swaps", ""},
                        {"proc/meminfo", "MemTotal: 99999999999999999999 kB\n"},
                        {"proc/self/smaps", "KernelPageSize: 3 kB\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discover_tree(*state);
        assert_false(has_note(topology, "mountinfo"));
        assert_int_equal(find(topology, "sda")->n_uses, 1);
        assert_string_equal(find(topology, "sda")->uses[0].path, "/srv/a b");
        assert_false(topology->memory_bytes.known);
        assert_int_equal(topology->page_bytes, 4096);
        assert_int_equal(topology->n_swaps, 0);
}

/* FIRST, and then lines of no meaning, so many MiB in all. */
static void write_large(struct tree *tree, const char *path, const char *first, size_t mebibytes) {
        const size_t size = mebibytes << 20, line = 32768;
        char *text = malloc(size);

        assert_non_null(text);
        memset(text, 'x', size);
        for (size_t i = line - 1; i < size; i += line)
                text[i] = '\n';
        memcpy(text, first, strlen(first));
        tree_write_bytes(tree, path, text, size);
        free(text);
}

/* Of mounts what is read counts, half of a table is none; either is told of. */
static void test_too_large(void **state) {
        static const struct tree_file files[] = {DISK("sda", "8:0"), MAP("dm-0", "253:0", "lv", LVM_UUID)};

        for (unsigned more = 0; more < 2; more++) {
                _cleanup_(topology_freep) struct topology *topology = NULL;

                tree_write_all(*state, files, ARRAY_SIZE(files));
                write_large(*state, "proc/self/mountinfo", "21 1 8:0 / /srv rw - ext4 /dev/sda rw\n", 16 - 1 + more);
                write_large(*state, "dmsetup/table", "lv: 0 8 linear 8:0 0\n", 32 + more);
                topology = discover_tree(*state);
                assert_int_equal(find(topology, "sda")->n_uses, 1);
                assert_int_equal(find(topology, "dm-0")->dm->n_segments, more ? 0 : 1);
                assert_int_equal(topology->incomplete, more > 0);
                assert_int_equal(has_note(topology, "dmsetup/table could not be read (it is too large), and 1 more"),
                                more > 0);
        }
}

/* Of scanf(3)'s conversions even those of numbers without a sign take one. */
static void test_negative_numbers(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        DISK("sda", "8:0"),
                        DISK("sdb", "-8:16"),
                        DISK("sdc", "8:-32"),
                        {"proc/meminfo", "MemTotal: -6 kB\n"},
                        {"proc/self/smaps", "KernelPageSize: -4 kB\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discover_tree(*state);
        assert_true(find(topology, "sda")->has_devno);
        assert_false(find(topology, "sdb")->has_devno);
        assert_false(find(topology, "sdc")->has_devno);
        assert_false(topology->memory_bytes.known);
        assert_int_equal(topology->page_bytes, 4096);
}

/* Every file in turn is something it should not be. */
static void test_hostile(void **state) {
        static const struct tree_file files[] = {
                        DISK("sda", "8:0"),
                        {"sys/class/block/sda/sda1/partition", "1\n"},
                        {"sys/class/block/sda/sda1/dev", "8:1\n"},
                        {"sys/class/block/sda/sda1/size", "1\n"},
                        {"sys/class/block/sda/hidden", "0\n"},
                        DISK("md0", "9:0"),
                        {"sys/class/block/md0/md/level", "raid5\n"},
                        {"sys/class/block/md0/md/raid_disks", "3\n"},
                        {"sys/class/block/md0/md/array_state", "clean\n"},
                        {"sys/class/block/md0/md/dev-sda/slot", "0\n"},
                        {"sys/class/block/md0/md/dev-sda/state", "in_sync\n"},
                        MAP("dm-0", "253:0", "lv", LVM_UUID),
                        DISK("loop0", "7:0"),
                        {"sys/class/block/loop0/loop/backing_file", "/srv/a\n"},
                        {"dmsetup/info", "lv::253:0:L--w:0:1:0\n"},
                        {"dmsetup/table", "lv: 0 8 linear 9:0 0\n"},
                        {"run/udev/data/b8:0", "E:ID_SERIAL=1\n"},
                        {"proc/self/mountinfo", "21 1 8:0 / /srv rw - ext4 /dev/sda rw\n"},
                        {"proc/self/smaps", "KernelPageSize: 4 kB\n"},
                        {"proc/swaps", "Filename Type Size Used Priority\n/dev/dm-0 partition 8 0 -3\n"},
                        {"proc/meminfo", "MemTotal: 1 kB\n"},
        };
        static char long_text[200000], zeros[64], lines[100000];

        memset(long_text, 'x', sizeof(long_text) - 1);
        memset(lines, '\n', sizeof(lines) - 1);
        for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
                for (unsigned kind = 0; kind < 7; kind++) {
                        _cleanup_(tree_freep) struct tree *tree = tree_new();
                        _cleanup_(topology_freep) struct topology *topology = NULL;

                        tree_write_all(tree, files, ARRAY_SIZE(files));
                        tree_remove(tree, files[i].path);
                        switch (kind) {
                        case 0: tree_fifo(tree, files[i].path); break;
                        case 1: tree_directory(tree, files[i].path); break;
                        case 2: tree_link(tree, files[i].path, "/dev/zero"); break;
                        case 3: tree_write(tree, files[i].path, ""); break;
                        case 4: tree_write(tree, files[i].path, long_text); break;
                        case 5: tree_write_bytes(tree, files[i].path, zeros, sizeof(zeros)); break;
                        case 6: tree_write(tree, files[i].path, lines); break;
                        }
                        topology = discover_tree(tree);
                        assert_true(topology->n_layers >= 3);
                }
        }
}

/* Needs no privileges: what can't be read is noted. */
static void test_live(void **state) {
        _cleanup_(sysroot_freep) struct sysroot *root = NULL;
        _cleanup_(topology_freep) struct topology *topology = NULL;
        int r;

        assert_int_equal(sysroot_open(NULL, &root), 0);
        if (!sysroot_is_directory(root, "sys/class"))
                skip();
        r = discover(root, &topology);
        assert_int_equal(r, 0);
        assert_true(topology->memory_bytes.known);
        assert_int_equal(topology->page_bytes, sysconf(_SC_PAGESIZE));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
        const struct CMUnitTest tests[] = {
                        TEST(test_no_sys),
                        TEST(test_empty_sys),
                        TEST(test_attributes),
                        TEST(test_largest_request),
                        TEST(test_kinds),
                        TEST(test_passed_over),
                        TEST(test_partitions),
                        TEST(test_partitions_without_class),
                        TEST(test_array),
                        TEST(test_bcache),
                        TEST(test_inactive_array),
                        TEST(test_senseless_array),
                        TEST(test_reshaping),
                        TEST(test_maps),
                        TEST(test_raid_status),
                        TEST(test_multipath_status),
                        TEST(test_asleep),
                        TEST(test_maps_in_part),
                        TEST(test_maps_by_number),
                        TEST(test_maps_of_report),
                        TEST(test_maps_without_tables),
                        TEST(test_udev),
                        TEST(test_udev_completed),
                        TEST(test_host),
                        TEST(test_host_root_source),
                        TEST(test_host_fuse),
                        TEST(test_host_without_mountinfo),
                        TEST(test_too_large),
                        TEST(test_negative_numbers),
                        cmocka_unit_test(test_hostile),
                        cmocka_unit_test(test_live),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
