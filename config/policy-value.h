/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The values of the policy language, as text. Pure. Each function returns 0, or -EINVAL with the reason in *ret_why:
 * what is wrong, and what would be right.
 */

#include <stdbool.h>
#include <stdint.h>

#include "common/probe-compare.h"
#include "common/target.h"

struct value_why {
        char text[256];
};

/* The most that a readahead may be: 1 TiB, far above any memory and below what the kernel's counters hold. */
#define VALUE_SECTORS_MAX (UINT64_C(1) << 31)
#define VALUE_STRIPES_MAX UINT64_C(4096)

/* auto, array, off, keep, "N stripes", or an amount that is not 0. */
int value_parse_readahead(const char *text, struct readahead_spec *ret, struct value_why *ret_why);

/*
 * true, yes, on, false, no, off, as YAML 1.1 has them (but y and n, which few parsers take): small, with a capital letter,
 * or in capitals. Without a reason: what is right depends on what else may be there.
 */
int value_parse_bool(const char *text, bool *ret);
/* The one that TEXT, which is none, most likely stands for; NULL: none is near. */
const char *value_suggest_bool(const char *text);

/* An amount as Ns (sectors), NKiB, NMiB, NGiB in whole sectors, at most VALUE_SECTORS_MAX. */
int value_parse_sectors(const char *text, uint64_t *ret_sectors, struct value_why *ret_why);

/* An amount as for value_parse_sectors(), up to PiB, in bytes. */
int value_parse_bytes(const char *text, uint64_t *ret_bytes, struct value_why *ret_why);

/* "0.5%" in parts per million, 1 … 1000000; "off" is 0: no bound. */
int value_parse_share(const char *text, unsigned *ret_ppm, struct value_why *ret_why);

/* "3s", "500ms", "1min", "2h" */
int value_parse_duration(const char *text, uint64_t *ret_msec, struct value_why *ret_why);

/* A whole number from LEAST to MOST. */
int value_parse_count(const char *text, unsigned least, unsigned most, unsigned *ret, struct value_why *ret_why);

enum comparison { COMPARE_LESS, COMPARE_LESS_EQUAL, COMPARE_EQUAL, COMPARE_GREATER_EQUAL, COMPARE_GREATER };

/* ">= 1TiB" */
struct size_comparison {
        enum comparison comparison;
        uint64_t sectors;
};
int value_parse_size(const char *text, struct size_comparison *ret, struct value_why *ret_why);
/* Whether each size that COMPARISON holds for is one that WIDER holds for. */
bool size_comparison_covers(const struct size_comparison *wider, const struct size_comparison *comparison);
bool size_comparison_holds(const struct size_comparison *comparison, uint64_t sectors);

/* "gain >= 0.97" or "gain > 1.05" */
int value_parse_keep_condition(const char *text, struct keep_condition *ret, struct value_why *ret_why);
