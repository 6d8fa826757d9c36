/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "common/ledger-watch.h"
#include "common/ledger.h"
#include "tests/support/tree.h"

static void save(const char *path) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();

        assert_int_equal(ledger_save(ledger, path), 0);
}

/* The same text once more is another ledger: what was on record in between is not known. */
static void test_saved_again(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        char path[256];

        snprintf(path, sizeof(path), "%s/ledger.json", tree_path(tree));
        save(path);

        _cleanup_(closep) int watch = ledger_watch(path);

        assert_true(watch >= 0);
        assert_true(ledger_watch_is_same(watch, path));
        for (int i = 0; i < 100; i++) {
                save(path);
                assert_false(ledger_watch_is_same(watch, path));
        }
        unlink(path);
        assert_false(ledger_watch_is_same(watch, path));
}

static void test_without_ledger(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        char path[256];
        int watch;

        snprintf(path, sizeof(path), "%s/ledger.json", tree_path(tree));
        watch = ledger_watch(path);
        assert_int_equal(watch, -ENOENT);
        assert_true(ledger_watch_is_same(watch, path));
        save(path);
        assert_false(ledger_watch_is_same(watch, path));
}

/* Where it could not be looked at nothing is known. */
static void test_unknown(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        char path[256];

        snprintf(path, sizeof(path), "%s/ledger.json", tree_path(tree));
        assert_false(ledger_watch_is_same(-EACCES, path));
        save(path);
        assert_false(ledger_watch_is_same(-EACCES, path));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_saved_again),
                        cmocka_unit_test(test_without_ledger),
                        cmocka_unit_test(test_unknown),
        };

        return cmocka_run_group_tests_name("ledger-watch", tests, NULL, NULL);
}
