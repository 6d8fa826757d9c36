/* SPDX-License-Identifier: MIT */

/* Discovery over small captured roots. Whole machines are in tests/fixtures, run through setractl. */

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
#include "tests/support/discovery.h"

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
        topology = discovery_read(*state);
        assert_int_equal(topology->n_layers, 0);
        assert_false(topology->memory_bytes.known);
        assert_int_equal(topology->page_bytes, 4096);
        for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
                assert_true(discovery_has_note(topology, notes[i]));
        for (const struct topology_note *note = topology->notes; note; note = note->next)
                n++;
        assert_int_equal(n, ARRAY_SIZE(notes));
}

static void test_attributes(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("sda", "8:0"),
                        {"sys/class/block/sda/ro", "1\n"},
                        {"sys/class/block/sda/diskseq", "18\n"},
                        {"sys/class/block/sda/alignment_offset", "-1\n"},
                        {"sys/class/block/sda/queue/minimum_io_size", "4096"},
                        {"sys/class/block/sda/queue/optimal_io_size", "0\n"},
                        {"sys/class/block/sda/queue/logical_block_size", "512\n"},
                        {"sys/class/block/sda/queue/physical_block_size", ""},
                        {"sys/class/block/sda/queue/rotational", "-1\n"},
                        TREE_DISK("cciss!c0d0", "104:0"),
                        {"sys/class/block/sdb/dev", "8:16\n"},
                        {"sys/class/block/sdb/size", "99999999999999999999\n"},
                        {"sys/class/block/sdb/queue/read_ahead_kb", "9223372036854775807\n"},
                        {"sys/class/block/sdc/dev", "eight\n"},
                        {"sys/class/block/sdc/size", "10\n"},
                        {"sys/class/block/nvme0c0n1/hidden", "1\n"},
                        {"sys/class/block/nvme0c0n1/size", "10\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discovery_read(*state);
        assert_int_equal(topology->n_layers, 5);

        const struct layer *sda = discovery_find(topology, "sda");
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

        const struct layer *array = discovery_find(topology, "cciss/c0d0");
        assert_string_equal(array->name, "cciss/c0d0");
        assert_string_equal(array->sysname, "cciss!c0d0");
        assert_false(array->diskseq.known);
        assert_false(array->io_opt_bytes.known);

        assert_false(discovery_find(topology, "sdb")->size_sectors.known);
        assert_false(discovery_find(topology, "sdb")->readahead_sectors.known);
        assert_false(discovery_find(topology, "sdc")->has_devno);
        assert_false(discovery_find(topology, "sdc")->hidden);
        assert_true(discovery_find(topology, "nvme0c0n1")->hidden);
        assert_false(discovery_find(topology, "nvme0c0n1")->has_devno);
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
        static const struct tree_file files[] = {TREE_DISK("sda", "8:0"), {"sys/class/block/sda/sda1/partition", "1\n"},
                        {"sys/class/block/sda/sda1/dev", "8:1\n"}};

        tree_write_all(*state, files, ARRAY_SIZE(files));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(topology_freep) struct topology *topology = NULL;
                struct opt_int bytes = cases[i].bytes < 0 ? opt_none() : opt_some(cases[i].bytes);

                print_message("%zu\n", i);
                tree_write(*state, "sys/class/block/sda/queue/rotational", cases[i].rotational);
                tree_write(*state, "sys/class/block/sda/queue/optimal_io_size", cases[i].io_opt);
                tree_write(*state, "sys/class/block/sda/queue/max_sectors_kb", cases[i].max_sectors_kb);
                topology = discovery_read(*state);
                assert_int_equal(discovery_find(topology, "sda")->max_request_bytes.known, bytes.known);
                assert_int_equal(discovery_find(topology, "sda")->max_request_bytes.value, bytes.value);
                assert_int_equal(discovery_find(topology, "sda1")->max_request_bytes.known, bytes.known);
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

        topology = discovery_read(*state);
        assert_int_equal(topology->n_layers, ARRAY_SIZE(cases));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                print_message("%s\n", cases[i].name);
                assert_int_equal(discovery_find(topology, cases[i].name)->kind, cases[i].kind);
        }
        assert_string_equal(discovery_find(topology, "loop7")->backing_file, "/srv/a b.img");
}

/* Devices that are nothing yet, or no more. */
static void test_passed_over(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("loop0", "7:0"),
                        TREE_DISK("loop1", "7:1"),
                        {"sys/class/block/loop1/loop/backing_file", "\n"},
                        TREE_DISK("loop2", "7:2"),
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
        topology = discovery_read(*state);
        assert_int_equal(topology->n_layers, 1);
        assert_int_equal(discovery_find(topology, "sr0")->kind, KIND_ROM);
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
        _cleanup_(topology_freep) struct topology *topology = discovery_read(tree);
        const struct layer *partition = discovery_find(topology, "sda1");

        assert_int_equal(topology->n_layers, 2);
        assert_int_equal(partition->kind, KIND_PARTITION);
        assert_ptr_equal(partition->parent, discovery_find(topology, "sda"));
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

/* Live and in a capture a link names the device that is cached; a volume on a cache alone has a directory there. */
static void test_bcache(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("md0", "9:0"),
                        TREE_DISK("sda", "8:0"),
                        {"sys/class/block/sda/sda1/partition", "1\n"},
                        {"sys/class/block/sda/sda1/dev", "8:1\n"},
                        {"sys/class/block/sda/sda1/size", "1\n"},
                        TREE_DISK("bcache0", "252:0"),
                        TREE_DISK("bcache1", "252:1"),
                        TREE_DISK("bcache2", "252:2"),
                        TREE_DISK("bcache3", "252:3"),
                        {"sys/class/block/bcache2/bcache/size", "1\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        tree_link(*state, "sys/class/block/bcache0/bcache", "../md0/bcache");
        tree_link(*state, "sys/class/block/bcache0/slaves/md0", "../../md0");
        tree_link(*state, "sys/class/block/bcache0/slaves/sda", "../../sda");
        tree_link(*state, "sys/class/block/bcache1/bcache", "../sda/sda1/bcache");
        tree_link(*state, "sys/class/block/bcache3/bcache", "../gone/bcache");
        tree_link(*state, "sys/class/block/md0/bcache", "../sda/bcache");
        topology = discovery_read(*state);

        assert_ptr_equal(discovery_find(topology, "bcache0")->backing, discovery_find(topology, "md0"));
        assert_int_equal(discovery_find(topology, "bcache0")->n_below, 2);
        assert_ptr_equal(discovery_find(topology, "bcache1")->backing, discovery_find(topology, "sda1"));
        assert_int_equal(discovery_find(topology, "bcache1")->n_below, 1);
        assert_null(discovery_find(topology, "bcache2")->backing);
        assert_null(discovery_find(topology, "bcache3")->backing);
        assert_null(discovery_find(topology, "md0")->backing);
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
        static const struct tree_file files[] = {TREE_DISK("sda", "8:0")};

        tree_write_all(*state, files, ARRAY_SIZE(files));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(topology_freep) struct topology *topology = NULL;

                tree_write(*state, cases[i].path, cases[i].status);
                topology = discovery_read(*state);
                assert_int_equal(discovery_find(topology, "sda")->asleep, cases[i].asleep);
                tree_remove(*state, cases[i].path);
        }
}

static void test_udev(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("sda", "8:0"),
                        TREE_DISK("sdb", "8:16"),
                        TREE_DISK("sdc", "8:32"),
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
        topology = discovery_read(*state);
        assert_false(discovery_has_note(topology, "udev"));

        const struct layer *sda = discovery_find(topology, "sda");
        assert_string_equal(sda->serial, "123");
        assert_string_equal(sda->serial_long, "Make_Model_123");
        assert_string_equal(sda->model, "Model");
        assert_string_equal(sda->transport, "ata");
        assert_string_equal(sda->filesystem, "LVM2_member");
        assert_false(sda->udev_other_rules_disabled || sda->udev_not_ready);

        const struct layer *sdb = discovery_find(topology, "sdb");
        assert_null(sdb->serial);
        assert_string_equal(sdb->serial_long, "long");
        assert_null(sdb->model);
        assert_string_equal(sdb->transport, "a=b");
        assert_true(sdb->udev_other_rules_disabled && sdb->udev_not_ready);

        const struct layer *sdc = discovery_find(topology, "sdc");
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
                        TREE_DISK("nvme0n1", "259:0"),
                        {"sys/class/block/nvme0n1/device/serial", "  S3 R          \n"},
                        TREE_DISK("nvme0n1p1", "259:1"),
                        {"sys/class/block/nvme0n1p1/partition", "1\n"},
                        {"sys/class/block/nvme0n1/nvme0n1p1/partition", "1\n"},
                        TREE_DISK("nvme1n1", "259:2"),
                        {"sys/class/block/nvme1n1/device/serial", "    \n"},
                        TREE_DISK("nvme2n1", "259:3"),
                        TREE_DISK("nvme3n1", "259:4"),
                        {"sys/class/block/nvme3n1/device/serial", "kernel\n"},
                        {"run/udev/data/b259:4", "E:ID_SERIAL=udev\n"},
                        TREE_DISK("nvme4n1", "259:5"),
                        {"sys/class/block/nvme4n1/device/serial", "kernel\n"},
                        {"run/udev/data/b259:5", "E:ID_SERIAL_SHORT=short\n"},
                        TREE_DISK("vda", "252:0"),
                        {"sys/class/block/vda/serial", "virt"},
                        TREE_DISK("vdb", "252:16"),
                        TREE_DISK("mmcblk0", "179:0"),
                        {"sys/class/block/mmcblk0/device/serial", "0x12\n"},
                        TREE_DISK("sda", "8:0"),
                        TREE_DISK("md0", "9:0"),
                        {"sys/class/block/md0/md/level", "raid1\n"},
                        {"sys/class/block/md0/serial", "none\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        tree_link(*state, "sys/class/block/nvme1n1/device/subsystem", "../../../class/nvme");
        tree_link(*state, "sys/class/block/nvme2n1/device/subsystem", "../../../class/nvme-subsystem");
        tree_link(*state, "sys/class/block/vdb/device/subsystem", "../../../bus/scsi");
        topology = discovery_read(*state);
        for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
                const struct layer *layer = discovery_find(topology, expected[i].name);

                assert_string_equal(layer->serial ?: "-", expected[i].serial ?: "-");
                assert_string_equal(layer->serial_long ?: "-", expected[i].serial_long ?: "-");
                assert_string_equal(layer->transport ?: "-", expected[i].transport ?: "-");
        }
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
        static const struct tree_file files[] = {TREE_DISK("sda", "8:0"), TREE_MAP("dm-0", "253:0", "lv", LVM_UUID)};

        for (unsigned more = 0; more < 2; more++) {
                _cleanup_(topology_freep) struct topology *topology = NULL;

                tree_write_all(*state, files, ARRAY_SIZE(files));
                write_large(*state, "proc/self/mountinfo", "21 1 8:0 / /srv rw - ext4 /dev/sda rw\n", 16 - 1 + more);
                write_large(*state, "dmsetup/table", "lv: 0 8 linear 8:0 0\n", 32 + more);
                topology = discovery_read(*state);
                assert_int_equal(discovery_find(topology, "sda")->n_uses, 1);
                assert_int_equal(discovery_find(topology, "dm-0")->dm->n_segments, more ? 0 : 1);
                assert_int_equal(topology->incomplete, more > 0);
                assert_int_equal(discovery_has_note(topology,
                                                 "dmsetup/table could not be read (it is too large), and 1 more"),
                                more > 0);
        }
}

/* Of scanf(3)'s conversions even those of numbers without a sign take one. */
static void test_negative_numbers(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("sda", "8:0"),
                        TREE_DISK("sdb", "-8:16"),
                        TREE_DISK("sdc", "8:-32"),
                        {"proc/meminfo", "MemTotal: -6 kB\n"},
                        {"proc/self/smaps", "KernelPageSize: -4 kB\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discovery_read(*state);
        assert_true(discovery_find(topology, "sda")->has_devno);
        assert_false(discovery_find(topology, "sdb")->has_devno);
        assert_false(discovery_find(topology, "sdc")->has_devno);
        assert_false(topology->memory_bytes.known);
        assert_int_equal(topology->page_bytes, 4096);
}

/* Every file in turn is something it should not be. */
static void test_hostile(void **state) {
        static const struct tree_file files[] = {
                        TREE_DISK("sda", "8:0"),
                        {"sys/class/block/sda/sda1/partition", "1\n"},
                        {"sys/class/block/sda/sda1/dev", "8:1\n"},
                        {"sys/class/block/sda/sda1/size", "1\n"},
                        {"sys/class/block/sda/hidden", "0\n"},
                        TREE_DISK("md0", "9:0"),
                        {"sys/class/block/md0/md/level", "raid5\n"},
                        {"sys/class/block/md0/md/raid_disks", "3\n"},
                        {"sys/class/block/md0/md/array_state", "clean\n"},
                        {"sys/class/block/md0/md/dev-sda/slot", "0\n"},
                        {"sys/class/block/md0/md/dev-sda/state", "in_sync\n"},
                        TREE_MAP("dm-0", "253:0", "lv", LVM_UUID),
                        TREE_DISK("loop0", "7:0"),
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
                        topology = discovery_read(tree);
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

int main(void) {
        const struct CMUnitTest tests[] = {
                        DISCOVERY_TEST(test_no_sys),
                        DISCOVERY_TEST(test_empty_sys),
                        DISCOVERY_TEST(test_attributes),
                        DISCOVERY_TEST(test_largest_request),
                        DISCOVERY_TEST(test_kinds),
                        DISCOVERY_TEST(test_passed_over),
                        DISCOVERY_TEST(test_partitions),
                        DISCOVERY_TEST(test_partitions_without_class),
                        DISCOVERY_TEST(test_bcache),
                        DISCOVERY_TEST(test_asleep),
                        DISCOVERY_TEST(test_udev),
                        DISCOVERY_TEST(test_udev_completed),
                        DISCOVERY_TEST(test_too_large),
                        DISCOVERY_TEST(test_negative_numbers),
                        cmocka_unit_test(test_hostile),
                        cmocka_unit_test(test_live),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
