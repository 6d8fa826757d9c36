/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/wait.h>
#include <unistd.h>

#include "common/process.h"
#include "tests/support/tree.h"

static struct sysroot *open_root(const char *path) {
        struct sysroot *root;

        assert_int_equal(sysroot_open(path, &root), 0);
        return root;
}

static void test_self(void **state) {
        _cleanup_(sysroot_freep) struct sysroot *root = open_root(NULL);
        struct process self = {}, other;

        assert_int_equal(process_self(&self), 0);
        assert_int_equal(self.pid, getpid());
        assert_true(process_is_alive(root, &self));
        assert_true(process_equal(&self, &self));

        other = self;
        other.start_ticks++;
        assert_false(process_is_alive(root, &other));
        assert_false(process_equal(&self, &other));
        other = self;
        other.pid++;
        assert_false(process_equal(&self, &other));
        other = (struct process){};
        assert_false(process_is_alive(root, &other));
}

/* Alive, dead but not waited for, and gone. */
static void test_child(void **state) {
        _cleanup_(sysroot_freep) struct sysroot *root = open_root(NULL);
        struct process child = {};
        int to_child[2], to_parent[2];
        pid_t pid;

        assert_int_equal(pipe(to_child), 0);
        assert_int_equal(pipe(to_parent), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                char c;

                close(to_child[1]);
                if (process_self(&child) < 0 || write(to_parent[1], &child, sizeof(child)) < 0)
                        _exit(1);
                _exit(read(to_child[0], &c, 1) != 0);
        }
        close(to_parent[1]);
        assert_int_equal(read(to_parent[0], &child, sizeof(child)), sizeof(child));
        assert_int_equal(child.pid, pid);
        assert_true(process_is_alive(root, &child));
        close(to_child[1]);

        siginfo_t info;
        assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
        assert_false(process_is_alive(root, &child));
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        assert_false(process_is_alive(root, &child));
        close(to_child[0]);
        close(to_parent[0]);
}

#define FIELDS " 1 77 77 0 -1 4194560 109 0 0 0 0 0 0 0 20 0 1 0 "

/* A process may call itself what it likes. */
static void test_odd_stat(void **state) {
        static const struct {
                const char *stat;
                bool alive;
        } cases[] = {
                        {"77 (setractl) S" FIELDS "4242 2621440 200\n", true},
                        {"77 (a) Z 1 (b) R 9) R" FIELDS "4242 2621440\n", true},
                        {"77 () D" FIELDS "4242\n", true},
                        {"77 (setractl) S" FIELDS "4243 2621440\n", false},
                        {"77 (setractl) Z" FIELDS "4242 2621440\n", false},
                        {"77 (setractl) X" FIELDS "4242 2621440\n", false},
                        {"77 (setractl) S 1 77\n", false},
                        {"77 (setractl) S" FIELDS "x\n", false},
                        {"77 (setractl)", false},
                        {"", false},
        };
        const struct process process = {.pid = 77, .start_ticks = 4242};

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(tree_freep) struct tree *tree = tree_new();
                _cleanup_(sysroot_freep) struct sysroot *root = open_root(tree_path(tree));

                print_message("%s\n", cases[i].stat);
                assert_false(process_is_alive(root, &process));
                tree_write(tree, "proc/77/stat", cases[i].stat);
                assert_int_equal(process_is_alive(root, &process), cases[i].alive);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_self),
                        cmocka_unit_test(test_child),
                        cmocka_unit_test(test_odd_stat),
        };

        return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
