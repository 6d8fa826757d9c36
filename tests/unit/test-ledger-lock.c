/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/ledger-lock.h"
#include "tests/support/tree.h"

static void test_lock_excludes(void **state) {
        char base[] = "/tmp/setrad-test-XXXXXX", directory[64], path[80];
        struct stat st;
        int first, second;

        assert_non_null(mkdtemp(base));
        snprintf(directory, sizeof(directory), "%s/setrad", base);
        snprintf(path, sizeof(path), "%s/lock", directory);

        first = ledger_lock(directory, 0);
        assert_true(first >= 0);
        assert_int_equal(stat(directory, &st), 0);
        assert_true(S_ISDIR(st.st_mode));
        assert_int_equal(ledger_lock(directory, 0), -ETIMEDOUT);
        assert_int_equal(ledger_lock(directory, 100), -ETIMEDOUT);
        assert_true(fcntl(first, F_GETFD) & FD_CLOEXEC);

        close(first);
        second = ledger_lock(directory, 0);
        assert_true(second >= 0);
        close(second);

        unlink(path);
        assert_int_equal(symlink("/nowhere", path), 0);
        assert_int_equal(ledger_lock(directory, 0), -ELOOP);
        unlink(path);
        rmdir(directory);
        rmdir(base);
}

/* Who reads keeps those out who write, and no others who read; and makes nothing. */
static void test_shared_lock(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        int writer, reader, other;

        assert_int_equal(ledger_lock_shared(tree_path(tree), 0), -ENOENT);
        writer = ledger_lock(tree_path(tree), 0);
        assert_true(writer >= 0);
        assert_int_equal(ledger_lock_shared(tree_path(tree), 100), -ETIMEDOUT);
        close(writer);

        reader = ledger_lock_shared(tree_path(tree), 0);
        other = ledger_lock_shared(tree_path(tree), 0);
        assert_true(reader >= 0 && other >= 0);
        assert_int_equal(ledger_lock(tree_path(tree), 0), -ETIMEDOUT);
        close(reader);
        close(other);
        writer = ledger_lock(tree_path(tree), 0);
        assert_true(writer >= 0);
        close(writer);
}

static void test_lock_without_parent(void **state) {
        assert_int_equal(ledger_lock("/nonexistent/setrad", 0), -ENOENT);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_lock_excludes),
                        cmocka_unit_test(test_shared_lock),
                        cmocka_unit_test(test_lock_without_parent),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
