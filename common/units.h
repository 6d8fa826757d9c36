/* SPDX-License-Identifier: MIT */
#pragma once

/* Numbers for people, with a decimal point whatever the locale. Pure. Buffers are the caller's; UNITS_BUFFER does. */

#include <stddef.h>
#include <stdint.h>

#define UNITS_BUFFER ((size_t)48)

/*
 * "768 KiB", "1.5 MiB", "4 GiB", "512 B". The largest unit in which at most one decimal place says it exactly, as long as
 * the number stays under 100000: "1280 KiB" rather than "1.3 MiB", "32767.5 KiB" rather than "32 MiB". Else rounded to
 * one place in the largest unit: "465.8 GiB". Returns BUFFER.
 */
char *units_format_bytes(char buffer[static UNITS_BUFFER], uint64_t bytes);

/* As units_format_bytes() for a number of 512-byte sectors. */
char *units_format_sectors(char buffer[static UNITS_BUFFER], uint64_t sectors);

/* Three significant digits: "49.9", "146", "1240"; "-" for what is no number, negative or without bound. */
char *units_format_mbps(char buffer[static UNITS_BUFFER], double mbps);

/* A ratio with two decimal places, less where it is large: "0.85", "2.93", "12.4", "146"; "-" as above. */
char *units_format_ratio(char buffer[static UNITS_BUFFER], double ratio);
