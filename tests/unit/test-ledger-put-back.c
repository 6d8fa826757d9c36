/* SPDX-License-Identifier: MIT */

/* What the ledger says of a change that was measured and taken back as keep-if asks, and of what was given before. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/cleanup.h"
#include "common/ledger.h"

static const struct device_identity map = {.name = "dm-0", .major = 253, .minor = 0, .diskseq = 7, .dm_uuid = "LVM-a"};
static const struct probe_result slower = {
                .verdict = PROBE_SLOWER,
                .gain = 0.8,
                .series = {[PROBE_BEFORE] = {.median_mbps = 100}, [PROBE_AFTER] = {.median_mbps = 80}},
};

static int begin(struct ledger *ledger, const struct device_identity *identity, uint64_t from_sectors,
                uint64_t to_sectors) {
        const struct ledger_change change = {.label = "vg0/lv0",
                        .rule = "r1",
                        .from_sectors = from_sectors,
                        .to_sectors = to_sectors,
                        .stack = 5};

        return ledger_begin(ledger, identity, &change, 1);
}

static int begin_revert(
                struct ledger *ledger, const struct device_identity *identity, uint64_t from_sectors, bool keep) {
        const struct ledger_revert revert = {
                        .from_sectors = from_sectors, .original_sectors = 256, .stack = 77, .keep = keep};

        return ledger_begin_revert(ledger, identity, &revert, 99);
}

static void check_entry(const struct ledger *ledger, const struct device_identity *identity, uint64_t original_sectors,
                uint64_t new_sectors, bool pending, bool reverted) {
        const struct ledger_entry *entry = ledger_find(ledger, identity);

        assert_non_null(entry);
        assert_int_equal(entry->original_sectors, original_sectors);
        assert_int_equal(entry->new_sectors, new_sectors);
        assert_int_equal(entry->pending, pending);
        assert_int_equal(entry->reverted, reverted);
        assert_string_equal(entry->label, "vg0/lv0");
        assert_string_equal(entry->rule, "r1");
}

/* KEPT: -1 if it has nothing of setrad's. */
static void check_put_back(
                const struct ledger *ledger, const struct device_identity *identity, uint64_t tried, int64_t kept) {
        const struct ledger_entry *entry = ledger_find(ledger, identity);

        check_entry(ledger, identity, 256, tried, false, false);
        assert_true(entry->put_back);
        assert_int_equal(opt_or(entry->kept_sectors, -1), kept);
        assert_int_equal(ledger_tried(ledger, entry), tried);
        assert_int_equal(ledger_given(ledger, entry), kept < 0 ? 256 : (uint64_t)kept);
        assert_int_equal(ledger_gave(ledger, identity, 1024), kept == 1024);
        assert_false(ledger_gave(ledger, identity, tried));
}

/* Given 1024, what was tried after that is taken back, again and again. */
static void test_put_back(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();

        ledger_put_back(ledger, &map, 256, &slower);
        assert_int_equal(ledger_count(ledger), 0);
        assert_int_equal(begin(ledger, &map, 256, 1024), 0);
        ledger_confirm(ledger, &map, NULL);
        for (uint64_t tried = 2048; tried <= 4096; tried += 1024) {
                assert_int_equal(begin(ledger, &map, 1024, tried), 0);
                assert_true(ledger_gave(ledger, &map, 1024) && ledger_gave(ledger, &map, tried));
                ledger_put_back(ledger, &map, 1024, &slower);
                check_put_back(ledger, &map, tried, 1024);
                assert_true(ledger_find(ledger, &map)->gain == 0.8);
        }

        /* A change that is not made leaves all that as it was; one that is made takes its place. */
        assert_int_equal(begin(ledger, &map, 1024, 512), 0);
        ledger_abandon(ledger, &map);
        check_put_back(ledger, &map, 4096, 1024);
        assert_int_equal(begin(ledger, &map, 1024, 4096), 0);
        ledger_confirm(ledger, &map, NULL);
        check_entry(ledger, &map, 256, 4096, false, false);
        assert_false(ledger_find(ledger, &map)->put_back);
        assert_true(ledger_gave(ledger, &map, 4096) && !ledger_gave(ledger, &map, 1024));
}

/* The original value comes back, and what was tried stays on record. */
static void test_put_back_and_revert(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();

        assert_int_equal(begin(ledger, &map, 256, 1024), 0);
        ledger_confirm(ledger, &map, NULL);
        assert_int_equal(begin(ledger, &map, 1024, 3072), 0);
        ledger_put_back(ledger, &map, 1024, NULL);

        assert_int_equal(begin_revert(ledger, &map, 1024, true), 0);
        assert_int_equal(ledger_tried(ledger, ledger_find(ledger, &map)), 3072);
        assert_int_equal(ledger_given(ledger, ledger_find(ledger, &map)), 1024);
        assert_true(ledger_gave(ledger, &map, 1024) && !ledger_gave(ledger, &map, 3072));
        ledger_abandon(ledger, &map);
        check_put_back(ledger, &map, 3072, 1024);

        assert_int_equal(begin_revert(ledger, &map, 1024, true), 0);
        ledger_confirm(ledger, &map, NULL);
        check_entry(ledger, &map, 256, 3072, false, true);
        assert_false(ledger_find(ledger, &map)->put_back);

        /* After that there is nothing that could stand. */
        assert_int_equal(begin(ledger, &map, 256, 4096), 0);
        ledger_put_back(ledger, &map, 256, NULL);
        check_put_back(ledger, &map, 4096, -1);
        ledger_release(ledger, &map);
        check_entry(ledger, &map, 256, 4096, false, true);
        assert_false(ledger_find(ledger, &map)->put_back);
}

/* With nothing given before, the original value of the next change is what the device has then. */
static void test_put_back_alone(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();

        assert_int_equal(begin(ledger, &map, 256, 3072), 0);
        ledger_put_back(ledger, &map, 256, NULL);
        check_put_back(ledger, &map, 3072, -1);
        assert_false(ledger_gave(ledger, &map, 256));
        assert_int_equal(begin(ledger, &map, 512, 4096), 0);
        check_entry(ledger, &map, 512, 4096, true, false);
        assert_true(ledger_gave(ledger, &map, 4096));
        assert_false(ledger_gave(ledger, &map, 3072) || ledger_gave(ledger, &map, 256) ||
                        ledger_gave(ledger, &map, 512));
}

/* Begun, killed and not made: that one has given nothing. */
static void test_put_back_after_nothing(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();

        assert_int_equal(begin(ledger, &map, 256, 1024), 0);
        assert_int_equal(begin(ledger, &map, 256, 3072), 0);
        ledger_put_back(ledger, &map, 256, NULL);
        check_put_back(ledger, &map, 3072, -1);
}

/* Somebody has set 512 in the place of setrad's 1024: that does not become setrad's by being put back. */
static void test_put_back_to_others(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();

        assert_int_equal(begin(ledger, &map, 256, 1024), 0);
        ledger_confirm(ledger, &map, NULL);
        assert_int_equal(begin(ledger, &map, 512, 3072), 0);
        ledger_put_back(ledger, &map, 512, NULL);
        check_put_back(ledger, &map, 3072, 1024);
        assert_false(ledger_gave(ledger, &map, 512));
}

/* As not made, where nothing of setrad's was there before: that stands as it is. */
static void test_put_back_after_settling_released(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();

        assert_int_equal(begin(ledger, &map, 256, 1024), 0);
        ledger_release(ledger, &map);
        assert_int_equal(begin(ledger, &map, 256, 3072), 0);
        ledger_abandon(ledger, &map);
        ledger_put_back(ledger, &map, 256, NULL);
        check_entry(ledger, &map, 256, 1024, false, true);
        assert_false(ledger_find(ledger, &map)->put_back);
}

/* Another process has settled the change while it was measured: as made, or, once it was taken back, as not made. */
static void test_put_back_after_settling(void **state) {

        for (int made = 0; made < 2; made++) {
                _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();

                assert_int_equal(begin(ledger, &map, 256, 1024), 0);
                ledger_confirm(ledger, &map, NULL);
                assert_int_equal(begin(ledger, &map, 1024, 3072), 0);
                if (made)
                        ledger_confirm(ledger, &map, NULL);
                else
                        ledger_abandon(ledger, &map);
                ledger_put_back(ledger, &map, 1024, NULL);
                if (made)
                        check_put_back(ledger, &map, 3072, 1024);
                else
                        check_entry(ledger, &map, 256, 1024, false, false);
                assert_int_equal(ledger_find(ledger, &map)->put_back, made);
                assert_true(ledger_gave(ledger, &map, 1024));
        }
}

/* Nobody has told the end of the change before, which was not made: that gave nothing. */
static void test_put_back_over_pending(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();
        const struct ledger_change lost = {.from_sectors = 256, .to_sectors = 1024};
        const struct ledger_change tried = {.from_sectors = 256, .to_sectors = 3072};

        assert_int_equal(ledger_begin(ledger, &map, &lost, 1), 0);
        assert_int_equal(ledger_begin(ledger, &map, &tried, 2), 0);
        ledger_put_back(ledger, &map, 256, NULL);
        assert_true(ledger_find(ledger, &map)->put_back);
        assert_false(ledger_find(ledger, &map)->kept_sectors.known);
        assert_int_equal(ledger_given(ledger, ledger_find(ledger, &map)), 256);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_put_back),
                        cmocka_unit_test(test_put_back_and_revert),
                        cmocka_unit_test(test_put_back_alone),
                        cmocka_unit_test(test_put_back_after_nothing),
                        cmocka_unit_test(test_put_back_to_others),
                        cmocka_unit_test(test_put_back_over_pending),
                        cmocka_unit_test(test_put_back_after_settling),
                        cmocka_unit_test(test_put_back_after_settling_released),
        };

        return cmocka_run_group_tests_name("ledger-put-back", tests, NULL, NULL);
}
