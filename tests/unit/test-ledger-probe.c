/* SPDX-License-Identifier: MIT */

/* What the ledger keeps of a probe. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "common/ledger-private.h"

static const struct device_identity device = {.name = "dm-0", .major = 253, .diskseq = 7};

static struct probe_result no_difference(void) {
        struct probe_result probe = {.verdict = PROBE_NO_DIFFERENCE, .gain = 1.02, .gain_low = 0.95, .gain_high = 1.09};

        probe.series[PROBE_BEFORE] = (struct probe_series){.n_runs = 6, .median_mbps = 50};
        probe.series[PROBE_AFTER] = (struct probe_series){.n_runs = 5, .median_mbps = 51};
        return probe;
}

static void change(struct ledger *ledger, uint64_t from, uint64_t to) {
        const struct ledger_change what = {.label = "vg/lv", .rule = "r", .from_sectors = from, .to_sectors = to};

        assert_int_equal(ledger_begin(ledger, &device, &what, to), 0);
}

static void assert_figures(const struct ledger *ledger) {
        const struct ledger_entry *entry = ledger_find(ledger, &device);

        assert_int_equal(entry->verdict, PROBE_NO_DIFFERENCE);
        assert_true(entry->before_mbps == 50 && entry->after_mbps == 51);
        assert_true(entry->gain == 1.02 && entry->gain_low == 0.95 && entry->gain_high == 1.09);
        assert_int_equal(opt_or(entry->runs, -1), 5);
}

static void assert_no_figures(const struct ledger *ledger) {
        const struct ledger_entry *entry = ledger_find(ledger, &device);

        assert_int_equal(entry->verdict, PROBE_NONE);
        assert_true(entry->gain == 0 && entry->gain_low == 0 && entry->gain_high == 0);
        assert_false(entry->runs.known);
}

/* Writes it, and reads it in again. */
static struct ledger *again(const struct ledger *ledger) {
        _cleanup_(freep) char *text = ledger_format(ledger);
        struct ledger *read = ledger_new();

        assert_non_null(text);
        assert_int_equal(ledger_parse(read, text, strlen(text)), 0);
        return read;
}

static void test_figures_are_kept(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new(), *read = NULL, *read_again = NULL;
        const struct probe_result probe = no_difference();

        change(ledger, 256, 512);
        assert_no_figures(ledger);
        ledger_confirm(ledger, &device, &probe);
        assert_figures(ledger);
        /* The next change is another one; if it is not made, what was before stands with its figures. */
        change(ledger, 512, 1024);
        assert_no_figures(ledger);
        read = again(ledger);
        assert_no_figures(read);
        ledger_abandon(read, &device);
        read_again = again(read);
        assert_figures(read_again);
}

static void test_put_back(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new(), *read = NULL;
        const struct probe_result probe = no_difference();

        change(ledger, 256, 512);
        ledger_put_back(ledger, &device, 256, &probe);
        read = again(ledger);
        assert_figures(read);
}

/* What was skipped has none. */
static void test_not_measured(void **state) {
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new(), *read = NULL;
        const struct probe_result probe = {.skipped = "busy"};

        change(ledger, 256, 512);
        ledger_confirm(ledger, &device, &probe);
        read = again(ledger);
        assert_no_figures(read);
}

#define FILE_WITH(more)                                                                                                \
        "{\"version\":1,\"entries\":[{\"name\":\"dm-0\",\"major\":253,\"minor\":0,\"diskseq\":7,\"dm_uuid\":\"\","     \
        "\"original_sectors\":1,\"previous\":null,\"change\":{\"pending\":false,\"label\":\"a\",\"rule\":\"r\","       \
        "\"new_sectors\":2,\"time_usec\":3,\"before_mbps\":50,\"after_mbps\":51,\"gain\":1.02" more "}}]}"

static int parse(struct ledger *ledger, const char *text) {
        return ledger_parse(ledger, text, strlen(text));
}

static void test_earlier_files(void **state) {
        static const char *const without[] = {
                        FILE_WITH(""),
                        FILE_WITH(",\"gain_low\":null,\"gain_high\":null,\"verdict\":null,\"runs\":null"),
        };

        for (size_t i = 0; i < ARRAY_SIZE(without); i++) {
                _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();

                assert_int_equal(parse(ledger, without[i]), 0);
                assert_true(ledger_find(ledger, &device)->gain == 1.02);
                assert_true(ledger_find(ledger, &device)->gain_low == 0);
                assert_true(ledger_find(ledger, &device)->gain_high == 0);
                assert_int_equal(ledger_find(ledger, &device)->verdict, PROBE_NONE);
                assert_false(ledger_find(ledger, &device)->runs.known);
        }
}

static void test_later_files(void **state) {
        static const char *const damaged[] = {
                        FILE_WITH(",\"gain_low\":\"1\""),
                        FILE_WITH(",\"gain_low\":-1"),
                        FILE_WITH(",\"gain_high\":true"),
                        FILE_WITH(",\"verdict\":1"),
                        FILE_WITH(",\"verdict\":\"quicker\""),
                        FILE_WITH(",\"runs\":-1"),
                        FILE_WITH(",\"runs\":2.5"),
        };
        _cleanup_(ledger_freep) struct ledger *ledger = ledger_new();

        assert_int_equal(parse(ledger, FILE_WITH(",\"gain_low\":0.95,\"gain_high\":1.09,\"verdict\":\"no difference\","
                                                 "\"runs\":5")),
                        0);
        assert_figures(ledger);
        for (size_t i = 0; i < ARRAY_SIZE(damaged); i++) {
                _cleanup_(ledger_freep) struct ledger *other = ledger_new();

                assert_int_equal(parse(other, damaged[i]), -EBADMSG);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_figures_are_kept),
                        cmocka_unit_test(test_put_back),
                        cmocka_unit_test(test_not_measured),
                        cmocka_unit_test(test_earlier_files),
                        cmocka_unit_test(test_later_files),
        };

        return cmocka_run_group_tests_name("ledger-probe", tests, NULL, NULL);
}
