/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/instance.h"
#include "tests/support/tree.h"

/* What another process gets: its exit status; 0 for the lock, else the errno. *ret_other by way of the pipe. */
static int ask_in_child(const char *directory, pid_t *ret_other) {
        int fds[2], status;
        pid_t pid;

        assert_int_equal(pipe(fds), 0);
        pid = fork();
        if (pid == 0) {
                pid_t other = 0;
                int fd, r = instance_lock(directory, &fd, &other);

                if (write(fds[1], &other, sizeof(other)) != sizeof(other))
                        _exit(255);
                _exit(-r);
        }
        assert_int_equal(read(fds[0], ret_other, sizeof(*ret_other)), sizeof(*ret_other));
        close(fds[0]);
        close(fds[1]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        return WEXITSTATUS(status);
}

static void test_only_one(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        const char *directory = tree_path(tree);
        pid_t other = 0;
        int fd = -1;

        assert_int_equal(instance_find(directory, &other), -ESRCH);
        assert_int_equal(instance_lock(directory, &fd, &other), 0);
        assert_int_equal(ask_in_child(directory, &other), EBUSY);
        assert_int_equal(other, getpid());
        other = 0;
        assert_int_equal(instance_find(directory, &other), 0);
        assert_int_equal(other, getpid());
        /* To have asked takes nothing. */
        assert_int_equal(ask_in_child(directory, &other), EBUSY);
        close(fd);
        assert_int_equal(instance_find(directory, &other), -ESRCH);
        /* Gone, however it went; what it has left in the file is not believed. */
        assert_int_equal(ask_in_child(directory, &other), 0);
        assert_int_equal(instance_lock(directory, &fd, &other), 0);
        close(fd);
}

/* Who may read the file could lock it for reading, and no setrad would start. */
static void test_file_is_roots(void **state) {
        static const mode_t modes[] = {0600, 0644, 0666};

        for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                _cleanup_(freep) char *path = NULL;
                pid_t other = 0;
                struct stat st;
                int fd = -1;

                assert_true(asprintf(&path, "%s/setrad.pid", tree_path(tree)) > 0);
                tree_write(tree, "setrad.pid", "4711\n");
                assert_int_equal(chmod(path, modes[i]), 0);
                assert_int_equal(instance_lock(tree_path(tree), &fd, &other), 0);
                assert_int_equal(stat(path, &st), 0);
                assert_int_equal(st.st_mode & 07777, 0600);
                close(fd);
                assert_int_equal(unlink(path), 0);
                assert_int_equal(instance_lock(tree_path(tree), &fd, &other), 0);
                assert_int_equal(stat(path, &st), 0);
                assert_int_equal(st.st_mode & 07777, 0600);
                close(fd);
        }
}

/* A lock that anybody could have got does not make a PID that is left in the file that of the service. */
static void test_lock_for_reading(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        _cleanup_(freep) char *path = NULL;
        _cleanup_(closep) int reader = -1;
        pid_t other = 0;

        assert_true(asprintf(&path, "%s/setrad.pid", tree_path(tree)) > 0);
        tree_write(tree, "setrad.pid", "4711\n");
        reader = open(path, O_RDONLY | O_CLOEXEC);
        assert_true(reader >= 0);
        assert_int_equal(fcntl(reader, F_OFD_SETLK, &(struct flock){.l_type = F_RDLCK, .l_whence = SEEK_SET}), 0);
        assert_int_equal(instance_find(tree_path(tree), &other), -ESRCH);
        assert_int_equal(other, 0);
}

/* No such PID is ever sent a signal. */
static void test_nonsense_in_file(void **state) {
        static const char *const texts[] = {"", "0\n", "-1\n", "1\n", "none\n"};

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                pid_t other = 0;
                int fd = -1;

                assert_int_equal(instance_lock(tree_path(tree), &fd, &other), 0);
                tree_write(tree, "setrad.pid", texts[i]);
                assert_int_equal(instance_find(tree_path(tree), &other), -ESRCH);
                tree_write(tree, "setrad.pid", "4711\n");
                assert_int_equal(instance_find(tree_path(tree), &other), 0);
                assert_int_equal(other, 4711);
                close(fd);
        }
}

static void test_unusable(void **state) {
        pid_t other = 0;
        int fd = -1;

        assert_int_equal(instance_lock("/proc/none", &fd, &other), -ENOENT);
        assert_int_equal(instance_lock("/dev/null", &fd, &other), -ENOTDIR);
        assert_int_equal(fd, -1);
}

int main(void) {
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_only_one), cmocka_unit_test(test_file_is_roots),
                        cmocka_unit_test(test_lock_for_reading), cmocka_unit_test(test_nonsense_in_file),
                        cmocka_unit_test(test_unusable)};

        return cmocka_run_group_tests(tests, NULL, NULL);
}
