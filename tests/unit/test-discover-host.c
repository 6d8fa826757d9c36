/* SPDX-License-Identifier: MIT */

/* Discovery of mounts, swaps and memory, over small captured roots. */

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/layer.h"
#include "tests/support/discovery.h"

static void test_host(void **state) {
        _cleanup_(topology_freep) struct topology *topology = NULL;
        static const struct tree_file files[] = {
                        TREE_DISK("sda", "8:0"),
                        TREE_MAP("dm-0", "253:0", "my\\x20disk", ""),
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
        topology = discovery_read(*state);
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

        assert_int_equal(discovery_find(topology, "sda")->n_uses, 2);
        assert_int_equal(discovery_find(topology, "dm-0")->n_uses, 2);
}

/* Anybody may say so: what is not believed makes no device one that is mounted. A fuseblk is root's, and has a number. */
static void test_host_fuse(void **state) {
        static const struct tree_file machine[] = {TREE_DISK("sda", "8:0"), TREE_MAP("dm-0", "253:0", "map", "")};
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
                topology = discovery_read(*state);
                assert_int_equal(topology->n_mounts, 4);
                assert_int_equal(discovery_find(topology, "dm-0")->n_uses, 0);
                assert_int_equal(discovery_find(topology, "sda")->n_uses, 1);
                assert_string_equal(discovery_find(topology, "sda")->uses[0].path, "/media");
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
        topology = discovery_read(tree);
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
                        TREE_DISK("sda", "8:0"),
                        {"proc/mounts", "proc /proc proc rw 0 0\n/dev/sda /srv/a\\040b ext4 rw,relatime 0 0\n"},
                        {"proc/swaps", ""},
                        {"proc/meminfo", "MemTotal: 99999999999999999999 kB\n"},
                        {"proc/self/smaps", "KernelPageSize: 3 kB\n"},
        };

        tree_write_all(*state, files, ARRAY_SIZE(files));
        topology = discovery_read(*state);
        assert_false(discovery_has_note(topology, "mountinfo"));
        assert_int_equal(discovery_find(topology, "sda")->n_uses, 1);
        assert_string_equal(discovery_find(topology, "sda")->uses[0].path, "/srv/a b");
        assert_false(topology->memory_bytes.known);
        assert_int_equal(topology->page_bytes, 4096);
        assert_int_equal(topology->n_swaps, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        DISCOVERY_TEST(test_host),
                        DISCOVERY_TEST(test_host_root_source),
                        DISCOVERY_TEST(test_host_fuse),
                        DISCOVERY_TEST(test_host_without_mountinfo),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
