/* SPDX-License-Identifier: MIT */
#pragma once

/* Times as people type them for --since and --until: the forms that journalctl takes. Pure but for the time zone. */

#include <stdint.h>

/*
 * TEXT in microseconds since 1970; NOW_USEC is what it is relative to. Taken are
 *   now, today, yesterday, tomorrow
 *   2026-11-30, 2026-11-30 20:00, 2026-11-30T20:00:05.25, 20:00; with " UTC" or "Z" behind, else of the local time zone;
 *   with a day of the week before the date, if it is that day
 *   -1h, +5min, 1h 30min ago, 2 days left; a number without a unit is seconds
 *   @1796068213
 * What would be before 1970 is 1970. Returns 0, or -EINVAL for anything else.
 */
int timespec_parse(const char *text, uint64_t now_usec, uint64_t *ret_usec);
