/* SPDX-License-Identifier: MIT */

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/cleanup.h"
#include "common/sectors.h"
#include "common/units.h"

/* An exact number may have so many digits before it is rounded instead. */
#define EXACT_NUMBER_MAX 100000U

/* What a double holds without loss; nothing that is measured comes near. */
#define MEASURED_MAX 9e15

static const char *const unit_names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

/* Number of tenths of a unit of 2^SHIFT bytes, if that is exact. */
static bool exact_tenths(uint64_t bytes, unsigned shift, uint64_t *ret) {
        uint64_t unit = UINT64_C(1) << shift, whole = bytes / unit, rest = bytes % unit;
        unsigned tenth;

        /* rest × 10 must be a multiple of the unit; the largest unit leaves four bits, enough for × 10. */
        if (rest * 10 % unit != 0 || __builtin_mul_overflow(whole, 10, &whole))
                return false;
        tenth = (unsigned)(rest * 10 / unit);
        return !__builtin_add_overflow(whole, tenth, ret);
}

static char *format_tenths(char *buffer, uint64_t tenths, const char *unit) {
        if (tenths % 10 == 0)
                snprintf(buffer, UNITS_BUFFER, "%" PRIu64 " %s", tenths / 10, unit);
        else
                snprintf(buffer, UNITS_BUFFER, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10, tenths % 10, unit);
        return buffer;
}

/* Half of the last place is rounded up. */
static char *format_rounded(char *buffer, uint64_t bytes, size_t unit) {
        uint64_t size = UINT64_C(1) << unit * 10, tenths;

        tenths = bytes / size * 10 + (bytes % size * 10 + size / 2) / size;
        if (tenths >= UINT64_C(1024) * 10 && unit + 1 < ARRAY_SIZE(unit_names)) {
                tenths = 10;
                unit++;
        }
        return format_tenths(buffer, tenths, unit_names[unit]);
}

char *units_format_bytes(char buffer[static UNITS_BUFFER], uint64_t bytes) {
        size_t largest = 0;
        uint64_t tenths;

        while (largest + 1 < ARRAY_SIZE(unit_names) && bytes >> (largest + 1) * 10 != 0)
                largest++;
        for (size_t unit = largest + 1; unit > 0 && unit--;) {
                if (!exact_tenths(bytes, (unsigned)unit * 10, &tenths))
                        continue;
                if (unit == largest || tenths < (uint64_t)EXACT_NUMBER_MAX * 10)
                        return format_tenths(buffer, tenths, unit_names[unit]);
                break;
        }
        return format_rounded(buffer, bytes, largest);
}

char *units_format_sectors(char buffer[static UNITS_BUFFER], uint64_t sectors) {
        uint64_t bytes;

        if (!sectors_to_bytes(sectors, &bytes))
                snprintf(buffer, UNITS_BUFFER, "%" PRIu64 " sectors", sectors);
        else
                units_format_bytes(buffer, bytes);
        return buffer;
}

/* VALUE with PLACES (0 to 3) decimal places; printf would take the locale's decimal point. */
static char *format_decimal(char *buffer, double value, unsigned places) {
        static const unsigned powers[] = {1, 10, 100, 1000};
        uint64_t scaled = (uint64_t)llround(value * powers[places]);

        if (places == 0)
                snprintf(buffer, UNITS_BUFFER, "%" PRIu64, scaled);
        else
                snprintf(buffer, UNITS_BUFFER, "%" PRIu64 ".%0*" PRIu64, scaled / powers[places], (int)places,
                                scaled % powers[places]);
        return buffer;
}

static bool measurable(double value) {
        return isfinite(value) && value >= 0 && value < MEASURED_MAX / 1000;
}

char *units_format_mbps(char buffer[static UNITS_BUFFER], double mbps) {
        double step = 10;

        if (!measurable(mbps))
                snprintf(buffer, UNITS_BUFFER, "-");
        else if (mbps == 0)
                snprintf(buffer, UNITS_BUFFER, "0");
        else if (mbps < 0.9995)
                format_decimal(buffer, mbps, 3);
        else if (mbps < 9.995)
                format_decimal(buffer, mbps, 2);
        else if (mbps < 99.95)
                format_decimal(buffer, mbps, 1);
        else if (mbps < 999.5)
                format_decimal(buffer, mbps, 0);
        else {
                while (mbps / step >= 999.5)
                        step *= 10;
                format_decimal(buffer, round(mbps / step) * step, 0);
        }
        return buffer;
}

char *units_format_ratio(char buffer[static UNITS_BUFFER], double ratio) {
        if (!measurable(ratio))
                snprintf(buffer, UNITS_BUFFER, "-");
        else
                format_decimal(buffer, ratio, ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0);
        return buffer;
}
