/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "cli/timespec.h"
#include "common/cleanup.h"

#define NOW_SEC INT64_C(1796068213) /* Mon 2026-11-30 19:50:13 UTC; 14:50:13 in New York */
#define NOW     (UINT64_C(1796068213250000))
#define SEC(n)  ((uint64_t)(n)*1000000)
#define HOUR    SEC(3600)
#define DAY     (24 * HOUR)

/* New York: UTC-5, UTC-4 in summer; its rules are given here, so that no database of time zones is needed. */
static void use_zone(const char *zone) {
        setenv("TZ", zone, 1);
        tzset();
}

static int new_york(void **state) {
        use_zone("EST5EDT,M3.2.0,M11.1.0");
        return 0;
}

static uint64_t parse(const char *text) {
        uint64_t usec = UINT64_MAX;

        if (timespec_parse(text, NOW, &usec) < 0)
                fail_msg("'%s' is not taken", text);
        return usec;
}

static void test_words(void **state) {
        const uint64_t midnight = SEC(NOW_SEC - 14 * 3600 - 50 * 60 - 13);

        assert_int_equal(parse("now"), NOW);
        assert_int_equal(parse("today"), midnight);
        assert_int_equal(parse("  today\t"), midnight);
        assert_int_equal(parse("yesterday"), midnight - DAY);
        assert_int_equal(parse("tomorrow"), midnight + DAY);
}

/* Of 2026-11-02 the day before has 25 hours; of 2026-03-09 it has 23. */
static void test_days_of_other_lengths(void **state) {
        const uint64_t autumn = parse("2026-11-02 12:00"), spring = parse("2026-03-09 12:00");
        uint64_t usec;

        assert_int_equal(timespec_parse("yesterday", autumn, &usec), 0);
        assert_int_equal(autumn - usec, 12 * HOUR + 25 * HOUR);
        assert_int_equal(timespec_parse("yesterday", spring, &usec), 0);
        assert_int_equal(spring - usec, 12 * HOUR + 23 * HOUR);
}

static void test_dates(void **state) {
        static const struct {
                const char *text;
                int64_t seconds;
        } cases[] = {
                        {"2026-11-30 19:50:13 UTC", NOW_SEC}, {"2026-11-30 19:50:13Z", NOW_SEC},
                        {"2026-11-30T19:50:13Z", NOW_SEC}, {"Mon 2026-11-30 19:50:13 UTC", NOW_SEC},
                        {"Monday 2026-11-30 19:50:13 UTC", NOW_SEC}, {"mon  2026-11-30  19:50:13  UTC", NOW_SEC},
                        {"2026-11-30 19:50 UTC", NOW_SEC - 13}, {"2026-11-30 UTC", NOW_SEC - 13 - 50 * 60 - 19 * 3600},
                        {"19:50:13 UTC", NOW_SEC}, {"9:50 UTC", NOW_SEC - 13 - 10 * 3600},
                        {"2026-11-30 14:50:13", NOW_SEC}, {"2026-11-30T14:50:13", NOW_SEC},
                        {"2026-11-30 14:50", NOW_SEC - 13}, {"2026-11-30", NOW_SEC - 13 - 50 * 60 - 14 * 3600},
                        {"14:50:13", NOW_SEC}, {"14:50", NOW_SEC - 13}, {"2026-7-1 12:00", 1782921600}, /* in summer */
                        {"2026-07-01 16:00 UTC", 1782921600}, {"2024-02-29 00:00 UTC", 1709164800},
                        {"1970-01-01 00:00 UTC", 0}, {"2100-03-01 UTC", 4107542400}, /* no leap year */
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                if (parse(cases[i].text) != SEC(cases[i].seconds))
                        fail_msg("'%s' is %llu", cases[i].text, (unsigned long long)parse(cases[i].text));
}

static void test_fractions(void **state) {
        assert_int_equal(parse("2026-11-30 14:50:13.25"), NOW);
        assert_int_equal(parse("2026-11-30 19:50:13.2500009Z"), NOW); /* finer than is told apart */
        assert_int_equal(parse("14:50:13.000001"), SEC(NOW_SEC) + 1);
        assert_int_equal(parse("@1796068213.25"), NOW);
        assert_int_equal(parse("-1.5h"), NOW - HOUR - HOUR / 2);
        assert_int_equal(parse("-0.25s"), SEC(NOW_SEC));
}

/* The hour from 2 to 3 was left out: it is one of the hours beside it, and on the same day. */
static void test_hour_that_was_not(void **state) {
        const uint64_t usec = parse("2026-03-08 02:30");

        assert_true(usec == SEC(1772953200 + 1800) || usec == SEC(1772953200 + 1800 - 3600) ||
                        usec == SEC(1772953200 + 1800 + 3600));
}

/* A day that begins at one o'clock is a day. */
static void test_midnight_that_was_not(void **state) {
        uint64_t usec;

        use_zone("XXX3YYY,M11.1.0/0,M2.3.0/0");
        assert_int_equal(timespec_parse("2018-11-04", NOW, &usec), 0);
        new_york(NULL);
        assert_true(usec >= SEC(1541296800) && usec <= SEC(1541304000));
}

static void test_spans(void **state) {
        static const struct {
                const char *text;
                uint64_t usec; /* before now */
        } cases[] = {
                        {"-1h", HOUR},
                        {"- 1h", HOUR},
                        {"1h ago", HOUR},
                        {"1h  ago", HOUR},
                        {"1 hour ago", HOUR},
                        {"2 hours ago", 2 * HOUR},
                        {"-2hr", 2 * HOUR},
                        {"-30", SEC(30)},
                        {"30 ago", SEC(30)},
                        {"-30s", SEC(30)},
                        {"-30sec", SEC(30)},
                        {"-1second", SEC(1)},
                        {"-30seconds", SEC(30)},
                        {"-5m", SEC(300)},
                        {"-5min", SEC(300)},
                        {"1 minute ago", SEC(60)},
                        {"5 minutes ago", SEC(300)},
                        {"-1d", DAY},
                        {"1 day ago", DAY},
                        {"3 days ago", 3 * DAY},
                        {"-1w", 7 * DAY},
                        {"1 week ago", 7 * DAY},
                        {"2 weeks ago", 14 * DAY},
                        {"-1M", SEC(2629800)},
                        {"1 month ago", SEC(2629800)},
                        {"2 months ago", SEC(5259600)},
                        {"-1y", SEC(31557600)},
                        {"1 year ago", SEC(31557600)},
                        {"2 years ago", SEC(63115200)},
                        {"-20ms", 20000},
                        {"-20msec", 20000},
                        {"-20us", 20},
                        {"-20usec", 20},
                        {"-20µs", 20},
                        {"-1h30min", HOUR + SEC(1800)},
                        {"-1h 30min", HOUR + SEC(1800)},
                        {"1h 30min ago", HOUR + SEC(1800)},
                        {"1d 2h 3min 4s ago", DAY + 2 * HOUR + SEC(184)},
                        {"-0", 0},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                if (parse(cases[i].text) != NOW - cases[i].usec)
                        fail_msg("'%s' is %llu", cases[i].text, (unsigned long long)parse(cases[i].text));
        assert_int_equal(parse("+5min"), NOW + SEC(300));
        assert_int_equal(parse("5min left"), NOW + SEC(300));
        assert_int_equal(parse("@0"), 0);
        assert_int_equal(parse("@1796068213"), SEC(NOW_SEC));
}

static void test_before_1970(void **state) {
        assert_int_equal(parse("-100y"), 0);
        assert_int_equal(parse("100 years ago"), 0);
        use_zone("XXX-5");
        assert_int_equal(parse("1970-01-01"), 0);
        new_york(NULL);
}

static void test_refused(void **state) {
        static const char *const texts[] = {
                        "",
                        " ",
                        "-",
                        "+",
                        "@",
                        "ago",
                        "left",
                        "nonsense",
                        "Today",
                        "todayy",
                        "yesterday 20:00",
                        "1h",
                        "-1 h x",
                        "-1x",
                        "-h",
                        "--1h",
                        "-1h ago",
                        "1hago",
                        "-1.",
                        "-.5h",
                        "@x",
                        "@-1",
                        "@1 ago",
                        "-18446744073709551616",
                        "-18446744073709551615s",
                        "-99999999999y",
                        "+18446744073709551615us",
                        "@18446744073709551615",
                        "-18446744073709551615us 1us",
                        "2026-11-31",
                        "2026-02-29",
                        "2100-02-29",
                        "2026-00-01",
                        "2026-13-01",
                        "2026-01-00",
                        "1969-12-31",
                        "26-11-30",
                        "20260-11-30",
                        "2026-11",
                        "2026-11-",
                        "2026/11/30",
                        "2026-11-30T",
                        "2026-11-30x",
                        "2026-11-3014:50",
                        "2026-11-30 24:00",
                        "2026-11-30 14:60",
                        "2026-11-30 14:50:60",
                        "2026-11-30 14",
                        "2026-11-30 14:",
                        "2026-11-30 14:5",
                        "2026-11-30 14:50:",
                        "2026-11-30 14:50:1",
                        "2026-11-30 14:50:13.",
                        "2026-11-30 14:50:13 x",
                        "2026-11-30 14:50 CET",
                        "24:00",
                        "14",
                        "Tue 2026-11-30",
                        "Mo 2026-11-30",
                        "Mon",
                        "Mon 14:50",
                        "UTC",
                        "Z",
                        "14:50UTC",
        };
        uint64_t usec = 7;

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
                if (timespec_parse(texts[i], NOW, &usec) != -EINVAL || usec != 7)
                        fail_msg("'%s' is taken: %llu", texts[i], (unsigned long long)usec);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_words),
                        cmocka_unit_test(test_days_of_other_lengths),
                        cmocka_unit_test(test_dates),
                        cmocka_unit_test(test_fractions),
                        cmocka_unit_test(test_hour_that_was_not),
                        cmocka_unit_test(test_midnight_that_was_not),
                        cmocka_unit_test(test_spans),
                        cmocka_unit_test(test_before_1970),
                        cmocka_unit_test(test_refused),
        };

        return cmocka_run_group_tests(tests, new_york, NULL);
}
