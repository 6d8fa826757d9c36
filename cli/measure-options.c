/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <inttypes.h>

#include "cli/measure-options.h"
#include "cli/text.h"
#include "config/policy-value.h"

#define TIME_LEAST UINT64_C(100)     /* ms */
#define TIME_MOST  UINT64_C(3600000) /* an hour */

int measure_parse_time(const char *text, uint64_t *msec) {
        struct value_why why;
        uint64_t time;

        if (!text)
                return 0;
        if (value_parse_duration(text, &time, &why) < 0) {
                text_error("--time: %s", why.text);
                return -EINVAL;
        }
        if (time < TIME_LEAST || time > TIME_MOST) {
                text_error("--time is not between 100ms and 1h: '%s'", text);
                return -EINVAL;
        }
        *msec = time;
        return 0;
}

int measure_parse_bytes(const char *text, uint64_t least, uint64_t *bytes) {
        struct value_why why;
        uint64_t value;

        if (!text)
                return 0;
        if (value_parse_bytes(text, &value, &why) < 0) {
                text_error("--bytes: %s", why.text);
                return -EINVAL;
        }
        if (value < least) {
                text_error("--bytes is less than %" PRIu64 "MiB, which shows nothing: '%s'", least >> 20, text);
                return -EINVAL;
        }
        *bytes = value;
        return 0;
}
