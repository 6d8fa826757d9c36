/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "cli/timespec.h"
#include "common/cleanup.h"

#define USEC_PER_SEC  UINT64_C(1000000)
#define USEC_PER_MIN  (60 * USEC_PER_SEC)
#define USEC_PER_HOUR (60 * USEC_PER_MIN)
#define USEC_PER_DAY  (24 * USEC_PER_HOUR)
#define USEC_PER_YEAR (UINT64_C(31557600) * USEC_PER_SEC) /* 365.25 days; a month is a twelfth, as in systemd.time(7) */

/* What is left to be read. */
struct cursor {
        const char *at, *end;
};

static const struct {
        const char *name;
        uint64_t usec;
} units[] = {
                {"us", 1},
                {"usec", 1},
                {"µs", 1},
                {"ms", 1000},
                {"msec", 1000},
                {"s", USEC_PER_SEC},
                {"sec", USEC_PER_SEC},
                {"second", USEC_PER_SEC},
                {"seconds", USEC_PER_SEC},
                {"m", USEC_PER_MIN},
                {"min", USEC_PER_MIN},
                {"minute", USEC_PER_MIN},
                {"minutes", USEC_PER_MIN},
                {"h", USEC_PER_HOUR},
                {"hr", USEC_PER_HOUR},
                {"hour", USEC_PER_HOUR},
                {"hours", USEC_PER_HOUR},
                {"d", USEC_PER_DAY},
                {"day", USEC_PER_DAY},
                {"days", USEC_PER_DAY},
                {"w", 7 * USEC_PER_DAY},
                {"week", 7 * USEC_PER_DAY},
                {"weeks", 7 * USEC_PER_DAY},
                {"M", USEC_PER_YEAR / 12},
                {"month", USEC_PER_YEAR / 12},
                {"months", USEC_PER_YEAR / 12},
                {"y", USEC_PER_YEAR},
                {"year", USEC_PER_YEAR},
                {"years", USEC_PER_YEAR},
};

static bool is_blank(char c) {
        return c == ' ' || c == '\t';
}

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

static bool at_end(const struct cursor *cursor) {
        return cursor->at == cursor->end;
}

static void skip_blanks(struct cursor *cursor) {
        while (!at_end(cursor) && is_blank(*cursor->at))
                cursor->at++;
}

static bool take_character(struct cursor *cursor, char c) {
        if (at_end(cursor) || *cursor->at != c)
                return false;
        cursor->at++;
        return true;
}

/* Takes WORD from the end, and the blanks before it, of which there must be one or nothing else. */
static bool take_last_word(struct cursor *cursor, const char *word) {
        size_t n = strlen(word), length = (size_t)(cursor->end - cursor->at);

        if (length < n || memcmp(cursor->end - n, word, n) != 0)
                return false;
        if (length > n && !is_blank(*(cursor->end - n - 1)))
                return false;
        cursor->end -= n;
        while (!at_end(cursor) && is_blank(cursor->end[-1]))
                cursor->end--;
        return true;
}

/* A number of MIN_DIGITS to MAX_DIGITS digits. */
static bool take_number(struct cursor *cursor, unsigned min_digits, unsigned max_digits, int *ret) {
        unsigned n = 0;
        int number = 0;

        while (!at_end(cursor) && is_digit(*cursor->at) && n < max_digits) {
                number = number * 10 + (*cursor->at++ - '0');
                n++;
        }
        *ret = number;
        return n >= min_digits;
}

/* What follows a decimal point, as so much of UNIT. What is finer than a microsecond is read over. */
static uint64_t take_fraction(struct cursor *cursor, uint64_t unit) {
        uint64_t sum = 0;

        for (; !at_end(cursor) && is_digit(*cursor->at); cursor->at++) {
                unit /= 10;
                sum += unit * (uint64_t)(*cursor->at - '0');
        }
        return sum;
}

/* --- spans */

static bool take_unit(struct cursor *cursor, uint64_t *ret) {
        const char *word = cursor->at;
        size_t n;

        while (!at_end(cursor) && (isalpha((unsigned char)*cursor->at) || (*cursor->at & 0x80)))
                cursor->at++;
        n = (size_t)(cursor->at - word);
        if (n == 0) {
                *ret = USEC_PER_SEC;
                return true;
        }
        for (size_t i = 0; i < ARRAY_SIZE(units); i++)
                if (strlen(units[i].name) == n && memcmp(units[i].name, word, n) == 0) {
                        *ret = units[i].usec;
                        return true;
                }
        return false;
}

/* "1.5h": the unit is behind the number, so its digits are read twice. */
static bool take_span_part(struct cursor *cursor, uint64_t *sum) {
        struct cursor fraction = {};
        uint64_t number = 0, unit;

        if (at_end(cursor) || !is_digit(*cursor->at))
                return false;
        for (; !at_end(cursor) && is_digit(*cursor->at); cursor->at++)
                if (__builtin_mul_overflow(number, 10, &number) ||
                                __builtin_add_overflow(number, (uint64_t)(*cursor->at - '0'), &number))
                        return false;
        if (take_character(cursor, '.')) {
                fraction.at = cursor->at;
                while (!at_end(cursor) && is_digit(*cursor->at))
                        cursor->at++;
                fraction.end = cursor->at;
                if (at_end(&fraction))
                        return false;
        }
        skip_blanks(cursor);
        if (!take_unit(cursor, &unit) || __builtin_mul_overflow(number, unit, &number) ||
                        __builtin_add_overflow(*sum, number, sum))
                return false;
        return !__builtin_add_overflow(*sum, take_fraction(&fraction, unit), sum);
}

/* All that is left, as "1h 30min". */
static int parse_span(struct cursor cursor, uint64_t *ret) {
        uint64_t sum = 0;

        skip_blanks(&cursor);
        do {
                if (!take_span_part(&cursor, &sum))
                        return -EINVAL;
                skip_blanks(&cursor);
        } while (!at_end(&cursor));
        *ret = sum;
        return 0;
}

static int parse_before(struct cursor cursor, uint64_t now_usec, uint64_t *ret_usec) {
        uint64_t span;
        int r;

        r = parse_span(cursor, &span);
        if (r == 0)
                *ret_usec = span < now_usec ? now_usec - span : 0;
        return r;
}

static int parse_after(struct cursor cursor, uint64_t base_usec, uint64_t *ret_usec) {
        uint64_t span, sum;
        int r;

        r = parse_span(cursor, &span);
        if (r < 0)
                return r;
        if (__builtin_add_overflow(base_usec, span, &sum))
                return -EINVAL;
        *ret_usec = sum;
        return 0;
}

/* --- dates */

static uint64_t usec_of(time_t seconds) {
        return seconds > 0 ? (uint64_t)seconds * USEC_PER_SEC : 0;
}

/* Midnight, DAYS after that of today. */
static int find_midnight(uint64_t now_usec, int days, uint64_t *ret_usec) {
        time_t now = (time_t)(now_usec / USEC_PER_SEC);
        struct tm tm;

        if (!localtime_r(&now, &tm))
                return -EINVAL;
        tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
        tm.tm_mday += days;
        tm.tm_isdst = -1;
        *ret_usec = usec_of(mktime(&tm));
        return 0;
}

static bool take_date(struct cursor *cursor, struct tm *tm) {
        int year, month, day;

        if (!take_number(cursor, 4, 4, &year) || !take_character(cursor, '-') || !take_number(cursor, 1, 2, &month) ||
                        !take_character(cursor, '-') || !take_number(cursor, 1, 2, &day))
                return false;
        tm->tm_year = year - 1900;
        tm->tm_mon = month - 1;
        tm->tm_mday = day;
        return year >= 1970;
}

static bool take_time(struct cursor *cursor, struct tm *tm, uint64_t *ret_usec) {
        if (!take_number(cursor, 1, 2, &tm->tm_hour) || !take_character(cursor, ':') ||
                        !take_number(cursor, 2, 2, &tm->tm_min))
                return false;
        if (take_character(cursor, ':')) {
                if (!take_number(cursor, 2, 2, &tm->tm_sec))
                        return false;
                if (take_character(cursor, '.')) {
                        if (at_end(cursor) || !is_digit(*cursor->at))
                                return false;
                        *ret_usec = take_fraction(cursor, USEC_PER_SEC);
                }
        }
        return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec < 60;
}

/* "Mon ", or "Monday ". -1 if there is none. */
static int take_weekday(struct cursor *cursor) {
        static const char *const days[] = {
                        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
        size_t n = 0, length = (size_t)(cursor->end - cursor->at);

        while (n < length && isalpha((unsigned char)cursor->at[n]))
                n++;
        for (size_t i = 0; n < length && is_blank(cursor->at[n]) && i < ARRAY_SIZE(days); i++)
                if ((n == 3 || n == strlen(days[i])) && strncasecmp(cursor->at, days[i], n) == 0) {
                        cursor->at += n;
                        skip_blanks(cursor);
                        return (int)i;
                }
        return -1;
}

/* Whether there is such a day. Without a zone of its own, as an hour that is left out may be another day's. */
static bool is_a_day(const struct tm *tm, int weekday) {
        struct tm day = {.tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday};

        (void)timegm(&day);
        return day.tm_year == tm->tm_year && day.tm_mon == tm->tm_mon && day.tm_mday == tm->tm_mday &&
               (weekday < 0 || day.tm_wday == weekday);
}

/* A date, and a time behind it or not. Behind what is left there is nothing else. */
static bool take_date_and_time(struct cursor *cursor, struct tm *tm, uint64_t *ret_usec) {
        int weekday = take_weekday(cursor);

        if (!take_date(cursor, tm) || !is_a_day(tm, weekday))
                return false;
        if (at_end(cursor))
                return true;
        if (!take_character(cursor, 'T')) {
                if (!is_blank(*cursor->at))
                        return false;
                skip_blanks(cursor);
        }
        return take_time(cursor, tm, ret_usec) && at_end(cursor);
}

static int parse_date(struct cursor cursor, uint64_t now_usec, uint64_t *ret_usec) {
        bool utc = take_last_word(&cursor, "UTC") || (!at_end(&cursor) && cursor.end[-1] == 'Z' && cursor.end--);
        time_t now = (time_t)(now_usec / USEC_PER_SEC);
        struct cursor start = cursor;
        struct tm tm = {.tm_isdst = -1}, today;
        uint64_t usec = 0;

        if (!take_date_and_time(&cursor, &tm, &usec)) {
                /* Of today. */
                cursor = start;
                usec = 0;
                if (!(utc ? gmtime_r(&now, &today) : localtime_r(&now, &today)))
                        return -EINVAL;
                tm = (struct tm){.tm_year = today.tm_year,
                                .tm_mon = today.tm_mon,
                                .tm_mday = today.tm_mday,
                                .tm_isdst = -1};
                if (!take_time(&cursor, &tm, &usec) || !at_end(&cursor))
                        return -EINVAL;
        }
        *ret_usec = usec_of(utc ? timegm(&tm) : mktime(&tm)) + usec;
        return 0;
}

int timespec_parse(const char *text, uint64_t now_usec, uint64_t *ret_usec) {
        static const struct {
                const char *name;
                int days;
        } days[] = {{"today", 0}, {"yesterday", -1}, {"tomorrow", 1}};
        struct cursor cursor = {.at = text, .end = text + strlen(text)};

        skip_blanks(&cursor);
        while (!at_end(&cursor) && is_blank(cursor.end[-1]))
                cursor.end--;
        for (size_t i = 0; i < ARRAY_SIZE(days); i++)
                if (strlen(days[i].name) == (size_t)(cursor.end - cursor.at) &&
                                memcmp(days[i].name, cursor.at, strlen(days[i].name)) == 0)
                        return find_midnight(now_usec, days[i].days, ret_usec);
        if (cursor.end - cursor.at == 3 && memcmp(cursor.at, "now", 3) == 0) {
                *ret_usec = now_usec;
                return 0;
        }
        if (take_character(&cursor, '-'))
                return parse_before(cursor, now_usec, ret_usec);
        if (take_character(&cursor, '+'))
                return parse_after(cursor, now_usec, ret_usec);
        if (take_character(&cursor, '@'))
                return parse_after(cursor, 0, ret_usec);
        if (take_last_word(&cursor, "ago"))
                return parse_before(cursor, now_usec, ret_usec);
        if (take_last_word(&cursor, "left"))
                return parse_after(cursor, now_usec, ret_usec);
        return parse_date(cursor, now_usec, ret_usec);
}
