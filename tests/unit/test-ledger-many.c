/* SPDX-License-Identifier: MIT */

/* Many devices on record with one write. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "common/ledger-record.h"
#include "tests/support/tree.h"

/* A directory that is not there yet, as /run/setrad after a boot. */
static const char *directory(const struct tree *tree) {
        static char path[PATH_MAX];

        snprintf(path, sizeof(path), "%s/setrad", tree_path(tree));
        return path;
}

static const char *file(const struct tree *tree) {
        static char path[PATH_MAX + 64];

        snprintf(path, sizeof(path), "%s/ledger.json", directory(tree));
        return path;
}

static struct ledger *load(const struct tree *tree) {
        struct ledger *ledger;

        assert_int_equal(ledger_load(file(tree), &ledger), 0);
        return ledger;
}

static size_t count(const struct tree *tree) {
        _cleanup_(ledger_freep) struct ledger *ledger = load(tree);

        return ledger_count(ledger);
}

static bool is_pending(const struct tree *tree, const struct device_identity *device) {
        _cleanup_(ledger_freep) struct ledger *ledger = load(tree);
        const struct ledger_entry *entry = ledger_find(ledger, device);

        assert_non_null(entry);
        assert_int_equal(entry->original_sectors, 256);
        assert_int_equal(entry->new_sectors, 3072);
        return entry->pending;
}

static void make_many(struct device_identity *devices, struct ledger_intent *intents, size_t n) {
        for (size_t i = 0; i < n; i++) {
                devices[i] = (struct device_identity){
                                .name = "sdx", .major = 8, .minor = (unsigned)i, .diskseq = i + 1};
                intents[i] = (struct ledger_intent){.device = &devices[i],
                                .change = {.label = "vg0/lv0",
                                                .rule = "a rule",
                                                .from_sectors = 256,
                                                .to_sectors = 3072}};
        }
}

/* All are on record with one write; one that can't be is told, and the others are. */
static void test_many(void **state) {
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        struct device_identity devices[4];
        struct ledger_intent intents[ARRAY_SIZE(devices)];
        struct ledger_end ends[ARRAY_SIZE(devices)] = {};
        bool damaged;

        make_many(devices, intents, ARRAY_SIZE(devices));
        intents[1].change.from_sectors = UINT64_MAX;
        intents[2].is_revert = true; /* of what is not on record */
        assert_int_equal(ledger_record_begin(directory(tree), 1000, intents, ARRAY_SIZE(intents), &damaged), 0);
        assert_int_equal(intents[0].error, 0);
        assert_int_equal(intents[1].error, -ERANGE);
        assert_int_equal(intents[2].error, -ENOENT);
        assert_int_equal(intents[3].error, 0);
        assert_int_equal(count(tree), 2);
        assert_true(is_pending(tree, &devices[0]));
        assert_true(is_pending(tree, &devices[3]));

        for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
                ends[i] = (struct ledger_end){.device = &devices[i], .outcome = LEDGER_CONFIRMED};
        ends[3].outcome = LEDGER_STANDS;
        assert_int_equal(ledger_record_end(directory(tree), 1000, ends, ARRAY_SIZE(ends), &damaged), 0);
        assert_int_equal(count(tree), 1);
        assert_false(is_pending(tree, &devices[0]));
        /* With nothing to write, nothing is written. */
        assert_int_equal(unlink(file(tree)), 0);
        assert_int_equal(ledger_record_begin(directory(tree), 1000, &intents[1], 1, &damaged), 0);
        assert_int_equal(access(file(tree), F_OK), -1);
}

/* As many as there may be: found, kept in their order, and dropped. */
static void test_very_many(void **state) {
        static struct device_identity devices[LEDGER_ENTRIES_MAX + 1];
        static struct ledger_intent intents[LEDGER_ENTRIES_MAX + 1];
        static struct ledger_end ends[LEDGER_ENTRIES_MAX];
        _cleanup_(tree_freep) struct tree *tree = tree_new();
        _cleanup_(ledger_freep) struct ledger *ledger = NULL;
        bool damaged;

        make_many(devices, intents, ARRAY_SIZE(devices));
        assert_int_equal(ledger_record_begin(directory(tree), 1000, intents, ARRAY_SIZE(intents), &damaged), 0);
        for (size_t i = 0; i < LEDGER_ENTRIES_MAX; i++) {
                assert_int_equal(intents[i].error, 0);
                ends[i] = (struct ledger_end){
                                .device = &devices[i], .outcome = i % 10 == 0 ? LEDGER_CONFIRMED : LEDGER_REMOVED};
        }
        assert_int_equal(intents[LEDGER_ENTRIES_MAX].error, -ENOSPC);
        assert_int_equal(ledger_record_end(directory(tree), 1000, ends, ARRAY_SIZE(ends), &damaged), 0);
        ledger = load(tree);
        assert_int_equal(ledger_count(ledger), LEDGER_ENTRIES_MAX / 10);
        for (size_t i = 0; i < ledger_count(ledger); i++) {
                assert_int_equal(ledger_get(ledger, i)->device.minor, 10 * i);
                assert_ptr_equal(ledger_find(ledger, &devices[10 * i]), ledger_get(ledger, i));
                assert_null(ledger_find(ledger, &devices[10 * i + 1]));
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_many),
                        cmocka_unit_test(test_very_many),
        };

        return cmocka_run_group_tests_name("ledger-many", tests, NULL, NULL);
}
