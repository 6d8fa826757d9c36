/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/cleanup.h"
#include "config/policy-pattern.h"
#include "config/policy-suggest.h"
#include "config/policy-value.h"

static void test_readahead(void **state) {
        static const struct {
                const char *text;
                struct readahead_spec spec;
        } cases[] = {
                        {"auto", {.mode = READAHEAD_AUTO}},
                        {"array", {.mode = READAHEAD_ARRAY}},
                        {"off", {.mode = READAHEAD_OFF}},
                        {"keep", {.mode = READAHEAD_KEEP}},
                        {"1 stripe", {.mode = READAHEAD_STRIPES, .stripes = 1}},
                        {"2 stripes", {.mode = READAHEAD_STRIPES, .stripes = 2}},
                        {"3stripes", {.mode = READAHEAD_STRIPES, .stripes = 3}},
                        {"4096 stripes", {.mode = READAHEAD_STRIPES, .stripes = 4096}},
                        {"1s", {.mode = READAHEAD_SECTORS, .sectors = 1}},
                        {"8192s", {.mode = READAHEAD_SECTORS, .sectors = 8192}},
                        {"8192 s", {.mode = READAHEAD_SECTORS, .sectors = 8192}},
                        {"4096KiB", {.mode = READAHEAD_SECTORS, .sectors = 8192}},
                        {"0.5KiB", {.mode = READAHEAD_SECTORS, .sectors = 1}},
                        {"4MiB", {.mode = READAHEAD_SECTORS, .sectors = 8192}},
                        {"1.5MiB", {.mode = READAHEAD_SECTORS, .sectors = 3072}},
                        {"1GiB", {.mode = READAHEAD_SECTORS, .sectors = 2097152}},
                        {"1024GiB", {.mode = READAHEAD_SECTORS, .sectors = UINT64_C(1) << 31}},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct readahead_spec spec = {0};
                struct value_why why = {0};

                if (value_parse_readahead(cases[i].text, &spec, &why) < 0)
                        fail_msg("%s: %s", cases[i].text, why.text);
                assert_int_equal(spec.mode, cases[i].spec.mode);
                assert_int_equal(spec.sectors, cases[i].spec.sectors);
                assert_int_equal(spec.stripes, cases[i].spec.stripes);
        }
}

static void test_no_readahead(void **state) {
        static const char *const cases[][2] = {
                        {"8192", "8192: sectors or KiB? write 8192s (which is 4096KiB) or 8192KiB"},
                        {"33", "33: sectors or KiB? write 33s or 33KiB"},
                        {"0", "0: write off to turn readahead off, or keep to leave it as it is"},
                        {"0s", "0s: write off to turn readahead off, or keep to leave it as it is"},
                        {"0.0MiB", "0.0MiB: write off to turn readahead off, or keep to leave it as it is"},
                        {"0 stripes", "0 stripes: write off to turn readahead off, or keep to leave it as it is"},
                        {"1.5 stripes", "1.5 is no whole number of stripes"},
                        {"2 x stripe", "unknown unit \"x stripe\": did you mean 2 stripes?"},
                        {"2 × stripe width", "unknown unit \"× stripe width\": did you mean 2 stripes?"},
                        {"4097 stripes", "4097 stripes: at most 4096"},
                        {"2 strips", "unknown unit \"strips\": did you mean 2 stripes?"},
                        {"4096K", "unknown unit \"K\": did you mean 4096KiB?"},
                        {"4096kib", "unknown unit \"kib\": did you mean 4096KiB?"},
                        {"4MB", "unknown unit \"MB\": did you mean 4MiB?"},
                        {"4 sectors", "unknown unit \"sectors\": did you mean 4s?"},
                        {"4 pages", "unknown unit \"pages\": write it as in 8192s (sectors of 512 bytes), 4096KiB or "
                                    "4MiB"},
                        {"4 bogons", "unknown unit \"bogons\": write it as in 8192s (sectors of 512 bytes), 4096KiB or "
                                     "4MiB"},
                        {"0.3KiB", "0.3KiB is no whole number of bytes"},
                        {"0.125KiB", "0.125KiB is no whole number of sectors (512 bytes)"},
                        {"1.2345MiB", "\"1.2345MiB\" is no amount: write it as in 8192s (sectors of 512 bytes), "
                                      "4096KiB or 4MiB"},
                        {"1.MiB", "\"1.MiB\" is no amount: write it as in 8192s (sectors of 512 bytes), 4096KiB or "
                                  "4MiB"},
                        {"99999999999999999999s", "99999999999999999999s is too large"},
                        {"18446744073709551615", "18446744073709551615 is too large"},
                        {"18446744073709551PiB", "18446744073709551PiB is too large"},
                        {"2TiB", "2TiB is more than 1024GiB, which no readahead can be"},
                        {"atuo", "no readahead \"atuo\": did you mean \"auto\"?"},
                        {"AUTO", "no readahead \"AUTO\": did you mean \"auto\"?"},
                        {"-1s", "no readahead \"-1s\": it may be auto, array, off, keep, 2 stripes, 8192s (sectors), "
                                "4096KiB or 4MiB"},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct readahead_spec spec;
                struct value_why why;

                assert_int_equal(value_parse_readahead(cases[i][0], &spec, &why), -EINVAL);
                assert_string_equal(why.text, cases[i][1]);
        }
}

static void test_amounts(void **state) {
        struct value_why why;
        uint64_t value;

        assert_int_equal(value_parse_sectors("0s", &value, &why), 0);
        assert_int_equal(value, 0);
        assert_int_equal(value_parse_sectors("16MiB", &value, &why), 0);
        assert_int_equal(value, 32768);
        assert_int_equal(value_parse_bytes("1PiB", &value, &why), 0);
        assert_int_equal(value, UINT64_C(1) << 50);
        assert_int_equal(value_parse_bytes("0.125KiB", &value, &why), 0);
        assert_int_equal(value, 128);
        /* the most that is a number, what is none, and no whole one */
        assert_int_equal(value_parse_bytes("16383.875PiB", &value, &why), 0);
        assert_int_equal(value, UINT64_C(18446603336221196288));
        assert_int_equal(value_parse_bytes("16384PiB", &value, &why), -EINVAL);
        assert_string_equal(why.text, "16384PiB is too large");
        assert_int_equal(value_parse_bytes("16383.999PiB", &value, &why), -EINVAL);
        assert_string_equal(why.text, "16383.999PiB is no whole number of bytes");
        assert_int_equal(value_parse_bytes("", &value, &why), -EINVAL);
        assert_int_equal(value_parse_bytes("KiB", &value, &why), -EINVAL);
        assert_int_equal(value_parse_bytes("1KiB or so", &value, &why), -EINVAL);
}

static void test_share(void **state) {
        struct value_why why;
        unsigned ppm;

        assert_int_equal(value_parse_share("0.5%", &ppm, &why), 0);
        assert_int_equal(ppm, 5000);
        assert_int_equal(value_parse_share("100 %", &ppm, &why), 0);
        assert_int_equal(ppm, 1000000);
        assert_int_equal(value_parse_share("0.001%", &ppm, &why), 0);
        assert_int_equal(ppm, 10);
        assert_int_equal(value_parse_share("off", &ppm, &why), 0);
        assert_int_equal(ppm, 0);

        assert_int_equal(value_parse_share("0.005", &ppm, &why), -EINVAL);
        assert_string_equal(why.text, "0.005: of what? write 0.005% of memory");
        assert_int_equal(value_parse_share("0%", &ppm, &why), -EINVAL);
        assert_int_equal(value_parse_share("100.001%", &ppm, &why), -EINVAL);
        assert_int_equal(value_parse_share("5MiB", &ppm, &why), -EINVAL);
        assert_int_equal(value_parse_share("half", &ppm, &why), -EINVAL);
}

static void test_duration(void **state) {
        struct value_why why;
        uint64_t msec;

        assert_int_equal(value_parse_duration("3s", &msec, &why), 0);
        assert_int_equal(msec, 3000);
        assert_int_equal(value_parse_duration("0.25s", &msec, &why), 0);
        assert_int_equal(msec, 250);
        assert_int_equal(value_parse_duration("500ms", &msec, &why), 0);
        assert_int_equal(msec, 500);
        assert_int_equal(value_parse_duration("2 min", &msec, &why), 0);
        assert_int_equal(msec, 120000);
        assert_int_equal(value_parse_duration("1.5h", &msec, &why), 0);
        assert_int_equal(msec, 5400000);

        assert_int_equal(value_parse_duration("3", &msec, &why), -EINVAL);
        assert_string_equal(why.text, "3: seconds or milliseconds? write 3s or 3ms");
        assert_int_equal(value_parse_duration("3sec", &msec, &why), -EINVAL);
        assert_string_equal(why.text, "unknown unit \"sec\": did you mean 3s?");
        assert_int_equal(value_parse_duration("5 minutes", &msec, &why), -EINVAL);
        assert_string_equal(why.text, "unknown unit \"minutes\": did you mean 5min?");
        assert_int_equal(value_parse_duration("5m", &msec, &why), -EINVAL);
        assert_string_equal(why.text, "unknown unit \"m\": did you mean 5min?");
        assert_int_equal(value_parse_duration("5MS", &msec, &why), -EINVAL);
        assert_string_equal(why.text, "unknown unit \"MS\": did you mean 5ms?");
        assert_int_equal(value_parse_duration("2hours", &msec, &why), -EINVAL);
        assert_string_equal(why.text, "unknown unit \"hours\": did you mean 2h?");
        assert_int_equal(value_parse_duration("99999999999999999999s", &msec, &why), -EINVAL);
        assert_string_equal(why.text, "99999999999999999999s is too large");
        assert_int_equal(value_parse_duration("9999999999999999h", &msec, &why), -EINVAL);
        assert_string_equal(why.text, "9999999999999999h is too large");
        assert_int_equal(value_parse_duration("0.5ms", &msec, &why), -EINVAL);
        assert_int_equal(value_parse_duration("soon", &msec, &why), -EINVAL);
}

static void test_count(void **state) {
        struct value_why why;
        unsigned n;

        assert_int_equal(value_parse_count("16", 1, 16, &n, &why), 0);
        assert_int_equal(n, 16);
        assert_int_equal(value_parse_count("17", 1, 16, &n, &why), -EINVAL);
        assert_string_equal(why.text, "\"17\" is no whole number from 1 to 16");
        assert_int_equal(value_parse_count("0", 1, 16, &n, &why), -EINVAL);
        assert_int_equal(value_parse_count("1.5", 1, 16, &n, &why), -EINVAL);
        assert_int_equal(value_parse_count("2s", 1, 16, &n, &why), -EINVAL);
}

static void test_size(void **state) {
        static const struct {
                const char *text;
                bool less, equal, more;
        } cases[] = {
                        {">= 1TiB", false, true, true},
                        {">1TiB", false, false, true},
                        {"<= 1TiB", true, true, false},
                        {"< 1TiB", true, false, false},
                        {"= 1TiB", false, true, false},
                        {"== 2147483648s", false, true, false},
        };
        const uint64_t sectors = UINT64_C(1) << 31;

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct size_comparison comparison;
                struct value_why why;

                assert_int_equal(value_parse_size(cases[i].text, &comparison, &why), 0);
                assert_int_equal(size_comparison_holds(&comparison, sectors - 1), cases[i].less);
                assert_int_equal(size_comparison_holds(&comparison, sectors), cases[i].equal);
                assert_int_equal(size_comparison_holds(&comparison, sectors + 1), cases[i].more);
        }
}

static void test_no_size(void **state) {
        static const char *const cases[] = {
                        "1TiB", ">=", ">= much", ">= 1", ">= 1TB", "=> 1TiB", ">= 0.1KiB", "~ 1TiB"};

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct size_comparison comparison;
                struct value_why why;

                assert_int_equal(value_parse_size(cases[i], &comparison, &why), -EINVAL);
                assert_true(strlen(why.text) > 0);
        }
}

static void test_keep_condition(void **state) {
        static const char *const bad[] = {
                        "",
                        "gain",
                        "gain 1",
                        "gain < 1",
                        "gain = 1",
                        "gains > 1",
                        "speed > 1",
                        "gain > ",
                        "gain > fast",
                        "gain > 0",
                        "gain > 101",
                        "gain > 1x",
        };
        struct keep_condition condition = {0};
        struct value_why why;

        assert_int_equal(value_parse_keep_condition("gain >= 0.97", &condition, &why), 0);
        assert_true(condition.given && condition.or_equal);
        assert_float_equal(condition.min_gain, 0.97, 1e-9);
        assert_int_equal(value_parse_keep_condition("gain>1.05", &condition, &why), 0);
        assert_true(condition.given && !condition.or_equal);
        assert_float_equal(condition.min_gain, 1.05, 1e-9);

        for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
                assert_int_equal(value_parse_keep_condition(bad[i], &condition, &why), -EINVAL);
}

static void test_pattern(void **state) {
        static const struct {
                const char *pattern, *text;
                enum pattern_form form;
                bool matches;
        } cases[] = {
                        {"dm-3", "dm-3", PATTERN_LITERAL, true},
                        {"dm-3", "dm-31", PATTERN_LITERAL, false},
                        {"dm-31", "dm-3", PATTERN_LITERAL, false},
                        {"dm-*", "dm-31", PATTERN_PREFIX, true},
                        {"dm-*", "dm-", PATTERN_PREFIX, true},
                        {"dm-*", "dm", PATTERN_PREFIX, false},
                        {"*", "", PATTERN_PREFIX, true},
                        {"*", "/srv/a", PATTERN_PREFIX, true},
                        {"/var/lib/mongo*", "/var/lib/mongo/x", PATTERN_PREFIX, true},
                        {"*-home", "vg/a-home", PATTERN_GLOB, true},
                        {"sd?", "sda", PATTERN_GLOB, true},
                        {"sd?", "sdaa", PATTERN_GLOB, false},
                        {"sd[a-c]", "sdb", PATTERN_GLOB, true},
                        {"sd[!a-c]", "sdb", PATTERN_GLOB, false},
                        {"sd[]x]", "sd]", PATTERN_GLOB, true},
                        {"sd[[:digit:]]", "sd7", PATTERN_GLOB, true},
                        {"a[[]1", "a[1", PATTERN_GLOB, true},
                        {"a\\*", "a*", PATTERN_GLOB, true},
                        {"a\\*", "ab", PATTERN_GLOB, false},
                        {"a]", "a]", PATTERN_LITERAL, true},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct pattern pattern;
                struct value_why why;

                assert_int_equal(pattern_compile(cases[i].pattern, &pattern, &why), 0);
                assert_int_equal(pattern.form, cases[i].form);
                if (pattern_matches(&pattern, cases[i].text) != cases[i].matches)
                        fail_msg("%s, %s", cases[i].pattern, cases[i].text);
        }
}

static void test_no_pattern(void **state) {
        static const char *const cases[] = {"a[1", "[", "[]", "[!]", "[[:digit:]", "[a\\]", "a\\", "x[a-"};
        _cleanup_(freep) char *large = malloc(PATTERN_BYTES_MAX + 2);
        struct pattern pattern;
        struct value_why why;

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                assert_int_equal(pattern_compile(cases[i], &pattern, &why), -EINVAL);

        assert_non_null(large);
        memset(large, 'a', PATTERN_BYTES_MAX + 1);
        large[PATTERN_BYTES_MAX + 1] = '\0';
        assert_int_equal(pattern_compile(large, &pattern, &why), -EINVAL);
        large[PATTERN_BYTES_MAX] = '\0';
        assert_int_equal(pattern_compile(large, &pattern, &why), 0);
}

static void test_suggestion(void **state) {
        static const char *const words[] = {
                        "readahead", "direction", "match", "min", "max", "memory-share", "mountpoint"};
        static const struct {
                const char *word, *best;
        } cases[] = {
                        {"readahed", "readahead"},
                        {"raedahead", "readahead"},
                        {"Direction", "direction"},
                        {"memory_share", "memory-share"},
                        {"mount", "mountpoint"},
                        {"mach", "match"},
                        {"mas", "max"},
                        {"x", NULL},
                        {"priority", NULL},
                        {"", NULL},
                        {"a word that is far longer than any key may ever be", NULL},
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct suggestion suggestion = suggestion_for(cases[i].word);

                for (size_t j = 0; j < ARRAY_SIZE(words); j++)
                        suggestion_offer(&suggestion, words[j]);
                if (!cases[i].best)
                        assert_null(suggestion.best);
                else
                        assert_string_equal(suggestion.best, cases[i].best);
        }
        assert_int_equal(suggestion_distance("raise", "riase"), 1);
        assert_int_equal(suggestion_distance("kitten", "sitting"), 3);
        assert_int_equal(suggestion_distance("", "abc"), 3);
}

static void test_bool(void **state) {
        static const char *const words[2][9] = {
                        {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"},
                        {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"},
        };
        static const char *const others[] = {"", "y", "n", "1", "0", "tRUE", "TRue", "TrUe", "oN", "truee", "tru"};
        bool flag = false;

        for (size_t i = 0; i < 2; i++)
                for (size_t j = 0; j < ARRAY_SIZE(words[i]); j++) {
                        flag = i == 0;
                        assert_int_equal(value_parse_bool(words[i][j], &flag), 0);
                        assert_int_equal(flag, i);
                }
        for (size_t i = 0; i < ARRAY_SIZE(others); i++)
                assert_int_equal(value_parse_bool(others[i], &flag), -EINVAL);
        assert_string_equal(value_suggest_bool("0"), "false");
        assert_string_equal(value_suggest_bool("1"), "true");
        assert_string_equal(value_suggest_bool("flase"), "false");
        assert_null(value_suggest_bool("highest"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_readahead),
                        cmocka_unit_test(test_no_readahead),
                        cmocka_unit_test(test_amounts),
                        cmocka_unit_test(test_share),
                        cmocka_unit_test(test_duration),
                        cmocka_unit_test(test_count),
                        cmocka_unit_test(test_size),
                        cmocka_unit_test(test_no_size),
                        cmocka_unit_test(test_keep_condition),
                        cmocka_unit_test(test_pattern),
                        cmocka_unit_test(test_no_pattern),
                        cmocka_unit_test(test_suggestion),
                        cmocka_unit_test(test_bool),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
