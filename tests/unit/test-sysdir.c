/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/sysdir.h"
#include "common/sysroot-private.h"
#include "tests/support/tree.h"

struct fixture {
        struct tree *tree;
        struct sysroot *root;
        struct fdbatch batch;
        struct sysdir dir; /* "d" */
};

static int set_up(void **state) {
        struct fixture *fixture = calloc(1, sizeof(*fixture));

        assert_non_null(fixture);
        fixture->tree = tree_new();
        tree_write(fixture->tree, "d/number", "42\n");
        tree_write(fixture->tree, "d/sub/deep/text", "raid5\n");
        tree_write(fixture->tree, "other/secret", "7\n");
        assert_int_equal(sysroot_open(tree_path(fixture->tree), &fixture->root), 0);
        assert_int_equal(sysdir_open(fixture->root, &fixture->batch, "d", &fixture->dir), 0);
        *state = fixture;
        return 0;
}

static int tear_down(void **state) {
        struct fixture *fixture = *state;

        sysdir_close(&fixture->dir);
        fdbatch_flush(&fixture->batch);
        sysroot_free(fixture->root);
        tree_free(fixture->tree);
        free(fixture);
        return 0;
}

static void test_open(void **state) {
        struct fixture *fixture = *state;
        struct sysdir dir = {};

        assert_int_equal(sysdir_open(fixture->root, &fixture->batch, "nothing", &dir), -ENOENT);
        assert_int_equal(sysdir_open(fixture->root, &fixture->batch, "d/number", &dir), -ENOTDIR);
        assert_int_equal(sysdir_open_in(&fixture->dir, "nothing", &dir), -ENOENT);
        assert_int_equal(sysdir_open_in(&fixture->dir, "number", &dir), -ENOTDIR);
        sysdir_close(&dir); /* what was not opened */
}

static void test_read(void **state) {
        struct fixture *fixture = *state;
        static const struct {
                const char *bytes;
                size_t size;
                int r;
        } cases[] = {{"raid5\n", 6, 5}, {"raid5", 5, 5}, {"", 0, 0}, {"\n", 1, 0}, {"1234567", 7, 7},
                        {"12345678", 8, -EFBIG}, {"1\0002", 3, -EINVAL}};
        char name[16], text[8];

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                snprintf(name, sizeof(name), "d/a%zu", i);
                tree_write_bytes(fixture->tree, name, cases[i].bytes, cases[i].size);
        }
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                snprintf(name, sizeof(name), "a%zu", i);
                assert_int_equal(sysdir_read(&fixture->dir, name, text, sizeof(text)), cases[i].r);
        }
        assert_int_equal(sysdir_read(&fixture->dir, "nothing", text, sizeof(text)), -ENOENT);
        assert_int_equal(sysdir_read(&fixture->dir, "sub", text, sizeof(text)), -EISDIR);
        assert_int_equal(sysdir_read_int(&fixture->dir, "number").value, 42);
        assert_false(sysdir_read_int(&fixture->dir, "a0").known);
}

static void test_has(void **state) {
        struct fixture *fixture = *state;

        assert_true(sysdir_has(&fixture->dir, "number"));
        assert_true(sysdir_has(&fixture->dir, "sub"));
        assert_false(sysdir_has(&fixture->dir, "numbe"));
        assert_true(sysdir_has_directory(&fixture->dir, "sub"));
        assert_false(sysdir_has_directory(&fixture->dir, "number"));
        assert_false(sysdir_has_directory(&fixture->dir, "nothing"));
}

static void test_deep(void **state) {
        struct fixture *fixture = *state;
        struct sysdir sub, deep;
        char text[8];

        assert_int_equal(sysdir_open_in(&fixture->dir, "sub", &sub), 0);
        assert_int_equal(sysdir_open_in(&sub, "deep", &deep), 0);
        assert_int_equal(sysdir_read(&deep, "text", text, sizeof(text)), 5);
        assert_string_equal(text, "raid5");
        sysdir_close(&deep);
        sysdir_close(&sub);
}

/* Links are followed, but not out of the root: as from there, "/" is the root. */
static void test_links(void **state) {
        struct fixture *fixture = *state;
        struct sysdir sub = {};
        char text[8];

        tree_link(fixture->tree, "d/inside", "../other/secret");
        tree_link(fixture->tree, "d/outside", "../../../../../../etc/hostname");
        tree_link(fixture->tree, "d/absolute", "/other/secret");
        tree_link(fixture->tree, "d/loop", "loop");
        tree_link(fixture->tree, "d/directory", "../other");
        tree_link(fixture->tree, "d/etc", "/etc");
        tree_link(fixture->tree, "d/nowhere", "../nothing");
        assert_true(sysdir_has(&fixture->dir, "inside"));
        assert_false(sysdir_has(&fixture->dir, "nowhere"));
        assert_int_equal(sysdir_read_int(&fixture->dir, "inside").value, 7);
        assert_int_equal(sysdir_read_int(&fixture->dir, "absolute").value, 7);
        assert_int_equal(sysdir_read(&fixture->dir, "outside", text, sizeof(text)), -ENOENT);
        assert_int_equal(sysdir_read(&fixture->dir, "loop", text, sizeof(text)), -ELOOP);
        assert_true(sysdir_has_directory(&fixture->dir, "directory"));
        assert_false(sysdir_has_directory(&fixture->dir, "inside"));
        assert_false(sysdir_has_directory(&fixture->dir, "etc"));
        assert_int_equal(sysdir_open_in(&fixture->dir, "etc", &sub), -ENOENT);
        assert_int_equal(sysdir_open_in(&fixture->dir, "directory", &sub), 0);
        assert_int_equal(sysdir_read_int(&sub, "secret").value, 7);
        sysdir_close(&sub);
}

/* Nothing but files is opened: who opens a FIFO waits, and who opens a device may set something going. */
static void test_no_files(void **state) {
        struct fixture *fixture = *state;
        char text[8];

        tree_fifo(fixture->tree, "d/fifo");
        assert_int_equal(sysdir_read(&fixture->dir, "fifo", text, sizeof(text)), -EINVAL);
        assert_true(sysdir_has(&fixture->dir, "fifo"));
}

/* More than are read at a time, and more than are looked at one by one. */
static void test_many(void **state) {
        struct fixture *fixture = *state;
        _cleanup_(freep) char **names = NULL;
        struct sysdir dir;
        char name[64];

        for (unsigned i = 0; i < 2000; i++) {
                snprintf(name, sizeof(name), "many/a-name-of-some-length-%u", i);
                tree_write(fixture->tree, name, "1\n");
        }
        assert_int_equal(sysdir_open(fixture->root, &fixture->batch, "many", &dir), 0);
        for (unsigned i = 0; i < 2000; i++) {
                snprintf(name, sizeof(name), "a-name-of-some-length-%u", i);
                assert_true(sysdir_has(&dir, name));
                assert_int_equal(sysdir_read_int(&dir, name).value, 1);
        }
        assert_false(sysdir_has(&dir, "a-name-of-some-length-2000"));
        assert_int_equal(sysdir_list(&dir, "a-name-of-some-length-19", &names), 0);
        assert_string_equal(names[0], "a-name-of-some-length-19");
        assert_string_equal(names[1], "a-name-of-some-length-190");
        assert_string_equal(names[110], "a-name-of-some-length-1999");
        assert_null(names[111]);
        sysdir_close(&dir);
}

/* With more entries than are listed, each is still found from the root. */
static void test_too_many(void **state) {
        struct fixture *fixture = *state;
        _cleanup_(freep) char **names = NULL;
        _cleanup_(closep) int fd = -1;
        struct sysdir dir;
        char name[16];

        tree_write(fixture->tree, "d/sub/100000", "8\n");
        fd = openat(fixture->dir.fd, "sub", O_PATH | O_DIRECTORY | O_CLOEXEC);
        for (unsigned i = 0; i < 99998; i++) {
                snprintf(name, sizeof(name), "%u", i);
                assert_int_equal(symlinkat("deep", fd, name), 0);
        }
        assert_int_equal(sysdir_open_in(&fixture->dir, "sub", &dir), 0);
        assert_int_equal(sysdir_list(&dir, "", &names), 0);
        sysdir_close(&dir);

        tree_fifo(fixture->tree, "d/sub/fifo");
        assert_int_equal(sysdir_open_in(&fixture->dir, "sub", &dir), 0);
        assert_true(sysdir_has(&dir, "100000"));
        assert_false(sysdir_has(&dir, "100001"));
        assert_true(sysdir_has_directory(&dir, "deep"));
        assert_int_equal(sysdir_read_int(&dir, "100000").value, 8);
        assert_int_equal(sysdir_read(&dir, "fifo", name, sizeof(name)), -EINVAL);
        assert_int_equal(sysdir_list(&dir, "1", &(char **){NULL}), -EOVERFLOW);
        sysdir_close(&dir);
}

/* Links may let one directory be in many: what all of them have counts, and that it was too much is remembered. */
static void test_too_many_in_all(void **state) {
        struct fixture *fixture = *state;
        struct sysroot_failures *failures = fixture->root->failures;
        _cleanup_(freep) char **names = NULL;
        struct sysdir dir;

        tree_write(fixture->tree, "d/pair/a", "1\n");
        tree_write(fixture->tree, "d/pair/b", "2\n");
        failures->n_names = 999998;
        assert_int_equal(sysdir_open_in(&fixture->dir, "pair", &dir), 0);
        assert_int_equal(sysdir_list(&dir, "", &names), 0);
        assert_int_equal(failures->error, 0);
        assert_int_equal(sysdir_list(&dir, "", &(char **){NULL}), -EOVERFLOW);
        assert_int_equal(failures->error, -EOVERFLOW);
        assert_string_equal(failures->path, "d/pair");
        sysdir_close(&dir);

        sysroot_forget_failures(fixture->root);
        failures->n_entries = 10000001;
        assert_int_equal(sysdir_open_in(&fixture->dir, "pair", &dir), 0);
        assert_int_equal(sysdir_list(&dir, "", &(char **){NULL}), -EOVERFLOW);
        assert_int_equal(failures->error, -EOVERFLOW);
        assert_int_equal(sysdir_read_int(&dir, "a").value, 1); /* by its path */
        sysdir_close(&dir);

        sysroot_forget_failures(fixture->root);
        free(TAKE_PTR(names));
        assert_int_equal(sysdir_open_in(&fixture->dir, "pair", &dir), 0);
        assert_int_equal(sysdir_list(&dir, "", &names), 0);
        assert_string_equal(names[1], "b");
        sysdir_close(&dir);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test_setup_teardown(test_open, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_read, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_has, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_deep, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_links, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_no_files, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_many, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_too_many, set_up, tear_down),
                        cmocka_unit_test_setup_teardown(test_too_many_in_all, set_up, tear_down),
        };

        return cmocka_run_group_tests_name("sysdir", tests, NULL, NULL);
}
