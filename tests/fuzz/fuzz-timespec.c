/* SPDX-License-Identifier: MIT */

/* Times as they are given to --since and --until. One that is before the other stays so when it is told of later. */

#include <errno.h>
#include <stdbool.h>

#include "cli/timespec.h"
#include "common/cleanup.h"
#include "tests/fuzz/fuzz.h"

#define NOW_USEC UINT64_C(1796068213123456) /* 2026-11-30 */
#define DAY_USEC UINT64_C(86400000000)

/* A span back or ahead moves with the time that it counts from, and nothing else does by more than that. */
static void check_moved(const char *text, uint64_t usec) {
        uint64_t moved;

        FUZZ_CHECK(timespec_parse(text, NOW_USEC + DAY_USEC, &moved) == 0);
        FUZZ_CHECK(moved >= usec && moved - usec <= DAY_USEC + 3600 * UINT64_C(1000000));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        _cleanup_(freep) char *text = fuzz_take_text(&data, &size, '\0');
        uint64_t usec = 1, again = 2, blank;
        _cleanup_(freep) char *around = NULL;
        int r;

        (void)setenv("TZ", "Europe/Berlin", true);
        r = timespec_parse(text, NOW_USEC, &usec);
        FUZZ_CHECK(r == 0 || r == -EINVAL);
        if (r < 0)
                return 0;
        FUZZ_CHECK(timespec_parse(text, NOW_USEC, &again) == 0 && again == usec);
        FUZZ_CHECK(asprintf(&around, " \t%s ", text) > 0);
        FUZZ_CHECK(timespec_parse(around, NOW_USEC, &blank) == 0 && blank == usec);
        check_moved(text, usec);
        return 0;
}
