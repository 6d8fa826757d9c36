/* SPDX-License-Identifier: MIT */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/probe-busy.h"
#include "common/topology.h"

/* The next number of a line of them, in the order they have there. */
static bool take_number(const char **text, uint64_t *ret) {
        char *end;

        *text += strspn(*text, " \n");
        if (!isdigit((unsigned char)**text))
                return false;
        errno = 0;
        *ret = strtoull(*text, &end, 10);
        *text = end;
        return errno == 0;
}

int io_counters_parse(const char *text, struct io_counters *ret) {
        struct io_counters counters = {};
        uint64_t other = 0;
        /* For reads and for writes: completed, merged, sectors, milliseconds; then what is in flight, and more. */
        uint64_t *const numbers[] = {&counters.reads, &other, &counters.sectors_read, &other, &counters.writes, &other,
                        &other, &other, &counters.in_flight};

        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
                if (!take_number(&text, numbers[i]))
                        return -EINVAL;
        *ret = counters;
        return 0;
}

/* Counters are of the kernel's word size, so that they begin anew on small machines. */
static uint64_t difference(uint64_t first, uint64_t then) {
        return then > first ? then - first : 0;
}

bool probe_busy_reason(const char *name, const struct io_counters *first, const struct io_counters *then, char *reason,
                size_t size) {
        uint64_t n;

        if (__builtin_add_overflow(difference(first->reads, then->reads), difference(first->writes, then->writes), &n))
                n = UINT64_MAX;

        if (n > PROBE_OTHERS_MAX)
                snprintf(reason, size, "%s is busy: others made %" PRIu64 " reads and writes in %g s", name, n,
                                PROBE_LOOK_MSEC / 1000.0);
        else if (then->in_flight > 0)
                snprintf(reason, size, "%s is busy: %" PRIu64 " read%s under way", name, then->in_flight,
                                then->in_flight == 1 ? " or write of others is" : "s and writes of others are");
        else
                return false;
        return true;
}

bool probe_was_disturbed(const struct io_counters *first, const struct io_counters *then, uint64_t own_bytes,
                uint64_t ahead_bytes) {
        uint64_t bytes, expected;

        if (!sectors_to_bytes(difference(first->sectors_read, then->sectors_read), &bytes) ||
                        __builtin_add_overflow(own_bytes, ahead_bytes, &expected))
                return false;
        return bytes > expected && bytes - expected > own_bytes / PROBE_OTHERS_SHARE;
}
