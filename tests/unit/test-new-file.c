/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/new-file.h"
#include "tests/support/tree.h"

#define PRECIOUS "precious\n"

struct place {
        struct tree *tree;
        char file[PATH_MAX], other[PATH_MAX]; /* OTHER is there, FILE not */
};

static int set_up(void **state) {
        static struct place place;

        place = (struct place){.tree = tree_new()};
        snprintf(place.file, sizeof(place.file), "%s/file", tree_path(place.tree));
        snprintf(place.other, sizeof(place.other), "%s/other", tree_path(place.tree));
        tree_write(place.tree, "other", PRECIOUS);
        *state = &place;
        return 0;
}

static int tear_down(void **state) {
        struct place *place = *state;

        tree_freep(&place->tree);
        return 0;
}

static void assert_content(const char *path, const char *text) {
        char buffer[64] = "";
        _cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

        assert_true(fd >= 0);
        assert_int_equal(read(fd, buffer, sizeof(buffer) - 1), strlen(text));
        assert_string_equal(buffer, text);
}

static int write_file(const char *path, bool replace, const char *text) {
        _cleanup_(new_file_done) struct new_file file = {.fd = -1};
        int r;

        r = new_file_open(path, replace, &file);
        assert_int_equal(new_file_check(path, replace), r);
        if (r < 0)
                return r;
        assert_int_equal(write(file.fd, text, strlen(text)), strlen(text));
        return new_file_finish(&file);
}

static void test_new(void **state) {
        const struct place *place = *state;
        struct stat st;

        assert_int_equal(write_file(place->file, false, "new\n"), 0);
        assert_content(place->file, "new\n");
        assert_int_equal(stat(place->file, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
}

static void test_replace(void **state) {
        const struct place *place = *state;

        assert_int_equal(write_file(place->other, false, "new\n"), -EEXIST);
        assert_content(place->other, PRECIOUS);
        assert_int_equal(write_file(place->other, true, "new\n"), 0);
        assert_content(place->other, "new\n");
}

/* Whose directory it is may lay a link there, to what is root's. */
static void test_link(void **state) {
        const struct place *place = *state;

        assert_int_equal(symlink("other", place->file), 0);
        assert_int_equal(write_file(place->file, false, "new\n"), -EEXIST);
        assert_int_equal(write_file(place->file, true, "new\n"), 0);
        assert_content(place->file, "new\n");
        assert_content(place->other, PRECIOUS);
        assert_int_equal(unlink(place->file), 0);
        assert_int_equal(symlink("nowhere", place->file), 0);
        assert_int_equal(new_file_check(place->file, true), 0);
        assert_int_equal(unlink(place->file), 0);
        assert_int_equal(link(place->other, place->file), 0);
        assert_int_equal(write_file(place->file, true, "new\n"), 0);
        assert_content(place->other, PRECIOUS);
}

/* As what is there may have changed since it was looked at. */
static void test_link_meanwhile(void **state) {
        const struct place *place = *state;

        for (unsigned replace = 0; replace < 2; replace++) {
                _cleanup_(new_file_done) struct new_file file = {.fd = -1};

                assert_int_equal(new_file_open(place->file, replace, &file), 0);
                assert_int_equal(symlink("other", place->file), 0);
                assert_int_equal(new_file_finish(&file), replace ? 0 : -EEXIST);
                assert_content(place->other, PRECIOUS);
                assert_int_equal(unlink(place->file), 0);
        }
}

static void test_no_file(void **state) {
        const struct place *place = *state;

        assert_int_equal(mkfifo(place->file, 0600), 0);
        assert_int_equal(write_file(place->file, true, "new\n"), -EEXIST);
        assert_int_equal(write_file(tree_path(place->tree), true, "new\n"), -EEXIST);
        assert_int_equal(write_file("/dev/null", true, "new\n"), -EEXIST);
        assert_int_equal(write_file("/dev/null/file", true, "new\n"), -ENOTDIR);
}

/* Nothing is left of what is not finished. */
static void test_dropped(void **state) {
        const struct place *place = *state;
        struct new_file file;
        char temporary[PATH_MAX];

        assert_int_equal(new_file_open(place->other, true, &file), 0);
        snprintf(temporary, sizeof(temporary), "%s", file.temporary);
        assert_int_equal(write(file.fd, "half", 4), 4);
        assert_int_equal(access(temporary, F_OK), 0);
        new_file_done(&file);
        assert_int_equal(access(temporary, F_OK), -1);
        assert_content(place->other, PRECIOUS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
        const struct CMUnitTest tests[] = {TEST(test_new), TEST(test_replace), TEST(test_link),
                        TEST(test_link_meanwhile), TEST(test_no_file), TEST(test_dropped)};

        return cmocka_run_group_tests(tests, NULL, NULL);
}
