/* SPDX-License-Identifier: MIT */

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "cli/history-table.h"
#include "cli/history.h"
#include "cli/json.h"
#include "common/cleanup.h"
#include "daemon/messages.h"

static struct history_record record(uint64_t time_usec, const char *id, const char *from, const char *to) {
        return (struct history_record){
                        .time_usec = time_usec,
                        .values =
                                        {
                                                        [HISTORY_MESSAGE_ID] = id,
                                                        [HISTORY_DEVICE] = "dm-3",
                                                        [HISTORY_LABEL] = "vg0/data",
                                                        [HISTORY_RA_BEFORE] = from,
                                                        [HISTORY_RA_AFTER] = to,
                                        },
        };
}

static void add(struct history *history, uint64_t time_usec, const char *id, const char *from, const char *to) {
        const struct history_record r = record(time_usec, id, from, to);

        assert_int_equal(history_add(history, &r), 0);
}

static void add_measured(struct history *history, uint64_t time_usec, const char *from, const char *to,
                const char *before, const char *after) {
        struct history_record r = record(time_usec, SETRAD_MSG_CHANGED, from, to);

        r.values[HISTORY_MBPS_BEFORE] = before;
        r.values[HISTORY_MBPS_AFTER] = after;
        assert_int_equal(history_add(history, &r), 0);
}

static void test_all_fields(void **state) {
        _cleanup_(history_done) struct history history = {};
        char rule[] = "the rule";
        struct history_record r = record(17, SETRAD_MSG_CHANGED, "256", "3072");
        const struct history_entry *entry;

        r.values[HISTORY_RULE] = rule;
        r.values[HISTORY_MBPS_BEFORE] = "49.90";
        r.values[HISTORY_MBPS_AFTER] = "146.25";
        r.values[HISTORY_GAIN] = "2.931";
        r.values[HISTORY_VERDICT] = "faster";
        r.values[HISTORY_SKIPPED] = "busy";
        r.values[HISTORY_MESSAGE] = "line\n\x1b[2J";
        assert_int_equal(history_add(&history, &r), 0);
        memset(rule, 'x', strlen(rule)); /* it is a copy */

        assert_int_equal(history.n_entries, 1);
        entry = &history.entries[0];
        assert_int_equal(entry->time_usec, 17);
        assert_int_equal(entry->event, HISTORY_CHANGED);
        assert_string_equal(entry->name, "dm-3");
        assert_string_equal(entry->label, "vg0/data");
        assert_string_equal(entry->rule, "the rule");
        assert_true(entry->from_sectors.known && entry->from_sectors.value == 256);
        assert_true(entry->to_sectors.known && entry->to_sectors.value == 3072);
        assert_true(fabs(entry->mbps_before - 49.9) < 1e-9 && fabs(entry->mbps_after - 146.25) < 1e-9);
        assert_true(fabs(entry->gain - 2.931) < 1e-9);
        assert_string_equal(entry->verdict, "faster");
        assert_string_equal(entry->skipped, "busy");
        assert_string_equal(entry->message, "line\n\x1b[2J");
}

static void test_events(void **state) {
        static const struct {
                const char *id, *from, *to, *event;
        } cases[] = {
                        {SETRAD_MSG_CHANGED, "256", "3072", "changed"},
                        {SETRAD_MSG_CHANGED, "3072", "3072", "put-back"},
                        {SETRAD_MSG_CHANGED, NULL, NULL, "changed"},
                        {SETRAD_MSG_REVERTED, "3072", "256", "reverted"},
                        {SETRAD_MSG_REVERTED, "3072", NULL, "not-reverted"},
                        {SETRAD_MSG_REVERTED, NULL, NULL, "not-reverted"},
                        {SETRAD_MSG_DRIFT, "512", NULL, "drift"},
                        {SETRAD_MSG_GAVE_UP, NULL, NULL, "gave-up"},
                        {SETRAD_MSG_HELD, NULL, NULL, "held"},
                        {SETRAD_MSG_CHANGE_FAILED, NULL, NULL, "failed"},
        };
        static const char *const others[] = {SETRAD_MSG_SCANNED, SETRAD_MSG_FOUND, SETRAD_MSG_STATE, "", NULL};

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _cleanup_(history_done) struct history history = {};

                add(&history, 1, cases[i].id, cases[i].from, cases[i].to);
                assert_int_equal(history.n_entries, 1);
                assert_string_equal(history_event_name(history.entries[0].event), cases[i].event);
        }
        for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
                _cleanup_(history_done) struct history history = {};

                add(&history, 1, others[i], "1", "2");
                assert_int_equal(history.n_entries, 0);
        }
}

static void expect_sectors(const char *text, bool known) {
        _cleanup_(history_done) struct history history = {};

        add(&history, 1, SETRAD_MSG_CHANGED, text, text);
        assert_int_equal(history.entries[0].from_sectors.known, known);
        assert_int_equal(history.entries[0].to_sectors.known, known);
}

static void expect_figures(const char *text, bool known) {
        _cleanup_(history_done) struct history history = {};

        add_measured(&history, 1, "1", "2", text, text);
        assert_int_equal(!isnan(history.entries[0].mbps_before), known);
        assert_int_equal(!isnan(history.entries[0].mbps_after), known);
}

/* What is no number is unknown, never 0. */
static void test_numbers(void **state) {
        static const char *const bad[] = {
                        "", " 1", "1 ", "-1", "+1", "x", "0x10", "1e", "1e3", "nan", "inf", "-0.5", "1.5.2", "1,5"};

        for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
                expect_sectors(bad[i], false);
                expect_figures(bad[i], false);
        }
        expect_sectors("0", true);
        expect_sectors("9223372036854775807", true);
        expect_sectors("9223372036854775808", false);
        expect_sectors("99999999999999999999", false);
        expect_sectors("1.5", false);
        expect_figures("0", true);
        expect_figures("99999999999999999999", true);
        expect_figures("1.5", true);
}

static bool is_about(const char *name, const char *label, const char *live_label, const char *text) {
        const struct history_record r = {.values = {[HISTORY_DEVICE] = name, [HISTORY_LABEL] = label}};
        const struct history_device device = {.label = live_label, .text = text};

        return history_is_about(&r, &device);
}

static void test_about(void **state) {
        static const char *const forms[] = {
                        "dm-3", "/dev/dm-3", "vg0/da-ta", "/dev/vg0/da-ta", "vg0-da--ta", "/dev/mapper/vg0-da--ta"};
        static const char *const others[] = {"dm-33", "dm-", "vg0/da", "vg0-da-ta", "vg0--da--ta", "vg0-da--ta-x",
                        "vg0-da--t", "", "/dev/", "/dev/mapper/", "/dev/vg0"};

        for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
                assert_true(is_about("dm-3", "vg0/da-ta", NULL, forms[i]));
        for (size_t i = 0; i < ARRAY_SIZE(others); i++)
                assert_false(is_about("dm-3", "vg0/da-ta", NULL, others[i]));
        assert_true(is_about("dm-1", "crypt-x", NULL, "/dev/mapper/crypt-x"));
        assert_false(is_about("dm-1", "crypt-x", NULL, "crypt--x"));
        assert_false(is_about(NULL, NULL, NULL, "dm-3"));
        assert_false(is_about(NULL, NULL, "vg0/data", "dm-3"));

        /* The kernel name was another device's at another time. */
        assert_true(is_about("dm-7", "vg0/data", "vg0/data", "dm-3"));
        assert_false(is_about("dm-3", "vg0/old", "vg0/data", "dm-3"));
}

static void test_sort(void **state) {
        _cleanup_(history_done) struct history history = {};
        static const char *const order[] = {"1", "5", "4", "2", "6", "3"};

        for (unsigned i = 0; i < 300; i++) /* more than there is room for at first */
                add(&history, 1000 + i, SETRAD_MSG_HELD, NULL, NULL);
        add(&history, 30, SETRAD_MSG_DRIFT, "3", NULL);
        add(&history, 20, SETRAD_MSG_DRIFT, "2", NULL);
        add(&history, 20, SETRAD_MSG_DRIFT, "4", NULL); /* read later: it was before */
        add(&history, 10, SETRAD_MSG_DRIFT, "1", NULL);
        add(&history, 25, SETRAD_MSG_DRIFT, "6", NULL);
        add(&history, 15, SETRAD_MSG_DRIFT, "5", NULL);
        history_sort(&history);
        for (size_t i = 0; i < ARRAY_SIZE(order); i++)
                assert_int_equal(history.entries[i].from_sectors.value, strtol(order[i], NULL, 10));
        for (unsigned i = 0; i < 300; i++)
                assert_int_equal(history.entries[6 + i].time_usec, 1000 + i);
}

static void test_sort_nothing(void **state) {
        _cleanup_(history_done) struct history history = {};

        history_sort(&history);
        assert_int_equal(history.n_entries, 0);
}

/* Oldest first, as they are once sorted. */
static void test_states(void **state) {
        static const struct history_state expected[] = {
                        {256, 49.9}, {3072, 146}, {512, NAN}, {3072, NAN}, {256, 50}, {4096, 150}};
        _cleanup_(history_done) struct history history = {};
        _cleanup_(freep) struct history_state *states = NULL;
        size_t n;

        add_measured(&history, 1, "256", "3072", "49.9", "146");
        add(&history, 2, SETRAD_MSG_HELD, NULL, NULL);
        add(&history, 3, SETRAD_MSG_DRIFT, "512", NULL);
        add_measured(&history, 4, "512", "3072", NULL, NULL);
        add(&history, 5, SETRAD_MSG_REVERTED, "3072", "256");
        add(&history, 6, SETRAD_MSG_REVERTED, "256", NULL);
        add_measured(&history, 6, "256", "256", NULL, "10"); /* put back: what was tried is no state */
        add_measured(&history, 7, "256", "256", "50", "10");
        add_measured(&history, 8, "256", "4096", "51", "150");
        {
                struct history_record other = record(9, SETRAD_MSG_CHANGED, "1", "2");

                other.values[HISTORY_LABEL] = "vg0/other";
                assert_int_equal(history_add(&history, &other), 0);
                other.values[HISTORY_LABEL] = NULL;
                assert_int_equal(history_add(&history, &other), 0);
        }
        assert_int_equal(history_states(&history, "vg0/data", &states, &n), 0);
        assert_int_equal(n, ARRAY_SIZE(expected));
        for (size_t i = 0; i < n; i++) {
                assert_int_equal(states[i].sectors, expected[i].sectors);
                if (isnan(expected[i].mbps))
                        assert_true(isnan(states[i].mbps));
                else
                        assert_true(fabs(states[i].mbps - expected[i].mbps) < 1e-9);
        }
}

static void test_no_states(void **state) {
        _cleanup_(history_done) struct history history = {};
        _cleanup_(freep) struct history_state *states = NULL;
        size_t n = 7;

        assert_int_equal(history_states(&history, "vg0/data", &states, &n), 0);
        assert_int_equal(n, 0);
}

/* --- what people see */

static char *print(int (*function)(FILE *stream, const struct history *history, bool utf8),
                const struct history *history, bool utf8) {
        char *text = NULL;
        size_t length = 0;
        FILE *stream = open_memstream(&text, &length);

        assert_non_null(stream);
        assert_int_equal(function(stream, history, utf8), 0);
        assert_int_equal(fclose(stream), 0);
        return text;
}

static void fill(struct history *history) {
        struct history_record hostile = record(3000000, SETRAD_MSG_CHANGED, "3072", "512");

        add_measured(history, 1000000, "256", "3072", "49.9", "146");
        add(history, 2000000, SETRAD_MSG_HELD, NULL, NULL);
        hostile.values[HISTORY_LABEL] = "vg0/\x1b[2J\n";
        hostile.values[HISTORY_RULE] = "a\tb\xff";
        hostile.values[HISTORY_SKIPPED] = "busy";
        assert_int_equal(history_add(history, &hostile), 0);
}

static void test_table(void **state) {
        _cleanup_(history_done) struct history history = {};
        _cleanup_(freep) char *text = NULL;

        fill(&history);
        text = print(history_print_table, &history, true);
        assert_non_null(strstr(text, "Jan 01 00:00:01 vg0/data (dm-3) "));
        assert_non_null(strstr(text, " changed  256 3072 49.9 → 146 "));
        assert_non_null(strstr(text, " held       -    - - "));
        assert_non_null(strstr(text, "vg0/\\x1b[2J\\x0a (dm-3)"));
        assert_non_null(strstr(text, " 3072  512 skipped "));
        assert_non_null(strstr(text, "a\\x09b\\xff"));
        for (const char *s = text; *s; s++)
                assert_true(*s == '\n' || (unsigned char)*s >= ' ');
}

static void test_lines(void **state) {
        _cleanup_(history_done) struct history history = {};
        _cleanup_(freep) char *utf8 = NULL, *plain = NULL;

        fill(&history);
        utf8 = print(history_print_lines, &history, true);
        assert_string_equal(utf8, "\nvg0/data, over time\n"
                                  "  readahead  ▁█  256 to 3072, last 3072\n"
                                  "  MB/s       ▃█  49.9 to 146, last 146\n"
                                  "\nvg0/\\x1b[2J\\x0a, over time\n"
                                  "  readahead  █▂  512 to 3072, last 512\n"
                                  "  MB/s       not measured\n");
        plain = print(history_print_lines, &history, false);
        assert_non_null(strstr(plain, "  readahead  _@  256 to 3072, last 3072\n"));
}

/* Only the last ones, so that a line is no wider than a terminal. */
static void test_long_line(void **state) {
        _cleanup_(history_done) struct history history = {};
        _cleanup_(freep) char *text = NULL;

        for (unsigned i = 0; i < 100; i++)
                add(&history, i, SETRAD_MSG_CHANGED, i % 2 ? "8" : "16", i % 2 ? "16" : "8");
        text = print(history_print_lines, &history, false);
        assert_non_null(strstr(
                        text, "  readahead  =@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@=@  8 to 16, "));
}

static void test_json(void **state) {
        _cleanup_(history_done) struct history history = {};
        json_t *document, *entry;
        double before;

        fill(&history);
        document = json_history(&history);
        assert_non_null(document);
        assert_int_equal(json_integer_value(json_object_get(document, "version")), 1);
        assert_int_equal(json_array_size(json_object_get(document, "entries")), 3);
        entry = json_array_get(json_object_get(document, "entries"), 0);
        assert_int_equal(json_object_size(entry), 13);
        assert_int_equal(json_integer_value(json_object_get(entry, "time_usec")), 1000000);
        before = json_real_value(json_object_get(entry, "mbps_before"));
        assert_true(fabs(before - 49.9) < 1e-9);
        assert_true(json_is_null(json_object_get(entry, "gain")));
        assert_true(json_is_null(json_object_get(entry, "rule")));
        entry = json_array_get(json_object_get(document, "entries"), 1);
        assert_true(json_is_null(json_object_get(entry, "to_sectors")));
        entry = json_array_get(json_object_get(document, "entries"), 2);
        assert_string_equal(json_string_value(json_object_get(entry, "rule")), "a\tb\\xff");
        assert_string_equal(json_string_value(json_object_get(entry, "label")), "vg0/\x1b[2J\n");
        json_decref(document);
}

/* UTC, and a locale that has all characters, as setractl has. */
static int set_environment(void **state) {
        assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
        setenv("TZ", "UTC0", 1);
        tzset();
        return 0;
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_all_fields),
                        cmocka_unit_test(test_events),
                        cmocka_unit_test(test_numbers),
                        cmocka_unit_test(test_about),
                        cmocka_unit_test(test_sort),
                        cmocka_unit_test(test_sort_nothing),
                        cmocka_unit_test(test_states),
                        cmocka_unit_test(test_no_states),
                        cmocka_unit_test(test_table),
                        cmocka_unit_test(test_lines),
                        cmocka_unit_test(test_long_line),
                        cmocka_unit_test(test_json),
        };

        return cmocka_run_group_tests(tests, set_environment, NULL);
}
