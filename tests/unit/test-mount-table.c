/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mount-table.h"
#include "common/topology-private.h"

static const struct mount mounts[] = {
                {"/", "ext4", "/dev/root", 8, 1},
                {"/srv", "xfs", "/dev/mapper/vg-srv", 253, 0},
                {"/srv/a", "btrfs", "/dev/sdb", 0, 40},
                {"/srv/a", "btrfs", "/dev/mapper/with\\x20blank", 0, 41},
                {"/data", "btrfs", "/dev/vg/data", 0, 42},
                {"/bind", "xfs", "/dev/mapper/vg-srv", 253, 0},
                {"/run", "tmpfs", "tmpfs", 0, 23},
                {"/srvx", "proc", NULL, 0, 24},
};

static void test_find_file(void **state) {
        static const struct {
                const char *path, *source;
        } cases[] = {
                        {"/etc/passwd", "/dev/root"},
                        {"/", "/dev/root"},
                        {"/srv", "/dev/mapper/vg-srv"},
                        {"/srv/file", "/dev/mapper/vg-srv"},
                        {"/srv/ab", "/dev/mapper/vg-srv"},
                        {"/srv/a/b/c", "/dev/mapper/with\\x20blank"}, /* the last of two */
                        {"/srv/a", "/dev/mapper/with\\x20blank"},
                        {"/srvy", "/dev/root"},
                        {"/run/x", "tmpfs"},
        };
        _cleanup_(mount_table_freep) struct mount_table *table = mount_table_new(mounts, ARRAY_SIZE(mounts));
        _cleanup_(mount_table_freep) struct mount_table *none = mount_table_new(NULL, 0);
        _cleanup_(mount_table_freep) struct mount_table *one = mount_table_new(&mounts[1], 1);
        _cleanup_(freep) char *longest = malloc(5000);

        assert_non_null(longest);
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct mount *mount = mount_table_find_file(table, cases[i].path);

                assert_non_null(mount);
                assert_string_equal(mount->source, cases[i].source);
        }
        assert_null(mount_table_find_file(table, "relative"));
        assert_null(mount_table_find_file(table, ""));
        assert_null(mount_table_find_file(none, "/etc/passwd"));
        assert_null(mount_table_find_file(one, "/etc/passwd"));
        memset(longest, 'a', 4999);
        longest[0] = '/';
        longest[4999] = '\0';
        assert_null(mount_table_find_file(table, longest));
}

/* Adds a layer; MAP may be NULL, VG and LV too. */
static void add(struct topology *topology, const char *name, unsigned major, unsigned minor, struct dm_info *dm,
                const char *file) {
        struct layer *layer;

        assert_int_equal(topology_add(topology, name, &layer), 0);
        layer->has_devno = true;
        layer->major = major;
        layer->minor = minor;
        layer->dm = dm;
        layer->backing_file = file;
}

static void assert_selected(struct topology *topology, const char *expected) {
        _cleanup_(mount_table_freep) struct mount_table *table = mount_table_new(mounts, ARRAY_SIZE(mounts));
        char actual[256] = "";

        assert_int_equal(mount_table_select(table, topology), 0);
        for (size_t i = 0; i < topology->n_mounts; i++)
                snprintf(actual + strlen(actual), sizeof(actual) - strlen(actual), "%s:%u ", topology->mounts[i].path,
                                topology->mounts[i].minor);
        assert_string_equal(actual, expected);
        topology_free(topology);
}

/* After an event a file is on what a scan of all has it on, whatever a mount point looks like. */
static void test_find_file_as_topology_does(void **state) {
        static const char *const paths[] = {"/", "//", "/srv", "/srv/", "/srv//", "srv", "", "/srv/a"};
        static const char *const files[] = {
                        "/", "//", "///", "//x", "/srv", "/srv/", "/srv/x", "/srv//x", "/srv/a/x", "srv/x", "x", ""};
        _cleanup_(topology_freep) struct topology *topology = topology_new();
        _cleanup_(mount_table_freep) struct mount_table *table = NULL;

        for (unsigned i = 0; i < ARRAY_SIZE(paths); i++) {
                const struct mount mount = {paths[i], "xfs", "none", 8, i};
                char name[16];

                snprintf(name, sizeof(name), "sd%u", i);
                add(topology, name, 8, i, NULL, NULL);
                assert_int_equal(topology_add_mount(topology, &mount), 0);
        }
        assert_int_equal(topology_finish(topology), 0);
        table = mount_table_new(topology->mounts, topology->n_mounts);
        for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
                const struct mount *mount = mount_table_find_file(table, files[i]);
                const struct layer *layer = topology_find_file(topology, files[i]);

                assert_int_equal(mount ? (int)mount->minor : -1, layer ? (int)layer->minor : -1);
        }
}

/* Whatever topology_find_path() takes for a layer's path. */
static void test_select_by_any_name(void **state) {
        static const struct {
                const char *sysname, *source;
        } cases[] = {
                        {"cciss!c0d0", "/dev/cciss/c0d0"},
                        {"cciss!c0d0", "/dev/cciss!c0d0"},
                        {"dm-7", "/dev/dm-7"},
                        {"dm-7", "/dev/mapper/my\\x20map"},
                        {"dm-7", "/dev/my map"},
                        {"dm-8", "/dev/mapper/vg-data"},
                        {"dm-8", "/dev/vg/data"},
        };
        struct dm_info map = {.name = "my map", .uuid = ""},
                       lv = {.name = "vg-data", .uuid = "", .vg = "vg", .lv = "data"};

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const struct mount mount = {"/mnt", "btrfs", cases[i].source, 0, 40};
                _cleanup_(mount_table_freep) struct mount_table *table = mount_table_new(&mount, 1);
                _cleanup_(topology_freep) struct topology *topology = topology_new();

                add(topology, "cciss!c0d0", 104, 0, NULL, NULL);
                add(topology, "dm-7", 253, 7, &map, NULL);
                add(topology, "dm-8", 253, 8, &lv, NULL);
                assert_int_equal(mount_table_select(table, topology), 0);
                assert_int_equal(topology->n_mounts, 1);
                assert_int_equal(topology_finish(topology), 0);
                assert_string_equal(topology_find_path(topology, cases[i].source)->sysname, cases[i].sysname);
        }
}

static void test_select(void **state) {
        struct dm_info blank = {.name = "with blank"}, lv = {.name = "vg-data", .vg = "vg", .lv = "data"};
        struct topology *topology;

        assert_selected(topology_new(), "");

        topology = topology_new();
        add(topology, "sdb", 8, 16, NULL, NULL);
        add(topology, "dm-0", 253, 0, NULL, NULL);
        assert_selected(topology, "/srv:0 /srv/a:40 /bind:0 ");

        topology = topology_new();
        add(topology, "dm-7", 253, 7, &blank, NULL);
        add(topology, "dm-8", 253, 8, &lv, NULL);
        assert_selected(topology, "/srv/a:41 /data:42 ");

        /* What a file lies in, and each once. */
        topology = topology_new();
        add(topology, "loop0", 7, 0, NULL, "/srv/image");
        add(topology, "dm-0", 253, 0, NULL, NULL);
        add(topology, "loop1", 7, 1, NULL, "/dev/sdb");
        assert_selected(topology, "/:1 /srv:0 /bind:0 ");

        /* No number is no device. */
        topology = topology_new();
        add(topology, "odd", 0, 40, NULL, NULL);
        assert_selected(topology, "");
}

static int collect(const struct mount *mount, void *userdata) {
        char *all = userdata;

        snprintf(all + strlen(all), 64, "%s:%u ", mount->path, mount->minor);
        return strcmp(mount->path, "/stop") == 0 ? 7 : 0;
}

static void assert_differences(const struct mount *before, size_t n_before, const struct mount *now, size_t n_now,
                const char *expected) {
        _cleanup_(mount_table_freep) struct mount_table *a = before ? mount_table_new(before, n_before) : NULL;
        _cleanup_(mount_table_freep) struct mount_table *b = mount_table_new(now, n_now);
        char actual[512] = "";

        assert_int_equal(mount_table_compare(a, b, collect, actual), 0);
        assert_string_equal(actual, expected);
}

static void test_compare(void **state) {
        static const struct mount other[] = {
                        {"/", "ext4", "/dev/root", 8, 1},
                        {"/srv", "ext4", "/dev/mapper/vg-srv", 253, 0},
                        {"/new", "xfs", "/dev/sdc", 8, 32},
        };
        static const struct mount stop[] = {
                        {"/a", "xfs", "x", 8, 3}, {"/stop", "xfs", "x", 8, 1}, {"/z", "xfs", "x", 8, 2}};
        _cleanup_(mount_table_freep) struct mount_table *table = mount_table_new(stop, ARRAY_SIZE(stop));
        char actual[512] = "";

        assert_differences(mounts, ARRAY_SIZE(mounts), mounts, ARRAY_SIZE(mounts), "");
        assert_differences(NULL, 0, mounts, 2, "/:1 /srv:0 ");
        assert_differences(mounts, 2, NULL, 0, "/:1 /srv:0 ");
        assert_differences(mounts, 2, other, 3, "/new:32 /srv:0 /srv:0 ");
        assert_differences(mounts, 2, &mounts[1], 1, "/:1 ");
        assert_differences(mounts + 2, 1, mounts + 3, 1, "/srv/a:40 /srv/a:41 ");
        /* One of two at a place. */
        assert_differences(mounts + 2, 2, mounts + 2, 1, "/srv/a:41 ");

        assert_int_equal(mount_table_compare(NULL, table, collect, actual), 7);
        assert_string_equal(actual, "/a:3 /stop:1 ");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_find_file),
                        cmocka_unit_test(test_find_file_as_topology_does),
                        cmocka_unit_test(test_select),
                        cmocka_unit_test(test_select_by_any_name),
                        cmocka_unit_test(test_compare),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
