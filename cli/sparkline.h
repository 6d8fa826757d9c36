/* SPDX-License-Identifier: MIT */
#pragma once

/* A row of figures as a line of bars, one character each. Pure. */

#include <stdbool.h>
#include <stddef.h>

/*
 * Bars are as high as their values, from 0 up, so that what differs little looks alike: the largest is the whole height.
 * What is no number, negative or without bound is a blank. With UTF8 ▁▂▃▄▅▆▇█, else _.-=+*#@. The caller frees it; NULL
 * without memory.
 */
char *sparkline_format(const double *values, size_t n, bool utf8);
