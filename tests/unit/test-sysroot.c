/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/sysroot.h"
#include "tests/support/tree.h"

struct fixture {
        struct tree *tree;
        struct sysroot *root;
};

static int set_up(void **state) {
        struct fixture *fixture = calloc(1, sizeof(*fixture));

        assert_non_null(fixture);
        fixture->tree = tree_new();
        assert_int_equal(sysroot_open(tree_path(fixture->tree), &fixture->root), 0);
        *state = fixture;
        return 0;
}

static int tear_down(void **state) {
        struct fixture *fixture = *state;

        sysroot_free(fixture->root);
        tree_free(fixture->tree);
        free(fixture);
        return 0;
}

static void test_open(void **state) {
        struct fixture *fixture = *state;
        char path[PATH_MAX];
        struct sysroot *root = NULL;

        tree_write(fixture->tree, "file", "");
        snprintf(path, sizeof(path), "%s/file", tree_path(fixture->tree));
        assert_int_equal(sysroot_open(path, &root), -ENOTDIR);
        snprintf(path, sizeof(path), "%s/nothing", tree_path(fixture->tree));
        assert_int_equal(sysroot_open(path, &root), -ENOENT);
        assert_null(root);
        assert_false(sysroot_is_live(fixture->root));

        static const char *const live[] = {NULL, "/", "//", "/tmp/.."};
        for (size_t i = 0; i < ARRAY_SIZE(live); i++) {
                assert_int_equal(sysroot_open(live[i], &root), 0);
                assert_true(sysroot_is_live(root));
                assert_true(sysroot_is_directory(root, "proc/%s", "self"));
                sysroot_free(root);
        }
}

static void test_read(void **state) {
        struct fixture *fixture = *state;
        static const struct {
                const char *bytes;
                size_t size;
                int r;
                const char *text;
        } cases[] = {
                        {"raid5\n", 6, 5, "raid5"},
                        {"raid5", 5, 5, "raid5"},
                        {"", 0, 0, ""},
                        {"\n", 1, 0, ""},
                        {"a\n\n", 3, 2, "a\n"},
                        {" a b ", 5, 5, " a b "},
                        {"1234567", 7, 7, "1234567"},
                        {"123456\n", 7, 6, "123456"},
                        {"12345678", 8, -EFBIG, NULL},
                        {"123456789012", 12, -EFBIG, NULL},
                        {"ab\0cd", 5, -EINVAL, NULL},
                        {"\0", 1, -EINVAL, NULL},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char buffer[8];

                tree_write_bytes(fixture->tree, "d/attribute", cases[i].bytes, cases[i].size);
                assert_int_equal(sysroot_read(fixture->root, buffer, sizeof(buffer), "%s/attribute", "d"), cases[i].r);
                if (cases[i].text)
                        assert_string_equal(buffer, cases[i].text);
        }
}

/* What is no regular file is not even opened: a FIFO would block, a terminal might do anything. */
static void test_read_other(void **state) {
        struct fixture *fixture = *state;
        char buffer[16];

        tree_fifo(fixture->tree, "fifo");
        tree_directory(fixture->tree, "directory");
        tree_link(fixture->tree, "loop", "loop");
        tree_link(fixture->tree, "dangling", "nothing");

        assert_int_equal(sysroot_read(fixture->root, buffer, sizeof(buffer), "fifo"), -EINVAL);
        assert_int_equal(sysroot_read(fixture->root, buffer, sizeof(buffer), "directory"), -EISDIR);
        assert_int_equal(sysroot_read(fixture->root, buffer, sizeof(buffer), "loop"), -ELOOP);
        assert_int_equal(sysroot_read(fixture->root, buffer, sizeof(buffer), "dangling"), -ENOENT);
        assert_int_equal(sysroot_read(fixture->root, buffer, sizeof(buffer), "a/b/c"), -ENOENT);
        assert_int_equal(sysroot_read(fixture->root, buffer, sizeof(buffer), "%*s", PATH_MAX, "x"), -ENAMETOOLONG);
}

/* Neither "..", nor an absolute link, nor /proc's links lead out. */
static void test_stays_inside(void **state) {
        struct fixture *fixture = *state;
        char buffer[64];

        tree_write(fixture->tree, "etc/hostname", "inside\n");
        tree_link(fixture->tree, "absolute", "/etc/hostname");
        tree_link(fixture->tree, "upwards", "../../../../../../etc/hostname");
        tree_link(fixture->tree, "out", "/proc/self/root/etc/passwd");

        static const char *const paths[] = {
                        "absolute", "upwards", "../../etc/hostname", "/etc/hostname", "//etc/hostname"};
        for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
                assert_int_equal(sysroot_read(fixture->root, buffer, sizeof(buffer), "%s", paths[i]), 6);
                assert_string_equal(buffer, "inside");
        }
        assert_int_equal(sysroot_read(fixture->root, buffer, sizeof(buffer), "out"), -ENOENT);
        assert_int_equal(sysroot_read(fixture->root, buffer, sizeof(buffer), "etc/passwd"), -ENOENT);
}

static void test_read_int(void **state) {
        struct fixture *fixture = *state;
        static const struct {
                const char *text;
                bool known;
                int64_t value;
        } cases[] = {
                        {"128\n", true, 128},
                        {"0", true, 0},
                        {"-1\n", true, -1},
                        {"9223372036854775807\n", true, INT64_MAX},
                        {"9223372036854775808\n", false, 0},
                        {"18446744073709551615\n", false, 0},
                        {"", false, 0},
                        {"\n", false, 0},
                        {"-\n", false, 0},
                        {" 1\n", false, 0},
                        {"+1\n", false, 0},
                        {"1 \n", false, 0},
                        {"5 (4)\n", false, 0},
                        {"0x10\n", false, 0},
                        {"00000000000000000000000000000000000001\n", false, 0},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct opt_int n;

                tree_write(fixture->tree, "number", cases[i].text);
                n = sysroot_read_int(fixture->root, "number");
                assert_int_equal(n.known, cases[i].known);
                assert_int_equal(n.value, cases[i].value);
        }
        assert_false(sysroot_read_int(fixture->root, "nothing").known);
}

static void test_list(void **state) {
        struct fixture *fixture = *state;
        static const char *const files[] = {"d/dm-10", "d/dm-9", "d/cciss!c0d0", "d/.hidden"};
        static const char *const expected[] = {".hidden", "cciss!c0d0", "dm-9", "dm-10", "md0"};
        char **names = NULL;

        for (size_t i = 0; i < ARRAY_SIZE(files); i++)
                tree_write(fixture->tree, files[i], "");
        tree_link(fixture->tree, "d/md0", "../nothing");
        tree_directory(fixture->tree, "empty");

        assert_int_equal(sysroot_list(fixture->root, "", &names, "%s", "d"), 0);
        for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
                assert_string_equal(names[i], expected[i]);
        assert_null(names[ARRAY_SIZE(expected)]);
        free(names);

        assert_int_equal(sysroot_list(fixture->root, "", &names, "empty"), 0);
        assert_null(names[0]);
        free(names);

        assert_int_equal(sysroot_list(fixture->root, "", &names, "nothing"), -ENOENT);
        assert_int_equal(sysroot_list(fixture->root, "", &names, "d/dm-9"), -ENOTDIR);
        assert_int_equal(sysroot_list(fixture->root, "", &names, "/"), 0);
        free(names);
}

static void test_link_name(void **state) {
        struct fixture *fixture = *state;
        char buffer[8];

        tree_write(fixture->tree, "file", "");
        tree_link(fixture->tree, "subsystem", "../../bus/scsi");
        tree_link(fixture->tree, "bare", "scsi");
        tree_link(fixture->tree, "slash", "scsi/");
        tree_link(fixture->tree, "long", "../12345678");

        assert_int_equal(sysroot_link_name(fixture->root, buffer, sizeof(buffer), "subsystem"), 4);
        assert_string_equal(buffer, "scsi");
        assert_int_equal(sysroot_link_name(fixture->root, buffer, sizeof(buffer), "bare"), 4);
        assert_string_equal(buffer, "scsi");
        assert_int_equal(sysroot_link_name(fixture->root, buffer, sizeof(buffer), "slash"), -EINVAL);
        assert_int_equal(sysroot_link_name(fixture->root, buffer, sizeof(buffer), "long"), -ENAMETOOLONG);
        assert_int_equal(sysroot_link_name(fixture->root, buffer, sizeof(buffer), "file"), -EINVAL);
        assert_int_equal(sysroot_link_name(fixture->root, buffer, sizeof(buffer), "nothing"), -ENOENT);
}

static void test_link_directory_name(void **state) {
        struct fixture *fixture = *state;
        static const struct {
                const char *target, *name;
                int r;
        } cases[] = {
                        {"../md0/bcache", "md0", 3},
                        {"../../../../pci0000:00/block/sda/sda1/bcache", "sda1", 4},
                        {"md0/bcache", "md0", 3},
                        {"bcache", NULL, -EINVAL},
                        {"/bcache", NULL, -EINVAL},
                        {"md0/", NULL, -EINVAL},
                        {"a//bcache", NULL, -EINVAL},
                        {"12345678/bcache", NULL, -ENAMETOOLONG},
                        {"1234567/bcache", "1234567", 7},
        };
        char buffer[8];

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                print_message("%s\n", cases[i].target);
                tree_link(fixture->tree, "bcache", cases[i].target);
                assert_int_equal(sysroot_link_directory_name(fixture->root, buffer, sizeof(buffer), "bcache"),
                                cases[i].r);
                if (cases[i].name)
                        assert_string_equal(buffer, cases[i].name);
                tree_remove(fixture->tree, "bcache");
        }
        tree_directory(fixture->tree, "bcache");
        assert_int_equal(sysroot_link_directory_name(fixture->root, buffer, sizeof(buffer), "bcache"), -EINVAL);
        assert_int_equal(sysroot_link_directory_name(fixture->root, buffer, sizeof(buffer), "no"), -ENOENT);
}

static void test_exists(void **state) {
        struct fixture *fixture = *state;

        tree_write(fixture->tree, "d/file", "");
        tree_fifo(fixture->tree, "d/fifo");
        tree_link(fixture->tree, "link", "d");
        tree_link(fixture->tree, "dangling", "nothing");

        assert_true(sysroot_exists(fixture->root, "d/file"));
        assert_true(sysroot_exists(fixture->root, "d/fifo"));
        assert_true(sysroot_exists(fixture->root, "link/file"));
        assert_false(sysroot_exists(fixture->root, "dangling"));
        assert_false(sysroot_exists(fixture->root, "d/file/below"));
        assert_true(sysroot_is_directory(fixture->root, "link"));
        assert_true(sysroot_is_directory(fixture->root, "%s", ""));
        assert_false(sysroot_is_directory(fixture->root, "d/file"));
        assert_false(sysroot_is_directory(fixture->root, "dangling"));
}

static void test_fopen(void **state) {
        struct fixture *fixture = *state;
        FILE *stream = NULL;
        char line[16];

        tree_write(fixture->tree, "lines", "one\ntwo\n");
        tree_fifo(fixture->tree, "fifo");

        assert_int_equal(sysroot_fopen(fixture->root, &stream, "%s", "lines"), 0);
        assert_non_null(fgets(line, sizeof(line), stream));
        assert_string_equal(line, "one\n");
        fclose(stream);
        assert_int_equal(sysroot_fopen(fixture->root, &stream, "fifo"), -EINVAL);
        assert_int_equal(sysroot_fopen(fixture->root, &stream, "nothing"), -ENOENT);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test_setup_teardown(test_open, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_read, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_read_other, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_stays_inside, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_read_int, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_list, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_link_name, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_link_directory_name, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_exists, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_fopen, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
