/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/capture-identifier.h"
#include "common/capture-record.h"
#include "common/capture.h"
#include "tests/support/tree.h"

#define WWID  "3600508b400105e210000900000490000"
#define WWID2 "1ATA_DISK_1234"

static void assert_replaced(struct identifiers *identifiers, const char *text, const char *expected) {
        char *replaced = identifiers_replace(identifiers, text);

        assert_string_equal(replaced, expected);
        free(replaced);
}

static void test_replace(void **state) {
        static const char reserved[] = "x serial-0003 wwid-12 host-0001";
        static const struct {
                const char *text, *replaced;
        } cases[] = {
                        {"", ""},
                        {"nothing", "nothing"},
                        {"abcd", "serial-0004"},
                        {"ABCD", "serial-0004"},
                        {"/a/abcd-1", "/a/serial-0004-1"},
                        {"abcd1 xabcd", "abcd1 xabcd"},
                        {"xabcdefgh1", "xserial-00051"},
                        {"abcd_abcd", "serial-0004_serial-0004"},
                        {"abcdefghi", "serial-0006"}, /* the longest counts */
                        {"abc", "abc"},
                        {"a-long-name-of-a-host", "host-0002"},
                        {"a-long-name-of-a-hosts", "a-long-name-of-a-hosts"},
                        {"longer than a-long-name-of", "longer than a-long-name-of"},
                        {"both", "wwid-0001"},
                        {"5000c500", "serial-0007"},
                        {"0x5000c500", "0xserial-0007"},
                        {"localhost serial-0003", "localhost serial-0003"},
        };
        struct identifiers *identifiers = identifiers_new();

        identifiers_add(identifiers, IDENTIFIER_SERIAL, "abcd");
        identifiers_add(identifiers, IDENTIFIER_SERIAL, "abcdefgh");
        identifiers_add(identifiers, IDENTIFIER_SERIAL, "aBcdefghi");
        identifiers_add(identifiers, IDENTIFIER_SERIAL, "abcd");
        identifiers_add(identifiers, IDENTIFIER_SERIAL, "abc");
        identifiers_add(identifiers, IDENTIFIER_SERIAL, "");
        identifiers_add(identifiers, IDENTIFIER_HOST, "a-long-name-of-a-host");
        identifiers_add(identifiers, IDENTIFIER_HOST, "localhost");
        identifiers_add(identifiers, IDENTIFIER_WWID, "both");
        identifiers_add(identifiers, IDENTIFIER_SERIAL, "both");
        identifiers_add(identifiers, IDENTIFIER_SERIAL, "0x5000c500");
        identifiers_add(identifiers, IDENTIFIER_SERIAL, "serial-0003");
        identifiers_reserve(identifiers, reserved, strlen(reserved));
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                assert_replaced(identifiers, cases[i].text, cases[i].replaced);
        identifiers_free(identifiers);
}

#define BLOCK "sys/class/block/"
#define MAP(number, name, uuid)                                                                                        \
        {BLOCK "dm-" number "/size", "100\n"}, {BLOCK "dm-" number "/dev", "253:" number "\n"},                        \
                        {BLOCK "dm-" number "/dm/name", name "\n"}, {                                                  \
                BLOCK "dm-" number "/dm/uuid", uuid "\n"                                                               \
        }
#define LVM "LVM-Zy0m1VYvSdJfqQHGwTPUOfQjWzIqN1dQ000000000000000000000000000000a1"

static const struct tree_file machine[] = {
                {BLOCK "sda/size", "100\n"},
                {BLOCK "sda/dev", "8:0\n"},
                {BLOCK "sda/serial", "VIRT1O  ser \n"},
                {BLOCK "nvme0n1/size", "100\n"},
                {BLOCK "nvme0n1/dev", "259:0\n"},
                {BLOCK "nvme0n1/device/serial", "NVM3SER1AL          \n"},
                MAP("0", WWID, "mpath-" WWID),
                MAP("1", WWID "1", "part1-mpath-" WWID),
                MAP("2", "mpatha", "mpath-" WWID2),
                MAP("3", "web--01--vg-root", LVM),
                MAP("4", "luks\\x205ER1AL", "CRYPT-LUKS2-0123456789abcdef0123456789abcdef-luks 5ER1AL"),
                MAP("5", "web-01-x", "CRYPT-PLAIN-web-01-x"),
                MAP("6", "600508b400105e210000900000490000", ""),
                MAP("7", "short", "mpath-x1"),
                MAP("8", "wwid-0007", ""),
                MAP("9", "web-01-r L0NGSER1AL", ""),
                {BLOCK "md_web-01/size", "100\n"},
                {BLOCK "md_web-01/dev", "9:127\n"},
                {BLOCK "md_web-01/md/level", "raid1\n"},
                {BLOCK "md_web-01/md/dev-md_web-01/slot", "0\n"},
                {BLOCK "loop0/size", "100\n"},
                {BLOCK "loop0/dev", "7:0\n"},
                {BLOCK "loop0/loop/backing_file", "/srv/web-01 5ER1AL/" WWID ".img\n"},
                {BLOCK "loop1/size", "100\n"},
                {BLOCK "loop1/dev", "7:1\n"},
                {BLOCK "loop1/loop/backing_file", "/dev/mapper/web--01--vg-root\n"},
                {BLOCK "loop2/size", "100\n"},
                {BLOCK "loop2/dev", "7:2\n"},
                {BLOCK "loop2/loop/backing_file", "/dev/web-01-vg/root\n"},
                {"dmsetup/table", WWID ": 0 100 multipath 0 0 1 1 service-time 0 1 2 8:0 1 1\n" WWID
                                       "1: 0 90 linear 253:0 8\nweb--01--vg-root: 0 10 linear 9:127 0\n"
                                       "luks\\x205ER1AL: 0 10 linear 253:3 0\nweb-01-x: 0 10 linear 8:0 0\n"
                                       "web-01-r\\x20L0NGSER1AL: 0 100 raid raid1 1 0 2 - 253:4 - 259:0\n"},
                {"dmsetup/status", "web-01-r\\x20L0NGSER1AL: 0 100 raid raid1 2 AA 100/100 idle 0 0 -\n"},
                {"run/udev/data/b259:0", "E:ID_SERIAL=L0NGSER1AL\n"},
                {"run/udev/data/b8:0", "E:ID_SERIAL=Make_5ER1AL\nE:ID_SERIAL_SHORT=5ER1AL\nE:ID_MODEL=Make\n"
                                       "E:ID_WWN_WITH_EXTENSION=0x600508b400105e210000900000490000\nE:ID_BUS=ata\n"},
                {"proc/self/mountinfo", "30 1 253:1 / /mnt/" WWID "\\0405ER1AL rw - ext4 /dev/mapper/" WWID "1 rw\n"
                                        "31 1 9:127 / /srv/web-01\\0405ER1AL rw - xfs /dev/md_web-01 rw\n"},
                {"proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/md_web-01 partition 1 0 -2\n"},
                {"proc/sys/kernel/hostname", "WEB-01.example.com\n"},
};

static const struct tree_file expected[] = {
                {BLOCK "dm-0/dm/name", "wwid-0009\n"},
                {BLOCK "dm-0/dm/uuid", "mpath-wwid-0009\n"},
                {BLOCK "dm-1/dm/name", "wwid-00091\n"},
                {BLOCK "dm-1/dm/uuid", "part1-mpath-wwid-0009\n"},
                {BLOCK "dm-2/dm/name", "mpatha\n"},
                {BLOCK "dm-2/dm/uuid", "mpath-wwid-0010\n"},
                {BLOCK "dm-3/dm/name", "host--0001--vg-root\n"},
                {BLOCK "dm-3/dm/uuid", LVM "\n"},
                {BLOCK "dm-4/dm/name", "luks\\x20serial-0001\n"},
                {BLOCK "dm-4/dm/uuid", "CRYPT-LUKS2-0123456789abcdef0123456789abcdef-luks\\x20serial-0001\n"},
                {BLOCK "dm-5/dm/name", "host-0001-x\n"},
                {BLOCK "dm-5/dm/uuid", "CRYPT-PLAIN-host-0001-x\n"},
                {BLOCK "dm-6/dm/name", "wwid-0008\n"},
                {BLOCK "dm-7/dm/uuid", "mpath-wwid-0011\n"},
                {BLOCK "dm-8/dm/name", "wwid-0007\n"},
                {BLOCK "dm-9/dm/name", "host-0001-r\\x20serial-0002\n"},
                {BLOCK "md_host-0001/md/level", "raid1\n"},
                {BLOCK "md_host-0001/md/dev-md_host-0001/slot", "0\n"},
                {BLOCK "loop0/loop/backing_file", "/srv/host-0001 serial-0001/wwid-0009.img\n"},
                {BLOCK "loop1/loop/backing_file", "/dev/mapper/host--0001--vg-root\n"},
                {BLOCK "loop2/loop/backing_file", "/dev/host-0001-vg/root\n"},
                {"dmsetup/table", "wwid-0009: 0 100 multipath 0 0 1 1 service-time 0 1 2 8:0 1 1\n"
                                  "wwid-00091: 0 90 linear 253:0 8\nhost--0001--vg-root: 0 10 linear 9:127 0\n"
                                  "luks\\x20serial-0001: 0 10 linear 253:3 0\nhost-0001-x: 0 10 linear 8:0 0\n"
                                  "host-0001-r\\x20serial-0002: 0 100 raid raid1 1 0 2 - 253:4 - 259:0\n"},
                {"dmsetup/status", "host-0001-r\\x20serial-0002: 0 100 raid raid1 2 AA 100/100 idle 0 0 -\n"},
                {"dmsetup/info", "wwid-0009:253:0\nwwid-00091:253:1\nhost--0001--vg-root:253:3\n"
                                 "luks\\x20serial-0001:253:4\nhost-0001-x:253:5\n"
                                 "host-0001-r\\x20serial-0002:253:9\n"},
                {"run/udev/data/b8:0", "E:ID_MODEL=Make\nE:ID_BUS=ata\n"},
                {"proc/self/mountinfo", "2 1 253:1 / /mnt/wwid-0009\\040serial-0001 rw - ext4 /dev/dm-1 rw\n"
                                        "3 1 9:127 / /srv/host-0001\\040serial-0001 rw - xfs /dev/md_host-0001 rw\n"},
                {"proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/md_host-0001 partition 0 0 0\n"},
};

static struct record *take(struct tree *tree, bool with_identifiers) {
        struct sysroot *root = NULL;
        struct topology *topology = NULL;
        struct record *record = NULL;

        assert_int_equal(sysroot_open(tree_path(tree), &root), 0);
        assert_int_equal(capture_take(root, with_identifiers, &record, &topology), 0);
        topology_free(topology);
        sysroot_free(root);
        return record;
}

static const struct record_entry *find(const struct record_entry *list, size_t n, const char *path) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(list[i].path, path) == 0)
                        return &list[i];
        fail_msg("no %s", path);
        return NULL;
}

static void assert_expected(struct record *record) {
        const struct record_entry *list;
        size_t n;

        assert_int_equal(record_list(record, &list, &n), 0);
        for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
                const struct record_entry *entry = find(list, n, expected[i].path);
                char *text = strndup(entry->text, entry->size);

                assert_string_equal(text, expected[i].text);
                free(text);
        }
}

static bool has(const struct record_entry *entry, const char *word) {
        return strcasestr(entry->path, word) || memmem(entry->text, entry->size, word, strlen(word));
}

static void test_take(void **state) {
        static const char *const secret[] = {WWID, &WWID[1], WWID2, "5ER1AL", "L0NGSER1AL", "VIRT1O", "NVM3SER1AL",
                        "web-01", "web--01", "WEB-01", "mpath-x1"};
        struct tree *tree = tree_new();
        struct record *record;
        const struct record_entry *list;
        size_t n;

        tree_write_all(tree, machine, ARRAY_SIZE(machine));
        record = take(tree, false);
        assert_expected(record);
        assert_int_equal(record_list(record, &list, &n), 0);
        for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < ARRAY_SIZE(secret); j++)
                        assert_false(has(&list[i], secret[j]));
        record_free(record);

        record = take(tree, true);
        assert_int_equal(record_list(record, &list, &n), 0);
        for (size_t j = 0; j < ARRAY_SIZE(secret); j++) {
                bool found = false;

                for (size_t i = 0; i < n; i++)
                        found |= has(&list[i], secret[j]);
                assert_true(found);
        }
        record_free(record);
        tree_free(tree);
}

/* What has stand-ins only stays as it is. */
static void test_take_again(void **state) {
        struct tree *tree = tree_new();
        struct record *record;

        tree_write_all(tree, expected, ARRAY_SIZE(expected));
        for (size_t i = 0; i < ARRAY_SIZE(machine); i++) {
                const char *slash = strrchr(machine[i].path, '/');

                if (strncmp(machine[i].path, BLOCK, strlen(BLOCK)) == 0 && !strstr(machine[i].path, "md_") &&
                                (strcmp(slash, "/dev") == 0 || strcmp(slash, "/size") == 0))
                        tree_write(tree, machine[i].path, machine[i].text);
        }
        tree_write(tree, BLOCK "md_host-0001/dev", "9:127\n");
        record = take(tree, false);
        assert_expected(record);
        record_free(record);
        tree_free(tree);
}

/* Names of the kernel are not people's, whatever the machine is called. */
static void test_machine_called_as_devices(void **state) {
        static const char *const names[] = {"sda", "dm", "dev", "mapper", "part", "mpath", "LVM", "linear", "ext4"};
        static const struct tree_file files[] = {
                        {BLOCK "sda/size", "100\n"},
                        {BLOCK "sda/dev", "8:0\n"},
                        MAP("0", "mpatha", "mpath-x"),
                        MAP("1", "vg-a", LVM),
                        {BLOCK "loop0/size", "100\n"},
                        {BLOCK "loop0/dev", "7:0\n"},
                        {BLOCK "loop0/loop/backing_file", "/dev/sda\n"},
                        {"dmsetup/table", "mpatha: 0 1 linear 8:0 0\n"},
                        {"proc/self/mountinfo", "30 1 8:0 / /mnt rw - ext4 /dev/sda rw\n"},
        };
        static const struct tree_file kept[] = {
                        {BLOCK "dm-0/dm/uuid", "mpath-wwid-0001\n"},
                        {BLOCK "dm-1/dm/uuid", LVM "\n"},
                        {BLOCK "loop0/loop/backing_file", "/dev/sda\n"},
                        {"dmsetup/table", "mpatha: 0 1 linear 8:0 0\n"},
                        {"proc/self/mountinfo", "2 1 8:0 / /mnt rw - ext4 /dev/sda rw\n"},
        };
        struct tree *tree = tree_new();

        tree_write_all(tree, files, ARRAY_SIZE(files));
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                const struct record_entry *list;
                struct record *record;
                size_t n;

                tree_write(tree, "etc/hostname", names[i]);
                record = take(tree, false);
                assert_int_equal(record_list(record, &list, &n), 0);
                for (size_t j = 0; j < ARRAY_SIZE(kept); j++) {
                        const struct record_entry *entry = find(list, n, kept[j].path);

                        assert_int_equal(entry->size, strlen(kept[j].text));
                        assert_memory_equal(entry->text, kept[j].text, entry->size);
                }
                record_free(record);
        }
        tree_free(tree);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_replace),
                        cmocka_unit_test(test_take),
                        cmocka_unit_test(test_take_again),
                        cmocka_unit_test(test_machine_called_as_devices),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
