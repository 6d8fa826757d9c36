/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>

#include "cli/measure-options.h"
#include "cli/text.h"
#include "config/policy-value.h"

#define TIME_LEAST_MSEC UINT64_C(100)
#define TIME_MOST_MSEC  UINT64_C(3600000) /* an hour */

int measure_parse_time(const char *text, uint64_t *msec) {
        struct value_why why;
        uint64_t time_msec;

        if (!text)
                return 0;
        if (value_parse_duration(text, &time_msec, &why) < 0) {
                text_error("--time: %s", why.text);
                return -EINVAL;
        }
        if (time_msec < TIME_LEAST_MSEC || time_msec > TIME_MOST_MSEC) {
                text_error("--time is not between 100ms and 1h: '%s'", text);
                return -EINVAL;
        }
        *msec = time_msec;
        return 0;
}

int measure_parse_bytes(const char *text, uint64_t least_bytes, uint64_t *bytes) {
        struct value_why why;
        uint64_t value_bytes;

        if (!text)
                return 0;
        if (value_parse_bytes(text, &value_bytes, &why) < 0) {
                text_error("--bytes: %s", why.text);
                return -EINVAL;
        }
        if (value_bytes < least_bytes) {
                text_error("--bytes is less than %" PRIu64 "MiB, which shows nothing: '%s'", least_bytes >> 20, text);
                return -EINVAL;
        }
        *bytes = value_bytes;
        return 0;
}
