/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/capture-report.h"
#include "common/capture.h"
#include "tests/support/tree.h"

#define BLOCK REPORT_BLOCK_DIRECTORY "/"

typedef void (*reader)(FILE *stream, struct record *record);

static const reader readers[] = {report_read_udev, report_read_dmsetup, report_read_losetup, report_read_lsblk,
                report_read_limits, report_read_blockdev};

static void feed(reader read, const char *text, size_t size, struct record *record) {
        FILE *stream = size > 0 ? fmemopen((void *)(uintptr_t)text, size, "r") : fopen("/dev/null", "re");

        assert_non_null(stream);
        read(stream, record);
        fclose(stream);
}

/* A file, by its content; a directory, as "/"; "" also if there is neither. */
static const char *find(struct record *record, const char *path) {
        static char text[256];
        const struct record_entry *list;
        size_t n;

        assert_int_equal(record_list(record, &list, &n), 0);
        for (size_t i = 0; i < n; i++)
                if (strcmp(list[i].path, path) == 0) {
                        snprintf(text, sizeof(text), "%.*s", (int)list[i].size, list[i].text);
                        return list[i].type == RECORD_DIRECTORY ? "/" : text;
                }
        return "";
}

static void test_tools(void **state) {
        static const struct {
                reader read;
                const char *text;
                struct {
                        const char *path, *text;
                } expected[8];
        } cases[] = {
                        {report_read_udev,
                                        "P: /devices/pci/block/sda/sda1\nN: sda1\nE: DEVTYPE=partition\nE: MAJOR=8\n"
                                        "E: MINOR=1\nE: ID_PART_ENTRY_OFFSET=2048\nE: MD_LEVEL=raid5\nE: PARTN=1\n\n"
                                        "P: /devices/virtual/block/dm-3\nE: MAJOR=253\nE: MINOR=3\nE: DM_NAME=a b\n\n"
                                        "P: /devices/virtual/block/sdb\nE: MAJOR=8\nE: MINOR=-1\n\n"
                                        "P: /devices/virtual/net/lo\nE: MAJOR=1\nE: MINOR=1",
                                        {{BLOCK "sda1/dev", "8:1\n"}, {BLOCK "sda1/start", "2048\n"},
                                                        {BLOCK "sda/sda1", "/"}, {BLOCK "sda1/md/level", ""},
                                                        {BLOCK "dm-3/dm/name", "a b\n"},
                                                        {"run/udev/data/b253:3",
                                                                        "E:MAJOR=253\nE:MINOR=3\nE:DM_NAME=a b\n"},
                                                        {BLOCK "sdb/dev", ""}, {BLOCK "lo/dev", ""}}},
                        {report_read_dmsetup,
                                        "Name    Maj Min Stat Open Targ Event  UUID\n"
                                        "vg-lv   253   4 L--w    1    1      0 LVM-x\nplain   253   5 LIsw    0    0   "
                                        "   0\nminus   253   -6 LIsw    0    0      0\n",
                                        {{BLOCK "dm-4/dm/name", "vg-lv\n"}, {BLOCK "dm-4/dm/uuid", "LVM-x\n"},
                                                        {BLOCK "dm-4/dm/suspended", "0\n"},
                                                        {BLOCK "dm-5/dm/uuid", "\n"},
                                                        {BLOCK "dm-5/dm/suspended", "1\n"},
                                                        {BLOCK "dm-5/dev", "253:5\n"}, {BLOCK "dm--6/dev", ""},
                                                        {BLOCK "dm-4294967290/dev", ""}}},
                        {report_read_losetup,
                                        "/dev/loop1: [0040]:7 (/a (b) c), offset 512\n/dev/loop2: []: ()\nloop3 (x)\n",
                                        {{BLOCK "loop1/loop/backing_file", "/a (b) c\n"},
                                                        {BLOCK "loop3/loop/backing_file", ""}}},
                        {report_read_lsblk,
                                        "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\nsda 8:0 0 1G 0 disk\n"
                                        "\342\224\234\342\224\200sda1 8:1 0 1G 0 part /\n"
                                        "\342\224\202 \342\224\224\342\224\200md0 9:0 0 1G 0 raid5\n"
                                        "\342\224\202   \342\224\224\342\224\200vg-a 253:0 0 1G 0 lvm /b\n`-sda2 8:2 0 "
                                        "1G 0 part\nsdb -8:0 0 1G 0 disk\n",
                                        {{BLOCK "sda/sda1", "/"}, {BLOCK "sda1/dev", "8:1\n"},
                                                        {BLOCK "md0/slaves/sda1", "/"},
                                                        {BLOCK "md0/md/level", "raid5\n"},
                                                        {BLOCK "dm-0/slaves/md0", "/"},
                                                        {BLOCK "dm-0/dm/name", "vg-a\n"}, {BLOCK "sda/sda2", "/"},
                                                        {BLOCK "sdb/dev", ""}}},
                        {report_read_blockdev,
                                        "RO    RA   SSZ   BSZ   StartSec            Size   Device\n"
                                        "rw 256 512 4096 0 136365211648 /dev/sda\nro 8 2048 2048 0 1024 "
                                        "/dev/cciss/c0d0\n"
                                        "rw 1 512 512 0 1 /dev/..\nrw -1 512 512 0 1 /dev/sdb\n",
                                        {{BLOCK "sda/size", "266338304\n"}, {BLOCK "sda/queue/read_ahead_kb", "128\n"},
                                                        {BLOCK "sda/ro", "0\n"}, {BLOCK "cciss!c0d0/ro", "1\n"},
                                                        {BLOCK "../size", ""}, {BLOCK "sdb/size", ""}}},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct record *record = record_new();

                feed(cases[i].read, cases[i].text, strlen(cases[i].text), record);
                for (size_t j = 0; j < ARRAY_SIZE(cases[i].expected) && cases[i].expected[j].path; j++)
                        assert_string_equal(find(record, cases[i].expected[j].path), cases[i].expected[j].text);
                record_free(record);
        }
}

/* lsblk has nothing to say of devices that nobody else has named, and what is known stays. */
static void test_known(void **state) {
        static const char limits[] = "NAME ALIGNMENT MIN-IO OPT-IO PHY-SEC LOG-SEC ROTA SCHED RQ-SIZE RA WSAME\n"
                                     "sda -1 4096 33553920 4096 512 1 none 256 128 0B\n`-vg-a 0 1 2 3 4 0 128 128 0B\n";
        struct record *record = record_new();

        record_file(record, BLOCK "sda/dev", "8:0\n", 4);
        record_file(record, BLOCK "sda/queue/rotational", "0\n", 2);
        feed(report_read_limits, limits, strlen(limits), record);
        assert_string_equal(find(record, BLOCK "sda/queue/rotational"), "0\n");
        assert_string_equal(find(record, BLOCK "sda/alignment_offset"), "-1\n");
        assert_string_equal(find(record, BLOCK "sda/queue/optimal_io_size"), "33553920\n");
        assert_string_equal(find(record, BLOCK "vg-a"), "");
        record_free(record);
}

/* Nothing that a reader is given does harm, and nothing leads out. */
static void test_hostile(void **state) {
        static const char alphabet[] = "\n\n\n  :=/.|`-\\PEN0123456789sdablkmrwo\0\342\224\224";
        static const char *const starts[] = {"P: /x/block/sda\nE: MAJOR=1\nE: ", "a 1 2 L", "/dev/loop0: (",
                        "a 1:2 0 0 0 ", "sda 0 1 2 3 4 5 ", "rw 1 2 3 4 5 /dev/",
                        "P: /block/\nP: /block/..\nE: MAJOR=1\n\n", ""};
        char text[3 * 8192];
        uint32_t random = 1;

        for (size_t i = 0; i < 3000; i++) {
                struct record *record = record_new();
                const char *start = starts[i % ARRAY_SIZE(starts)];
                size_t n = strlen(start), size;
                const struct record_entry *list;

                memcpy(text, start, n);
                size = n + (i % 100 == 0 ? sizeof(text) - n : i % 300);
                for (; n < size; n++) {
                        random = random * 1103515245 + 12345;
                        text[n] = i % 100 == 0 ? 'a' : alphabet[(random >> 16) % sizeof(alphabet)];
                }
                for (size_t j = 0; j < ARRAY_SIZE(readers); j++)
                        feed(readers[j], text, size, record);
                assert_int_equal(record_list(record, &list, &n), 0);
                for (size_t j = 0; j < n; j++) {
                        assert_true(list[j].path[0] != '/');
                        assert_null(strstr(list[j].path, "/../"));
                        assert_true(strlen(list[j].path) < 1024);
                }
                record_free(record);
        }
}

static void test_import(void **state) {
        static const struct tree_file files[] = {
                        {"sys/devices/virtual/block/md0/md/level", "raid5\n"},
                        {"sys/devices/virtual/block/md0/md/dev-sda/slot", "0\n"},
                        {"sys/devices/virtual/block/md0/queue/read_ahead_kb", "384\n"},
                        {"sos_commands/block/blockdev_--report", "rw 5 512 512 0 512000 /dev/md0\n"},
                        {"sos_commands/devicemapper/dmsetup_table_--extra", "a: 0 1 linear 9:0 0\n"},
                        {"sos_commands/devicemapper/dmsetup_status_--extra", "a: 0 1 raid raid1 2 AA 1/1 idle 0\n"},
                        {"proc/1/mountinfo", "init\n"},
                        {"proc/7/mountinfo", "container\n"},
                        {"sos_commands/host/hostname", "a-host\n"},
        };
        struct tree *tree = tree_new();
        struct record *record = record_new();
        struct sysroot *root = NULL;

        tree_write_all(tree, files, ARRAY_SIZE(files));
        tree_link(tree, "sys/block/md0", "../devices/virtual/block/md0");
        tree_link(tree, "sys/devices/virtual/block/md0/slaves/sda", "../../sda");
        tree_link(tree, "sys/devices/virtual/block/md0/md/rd0", "dev-sda");
        tree_link(tree, "proc/self", "7");
        assert_int_equal(sysroot_open(tree_path(tree), &root), 0);
        assert_true(report_is_one(root));
        assert_int_equal(report_import(root, record), 0);
        assert_string_equal(find(record, BLOCK "md0/md/dev-sda/slot"), "0");
        assert_string_equal(find(record, BLOCK "md0/queue/read_ahead_kb"), "384");
        assert_string_equal(find(record, BLOCK "md0/size"), "1000\n");
        assert_string_equal(find(record, BLOCK "md0/slaves/sda"), "/");
        assert_string_equal(find(record, BLOCK "md0/md/rd0"), "");
        assert_string_equal(find(record, "dmsetup/table"), "a: 0 1 linear 9:0 0\n");
        assert_string_equal(find(record, "dmsetup/status"), "a: 0 1 raid raid1 2 AA 1/1 idle 0\n");
        assert_string_equal(find(record, "proc/self/mountinfo"), "init\n");
        assert_string_equal(find(record, "proc/sys/kernel/hostname"), "a-host\n");
        record_free(record);
        sysroot_free(root);
        tree_free(tree);
}

static void test_import_nothing(void **state) {
        struct tree *tree = tree_new();
        struct sysroot *root = NULL;
        char *reason = NULL;

        tree_write(tree, "sos_commands/block/lsblk", "lsblk: command not found\n");
        assert_int_equal(capture_open(tree_path(tree), &root, &reason), -ENOENT);
        assert_non_null(reason);
        free(reason);
        tree_write(tree, "sys/class/block/sda/size", "1\n");
        assert_int_equal(capture_open(tree_path(tree), &root, &reason), 0);
        sysroot_free(root);
        tree_free(tree);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_tools),
                        cmocka_unit_test(test_known),
                        cmocka_unit_test(test_hostile),
                        cmocka_unit_test(test_import),
                        cmocka_unit_test(test_import_nothing),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
