/* SPDX-License-Identifier: MIT */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "common/cleanup.h"
#include "common/units.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

static void test_bytes(void **state) {
        static const struct {
                uint64_t bytes;
                const char *text;
        } cases[] = {
                        {0, "0 B"},
                        {1, "1 B"},
                        {512, "512 B"},
                        {1023, "1023 B"},
                        {KIB, "1 KiB"},
                        {1536, "1.5 KiB"},
                        {1537, "1537 B"},
                        {4 * KIB, "4 KiB"},
                        {128 * KIB, "128 KiB"},
                        {768 * KIB, "768 KiB"},
                        {1280 * KIB, "1280 KiB"}, /* not 1.3 MiB */
                        {3 * MIB / 2, "1.5 MiB"},
                        {7 * MIB / 2, "3.5 MiB"},
                        {5064 * KIB, "5064 KiB"},
                        {16 * MIB, "16 MiB"},
                        {300 * MIB, "300 MiB"},
                        {UINT64_C(65535) * 512, "32767.5 KiB"}, /* not 32 MiB: it is what tells a nonsense io_opt */
                        {UINT64_C(16773120), "16380 KiB"},
                        {UINT64_C(4293918720), "4095 MiB"},
                        {4 * GIB, "4 GiB"},
                        {1000 * GIB, "1000 GiB"},
                        {UINT64_C(500107862016), "465.8 GiB"},
                        {UINT64_C(10000831348736), "9314 GiB"},
                        {UINT64_C(3000592982016), "2.7 TiB"},
                        {GIB - 1, "1 GiB"}, /* carries into the next unit */
                        {TIB - 1, "1 TiB"},
                        {UINT64_C(1) << 60, "1 EiB"},
                        {UINT64_MAX, "16 EiB"},
                        /* ten times as much is no number */
                        {UINT64_MAX / 10, "1.6 EiB"},
                        {UINT64_MAX / 10 + 1, "1.6 EiB"},
                        {UINT64_MAX / 10 * 2 + 1, "3.2 EiB"},
                        {(UINT64_MAX / 10 + 1) / KIB * KIB, "1.6 EiB"},
        };
        char buffer[UNITS_BUFFER];

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                assert_string_equal(units_format_bytes(buffer, cases[i].bytes), cases[i].text);
}

static void test_sectors(void **state) {
        char buffer[UNITS_BUFFER];

        assert_string_equal(units_format_sectors(buffer, 0), "0 B");
        assert_string_equal(units_format_sectors(buffer, 256), "128 KiB");
        assert_string_equal(units_format_sectors(buffer, 3072), "1.5 MiB");
        assert_string_equal(units_format_sectors(buffer, 7168), "3.5 MiB");
        assert_string_equal(units_format_sectors(buffer, UINT64_MAX), "18446744073709551615 sectors");
}

static void test_mbps(void **state) {
        static const struct {
                double mbps;
                const char *text;
        } cases[] = {
                        {0, "0"},
                        {0.0004, "0.000"},
                        {0.4567, "0.457"},
                        {0.9996, "1.00"},
                        {1.234, "1.23"},
                        {9.994, "9.99"},
                        {9.996, "10.0"},
                        {49.94, "49.9"},
                        {99.94, "99.9"},
                        {99.96, "100"},
                        {146.2, "146"},
                        {999.4, "999"},
                        {999.6, "1000"},
                        {1240, "1240"},
                        {1243.7, "1240"},
                        {9996, "10000"},
                        {12345, "12300"},
                        {-1, "-"},
                        {(double)NAN, "-"},
                        {(double)INFINITY, "-"},
                        {1e300, "-"},
        };
        char buffer[UNITS_BUFFER];

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                assert_string_equal(units_format_mbps(buffer, cases[i].mbps), cases[i].text);
}

static void test_ratio(void **state) {
        static const struct {
                double ratio;
                const char *text;
        } cases[] = {
                        {0.85, "0.85"},
                        {1, "1.00"},
                        {2.934, "2.93"},
                        {9.996, "10.0"},
                        {12.41, "12.4"},
                        {99.96, "100"},
                        {0.001, "0.00"},
                        {(double)NAN, "-"},
                        {-2, "-"},
        };
        char buffer[UNITS_BUFFER];

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                assert_string_equal(units_format_ratio(buffer, cases[i].ratio), cases[i].text);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                        cmocka_unit_test(test_bytes),
                        cmocka_unit_test(test_sectors),
                        cmocka_unit_test(test_mbps),
                        cmocka_unit_test(test_ratio),
        };

        return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
