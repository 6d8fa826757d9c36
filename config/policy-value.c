/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "common/cleanup.h"
#include "config/policy-suggest.h"
#include "config/policy-value.h"

#define MILLI UINT64_C(1000)

struct unit {
        const char *name;
        uint64_t factor;
};

/* Amounts, in bytes. */
static const struct unit amounts[] = {
                {"s", SECTOR_BYTES},
                {"KiB", UINT64_C(1) << 10},
                {"MiB", UINT64_C(1) << 20},
                {"GiB", UINT64_C(1) << 30},
                {"TiB", UINT64_C(1) << 40},
                {"PiB", UINT64_C(1) << 50},
                {0},
};

/* Durations, in milliseconds. Minutes first: they are what "m" most likely stands for. */
static const struct unit durations[] = {{"min", 60000}, {"ms", 1}, {"s", 1000}, {"h", 3600000}, {0}};

/* What was read of "1.5MiB". */
struct quantity {
        uint64_t milli;   /* thousandths of the number */
        const char *unit; /* what follows the number, blanks left out; may be "" */
        int n_digits;     /* of TEXT, so that the number can be shown as it was written */
};

__attribute__((format(printf, 2, 3))) static int because(struct value_why *why, const char *format, ...) {
        va_list args;

        va_start(args, format);
        vsnprintf(why->text, sizeof(why->text), format, args);
        va_end(args);
        return -EINVAL;
}

static const char *skip_blanks(const char *s) {
        return s + strspn(s, " ");
}

/* Digits with at most three decimals. -EINVAL if there is no such number, -ERANGE if it is too large. */
static int parse_quantity(const char *text, struct quantity *ret) {
        const char *s = text;
        uint64_t milli = 0, scale = MILLI;

        if (!isdigit((unsigned char)*s))
                return -EINVAL;
        for (; isdigit((unsigned char)*s); s++)
                if (__builtin_mul_overflow(milli, 10, &milli) ||
                                __builtin_add_overflow(milli, (uint64_t)(*s - '0') * MILLI, &milli))
                        return -ERANGE;
        if (*s == '.') {
                for (s++; isdigit((unsigned char)*s) && scale > 1; s++) {
                        scale /= 10;
                        if (__builtin_add_overflow(milli, (uint64_t)(*s - '0') * scale, &milli))
                                return -ERANGE;
                }
                if (scale == MILLI || isdigit((unsigned char)*s))
                        return -EINVAL;
        }

        *ret = (struct quantity){.milli = milli, .unit = skip_blanks(s), .n_digits = (int)(s - text)};
        return 0;
}

/* milli × factor ÷ 1000, if that is whole and fits. */
static int scale_quantity(const struct quantity *q, uint64_t factor, uint64_t *ret) {
        uint64_t whole, part = q->milli % MILLI *
                               factor; /* no unit is so large that a thousand of them are no number */

        if (part % MILLI != 0)
                return -EINVAL;
        if (__builtin_mul_overflow(q->milli / MILLI, factor, &whole) ||
                        __builtin_add_overflow(whole, part / MILLI, ret))
                return -ERANGE;
        return 0;
}

static const struct unit *find_unit(const struct unit *units, const char *name) {
        for (const struct unit *u = units; u->name; u++)
                if (strcmp(u->name, name) == 0)
                        return u;
        return NULL;
}

/* Whether NAME begins a whole word for a unit: "seconds" does, "blocks" does not. */
static bool is_unit_in_words(const char *name) {
        static const char *const words[] = {"sec", "min", "hour"};

        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
                if (strncasecmp(name, words[i], strlen(words[i])) == 0)
                        return true;
        return false;
}

/* The unit that K, kb or kib, or sec, most likely stand for. */
static const struct unit *guess_unit(const struct unit *units, const char *name) {
        if (strlen(name) > 3 && !is_unit_in_words(name))
                return NULL;
        for (const struct unit *u = units; u->name; u++)
                if (strcasecmp(name, u->name) == 0)
                        return u;
        for (const struct unit *u = units; u->name; u++)
                if (tolower((unsigned char)*name) == tolower((unsigned char)*u->name))
                        return u;
        return NULL;
}

static int unknown_unit(const char *text, const struct quantity *q, const struct unit *units, const char *examples,
                struct value_why *why) {
        const struct unit *guess = guess_unit(units, q->unit);

        if (guess)
                return because(why, "unknown unit \"%.32s\": did you mean %.*s%s?", q->unit, q->n_digits, text,
                                guess->name);
        return because(why, "unknown unit \"%.32s\": write it as in %s", q->unit, examples);
}

/* Both readings of a bare number, the first also in the other's unit. */
static int bare_amount(const char *text, const struct quantity *q, struct value_why *why) {
        if (q->milli % (2 * MILLI) != 0)
                return because(why, "%.32s: sectors or KiB? write %.*ss or %.*sKiB", text, q->n_digits, text,
                                q->n_digits, text);
        return because(why, "%.32s: sectors or KiB? write %.*ss (which is %" PRIu64 "KiB) or %.*sKiB", text,
                        q->n_digits, text, q->milli / MILLI / 2, q->n_digits, text);
}

static int parse_amount(const char *text, uint64_t *ret_bytes, struct value_why *why) {
        static const char examples[] = "8192s (sectors of 512 bytes), 4096KiB or 4MiB";
        const struct unit *unit;
        struct quantity q;
        int r;

        r = parse_quantity(text, &q);
        if (r == -ERANGE)
                return because(why, "%.32s is too large", text);
        if (r < 0)
                return because(why, "\"%.64s\" is no amount: write it as in %s", text, examples);
        if (!*q.unit)
                return bare_amount(text, &q, why);

        unit = find_unit(amounts, q.unit);
        if (!unit)
                return unknown_unit(text, &q, amounts, examples, why);
        r = scale_quantity(&q, unit->factor, ret_bytes);
        if (r < 0)
                return because(why, r == -ERANGE ? "%.32s is too large" : "%.32s is no whole number of bytes", text);
        return 0;
}

static int parse_whole_sectors(const char *text, uint64_t *ret_sectors, struct value_why *why) {
        uint64_t bytes = 0;
        int r;

        r = parse_amount(text, &bytes, why);
        if (r < 0)
                return r;
        if (bytes % SECTOR_BYTES != 0)
                return because(why, "%.32s is no whole number of sectors (512 bytes)", text);
        *ret_sectors = bytes / SECTOR_BYTES;
        return 0;
}

int value_parse_bytes(const char *text, uint64_t *ret_bytes, struct value_why *ret_why) {
        return parse_amount(text, ret_bytes, ret_why);
}

int value_parse_sectors(const char *text, uint64_t *ret_sectors, struct value_why *ret_why) {
        uint64_t sectors = 0;
        int r;

        r = parse_whole_sectors(text, &sectors, ret_why);
        if (r < 0)
                return r;
        if (sectors > VALUE_SECTORS_MAX)
                return because(ret_why, "%.32s is more than 1024GiB, which no readahead can be", text);
        *ret_sectors = sectors;
        return 0;
}

static int parse_stripes(
                const char *text, const struct quantity *q, struct readahead_spec *ret, struct value_why *why) {
        if (q->milli % MILLI != 0)
                return because(why, "%.*s is no whole number of stripes", q->n_digits, text);
        if (q->milli == 0)
                return because(why, "0 stripes: write off to turn readahead off, or keep to leave it as it is");
        if (q->milli / MILLI > VALUE_STRIPES_MAX)
                return because(why, "%.*s stripes: at most %" PRIu64, q->n_digits, text, VALUE_STRIPES_MAX);
        *ret = (struct readahead_spec){.mode = READAHEAD_STRIPES, .stripes = q->milli / MILLI};
        return 0;
}

static int parse_literal(const char *text, struct readahead_spec *ret, struct value_why *why) {
        uint64_t sectors = 0;
        struct quantity q;
        int r;

        r = parse_quantity(text, &q);
        if (r >= 0 && (strcmp(q.unit, "stripes") == 0 || strcmp(q.unit, "stripe") == 0))
                return parse_stripes(text, &q, ret, why);
        if (r >= 0 && q.milli == 0)
                return because(why, "%.32s: write off to turn readahead off, or keep to leave it as it is", text);
        if (r >= 0 && (strncasecmp(q.unit, "st", 2) == 0 || strcasestr(q.unit, "strip")))
                return because(why, "unknown unit \"%.32s\": did you mean %.*s stripes?", q.unit, q.n_digits, text);

        r = value_parse_sectors(text, &sectors, why);
        if (r < 0)
                return r;
        *ret = (struct readahead_spec){.mode = READAHEAD_SECTORS, .sectors = sectors};
        return 0;
}

int value_parse_readahead(const char *text, struct readahead_spec *ret, struct value_why *ret_why) {
        static const struct {
                const char *word;
                enum readahead_mode mode;
        } words[] = {
                        {"auto", READAHEAD_AUTO},
                        {"array", READAHEAD_ARRAY},
                        {"off", READAHEAD_OFF},
                        {"keep", READAHEAD_KEEP},
        };
        struct suggestion suggestion = suggestion_for(text);

        if (isdigit((unsigned char)*text))
                return parse_literal(text, ret, ret_why);
        for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
                if (strcmp(words[i].word, text) == 0) {
                        *ret = (struct readahead_spec){.mode = words[i].mode};
                        return 0;
                }
                suggestion_offer(&suggestion, words[i].word);
        }
        if (suggestion.best)
                return because(ret_why, "no readahead \"%.64s\": did you mean \"%s\"?", text, suggestion.best);
        return because(ret_why,
                        "no readahead \"%.64s\": it may be auto, array, off, keep, 2 stripes, 8192s (sectors), 4096KiB "
                        "or 4MiB",
                        text);
}

int value_parse_bool(const char *text, bool *ret) {
        static const char *const words[][2] = {{"false", "true"}, {"no", "yes"}, {"off", "on"}};

        for (size_t i = 0; i < 2 * ARRAY_SIZE(words); i++) {
                const char *word = words[i / 2][i % 2];

                if (strcasecmp(word, text) != 0)
                        continue;
                /* yes, Yes, YES */
                for (const char *s = text + 1; *s; s++)
                        if (!islower((unsigned char)*s) != !islower((unsigned char)text[1]) ||
                                        (islower((unsigned char)*text) && isupper((unsigned char)*s)))
                                return -EINVAL;
                *ret = i % 2 == 1;
                return 0;
        }
        return -EINVAL;
}

const char *value_suggest_bool(const char *text) {
        static const char *const near[][2] = {{"0", "false"}, {"n", "false"}, {"1", "true"}, {"y", "true"}};
        static const char *const words[] = {"true", "false", "yes", "no", "on", "off"};
        struct suggestion suggestion = suggestion_for(text);

        for (size_t i = 0; i < ARRAY_SIZE(near); i++)
                if (strcasecmp(near[i][0], text) == 0)
                        return near[i][1];
        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
                suggestion_offer(&suggestion, words[i]);
        return suggestion.best;
}

int value_parse_share(const char *text, unsigned *ret_ppm, struct value_why *ret_why) {
        struct quantity q;
        int r;

        if (strcmp(text, "off") == 0) {
                *ret_ppm = 0;
                return 0;
        }
        r = parse_quantity(text, &q);
        if (r < 0)
                return because(ret_why,
                                "\"%.64s\" is no share of memory: write it as in 0.5%%, or off for no such bound",
                                text);
        if (!*q.unit)
                return because(ret_why, "%.32s: of what? write %.*s%% of memory", text, q.n_digits, text);
        if (strcmp(q.unit, "%") != 0)
                return because(ret_why, "unknown unit \"%.32s\": write a share of memory as in 0.5%%", q.unit);
        if (q.milli == 0 || q.milli > 100 * MILLI)
                return because(ret_why, "%.32s is not between 0.001%% and 100%%; off is no such bound", text);
        /* 1 % is 10000 ppm. */
        *ret_ppm = (unsigned)(q.milli * 10);
        return 0;
}

int value_parse_duration(const char *text, uint64_t *ret_msec, struct value_why *ret_why) {
        static const char examples[] = "3s, 500ms, 1min or 2h";
        const struct unit *unit;
        struct quantity q;
        int r;

        r = parse_quantity(text, &q);
        if (r == -ERANGE)
                return because(ret_why, "%.32s is too large", text);
        if (r < 0)
                return because(ret_why, "\"%.64s\" is no time: write it as in %s", text, examples);
        if (!*q.unit)
                return because(ret_why, "%.32s: seconds or milliseconds? write %.*ss or %.*sms", text, q.n_digits, text,
                                q.n_digits, text);
        unit = find_unit(durations, q.unit);
        if (!unit)
                return unknown_unit(text, &q, durations, examples, ret_why);
        r = scale_quantity(&q, unit->factor, ret_msec);
        if (r < 0)
                return because(ret_why,
                                r == -ERANGE ? "%.32s is too large" : "%.32s is no whole number of milliseconds", text);
        return 0;
}

int value_parse_count(const char *text, unsigned least, unsigned most, unsigned *ret, struct value_why *ret_why) {
        struct quantity q;

        if (parse_quantity(text, &q) < 0 || *q.unit || q.milli % MILLI != 0 || q.milli / MILLI < least ||
                        q.milli / MILLI > most)
                return because(ret_why, "\"%.64s\" is no whole number from %u to %u", text, least, most);
        *ret = (unsigned)(q.milli / MILLI);
        return 0;
}

/* Longer signs first. */
static const struct {
        const char *sign;
        enum comparison comparison;
} signs[] = {
                {">=", COMPARE_GREATER_EQUAL},
                {"<=", COMPARE_LESS_EQUAL},
                {"==", COMPARE_EQUAL},
                {">", COMPARE_GREATER},
                {"<", COMPARE_LESS},
                {"=", COMPARE_EQUAL},
};

/* Past the sign; NULL if there is none. */
static const char *parse_sign(const char *text, enum comparison *ret) {
        for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
                size_t n = strlen(signs[i].sign);

                if (strncmp(text, signs[i].sign, n) == 0) {
                        *ret = signs[i].comparison;
                        return skip_blanks(text + n);
                }
        }
        return NULL;
}

int value_parse_size(const char *text, struct size_comparison *ret, struct value_why *ret_why) {
        const char *amount = parse_sign(text, &ret->comparison);

        if (!amount)
                return because(ret_why, "\"%.64s\" compares with nothing: write it as in \">= 1TiB\" or \"< 100GiB\"",
                                text);
        return parse_whole_sectors(amount, &ret->sectors, ret_why);
}

bool size_comparison_holds(const struct size_comparison *comparison, uint64_t sectors) {
        switch (comparison->comparison) {
        case COMPARE_LESS: return sectors < comparison->sectors;
        case COMPARE_LESS_EQUAL: return sectors <= comparison->sectors;
        case COMPARE_EQUAL: return sectors == comparison->sectors;
        case COMPARE_GREATER_EQUAL: return sectors >= comparison->sectors;
        case COMPARE_GREATER: return sectors > comparison->sectors;
        }
        return false;
}

/* The least and the most for which a comparison holds; the least is above the most where it never does. */
static void comparison_range(const struct size_comparison *comparison, uint64_t *ret_least, uint64_t *ret_most) {
        uint64_t n = comparison->sectors;

        *ret_least = 0;
        *ret_most = UINT64_MAX;
        switch (comparison->comparison) {
        case COMPARE_LESS:
                *ret_least = n == 0;
                *ret_most = n == 0 ? 0 : n - 1;
                break;
        case COMPARE_LESS_EQUAL: *ret_most = n; break;
        case COMPARE_EQUAL: *ret_least = *ret_most = n; break;
        case COMPARE_GREATER_EQUAL: *ret_least = n; break;
        case COMPARE_GREATER: /* sectors are bytes ÷ 512, so one more does not overflow */ *ret_least = n + 1; break;
        }
}

bool size_comparison_covers(const struct size_comparison *wider, const struct size_comparison *comparison) {
        uint64_t wider_least, wider_most, least, most;

        comparison_range(wider, &wider_least, &wider_most);
        comparison_range(comparison, &least, &most);
        return wider_least <= least && most <= wider_most;
}

int value_parse_keep_condition(const char *text, struct keep_condition *ret, struct value_why *ret_why) {
        static const char example[] = "write it as in \"gain >= 0.97\"";
        enum comparison comparison = COMPARE_EQUAL;
        struct quantity q;
        const char *s;

        if (strncmp(text, "gain", 4) != 0 || isalnum((unsigned char)text[4]))
                return because(ret_why, "\"%.64s\" says nothing of \"gain\", which is all that is known here: %s", text,
                                example);
        s = parse_sign(skip_blanks(text + 4), &comparison);
        if (!s || (comparison != COMPARE_GREATER && comparison != COMPARE_GREATER_EQUAL))
                return because(ret_why, "\"%.64s\" needs > or >= after \"gain\": %s", text, example);
        if (parse_quantity(s, &q) < 0 || *q.unit || q.milli == 0 || q.milli > 100 * MILLI)
                return because(ret_why, "\"%.32s\" is no factor between 0.001 and 100: %s", s, example);

        *ret = (struct keep_condition){.given = true,
                        .or_equal = comparison == COMPARE_GREATER_EQUAL,
                        .min_gain = (double)q.milli / MILLI};
        return 0;
}
